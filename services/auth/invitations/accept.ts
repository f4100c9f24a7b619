import { randomUUID } from 'node:crypto';
import type * as wire from '../../../contracts/auth/invitations.ts';
import { ServiceError, validationFailed } from '../../../domain/errors.ts';
import { recordAudit } from '../../../mixins/database/audit.ts';
import type { Database, Queryable } from '../../../mixins/database/database.ts';
import type { AuditOrigin } from '../../../runtime/audit-origin.ts';
import { acting } from '../actor.ts';
import { type Attempting, type AttemptPriority, countAttempt } from '../log-in/attempts.ts';
import { checkPassword } from '../log-in/log-in.ts';
import { refuseWeakPassword } from '../log-in/password-rules.ts';
import type { Passwords } from '../log-in/passwords.ts';
import { wrongCredentials } from '../log-in/wrong-credentials.ts';
import { takeOver } from '../passwords/reset-by-link.ts';
import {
  insertMemberAccount,
  type OpenInvitation,
  selectOpenInvitation,
  upsertInvited,
  useInvitation,
} from '../queries/invitations.ts';
import { sha256 } from '../tokens/secrets.ts';

/** Dependencies of an acceptance. */
export interface Accepting extends Attempting {
  readonly database: Database;
  readonly passwords: Passwords;
  readonly origin: AuditOrigin;
}

interface Account {
  readonly id: string;
  readonly password: string;
  /** The invitation made it, or gave it to the holder of the address. */
  readonly isNew?: boolean;
}

/**
 * Makes the holder of a link a member of its project, with a new account if the address has none. Nothing changes unless
 * all of it succeeds. An account whose address nobody confirmed may be of somebody else: a link that confirms gives it to
 * its holder with a new password, any other adds it to no further project.
 * @throws INVITATION_NOT_FOUND (404), VALIDATION_FAILED (422) for a weak new password, UNAUTHENTICATED (401) where that of
 * the account is wrong, ADDRESS_NOT_CONFIRMED (409), OWNER_NEEDS_NO_ROLE (409)
 */
export async function acceptInvitation(
  accepting: Accepting,
  { token, password }: { readonly token: string; readonly password: string },
): Promise<wire.Membership> {
  const hash = sha256(token);
  const open = await selectOpenInvitation(accepting.database, hash);
  const { account = null } = open ?? {};
  const joins = account !== null && (account.is_confirmed || open?.confirms === false);
  const counted = joins && open !== undefined ? open.email.toLowerCase() : null;
  return countAttempt(accepting, counted, async (priority) => {
    if (open === undefined) throw new ServiceError('INVITATION_NOT_FOUND');
    if (joins) return join(accepting, hash, { email: open.email, password }, priority);
    return register(accepting, hash, open, password);
  });
}

interface Login {
  readonly email: string;
  readonly password: string;
}

async function join(accepting: Accepting, hash: string, login: Login, priority: AttemptPriority) {
  const account = await checkPassword(accepting, login, priority);
  return asAccount(accepting, account.id, (on) => enter(on, accepting.origin, hash, account));
}

const shortestPassword = 10;

async function register(
  accepting: Accepting,
  hash: string,
  { email, confirms, account: unconfirmed }: OpenInvitation,
  password: string,
) {
  if (password.length < shortestPassword)
    throw validationFailed([
      { field: 'password', message: `must have at least ${shortestPassword} characters` },
    ]);
  await refuseWeakPassword('password', password, email);
  const id = unconfirmed?.id ?? randomUUID();
  const account = { id, email, password: await accepting.passwords.hash(password) };
  return asAccount(accepting, id, async (on) => {
    if (unconfirmed !== null) await takeUnconfirmed(on, accepting.origin, account);
    // Another acceptance of the address made the account meanwhile: its password was not checked.
    else if (!(await insertMemberAccount(on, account, confirms)))
      throw new ServiceError('INVITATION_NOT_FOUND');
    return enter(on, accepting.origin, hash, { ...account, isNew: true });
  });
}

// An account that was confirmed meanwhile needs its password.
async function takeUnconfirmed(on: Queryable, origin: AuditOrigin, account: Account): Promise<void> {
  const statement =
    'select from auth.developer where id = $1 and confirmed_at is null and not is_owner for update';
  if ((await on.query(statement, [account.id])).length === 0) throw wrongCredentials();
  await takeOver(on, { ...origin, actor: `admin:${account.id}` }, account.id, account.password);
}

const asAccount = <T>({ database, origin }: Accepting, id: string, work: (on: Queryable) => Promise<T>) =>
  acting(database, { ...origin, actor: `admin:${id}` }, work);

async function enter(
  on: Queryable,
  origin: AuditOrigin,
  hash: string,
  account: Account,
): Promise<wire.Membership> {
  const used = await useInvitation(on, hash);
  if (used === undefined) throw new ServiceError('INVITATION_NOT_FOUND');
  const { isNew = false } = account;
  if (!(await upsertInvited(on, used, { ...account, isNew }))) throw await refusalOf(on, account);
  const by = { ...origin, actor: `admin:${account.id}`, projectId: used.project_id };
  const entry = { subjectId: used.id, details: { role: used.role } };
  await recordAudit(on, by, { action: 'invitation.accepted', ...entry });
  return { project_id: used.project_id, email: used.email, role: used.role };
}

async function refusalOf(on: Queryable, { id, password }: Account): Promise<ServiceError> {
  const statement = 'select is_owner, password = $2 as "isSame" from auth.developer where id = $1';
  const [row] = await on.query<{ is_owner: boolean; isSame: boolean }>(statement, [id, password]);
  if (row?.is_owner === true) return new ServiceError('OWNER_NEEDS_NO_ROLE');
  return row?.isSame === true ? new ServiceError('ADDRESS_NOT_CONFIRMED') : wrongCredentials();
}
