import { randomUUID } from 'node:crypto';
import type { Config } from '../../../config.ts';
import type * as wire from '../../../contracts/auth/invitations.ts';
import type { Role } from '../../../domain/access.ts';
import { ServiceError, validationFailed } from '../../../domain/errors.ts';
import { formatInstant } from '../../../domain/time/time.ts';
import { recordAudit } from '../../../mixins/database/audit.ts';
import type { Database, Queryable } from '../../../mixins/database/database.ts';
import type { Jobs } from '../../../mixins/jobs/jobs.ts';
import type { Cipher } from '../../../mixins/provider-api/cipher.ts';
import type { AuditOrigin } from '../../../runtime/audit-origin.ts';
import type { Meta } from '../../../runtime/environment.ts';
import { refuseWeakPassword, wrongCredentials } from '../rules/password-rules.ts';
import { linkBase, newLinkToken, sha256 } from '../rules/secrets.ts';
import { acting } from '../tables/acting.ts';
import {
  deleteInvitation,
  type InvitationRow,
  insertMemberAccount,
  type OpenInvitation,
  selectOpenInvitation,
  upsertInvitation,
  upsertInvited,
  useInvitation,
} from '../tables/invitations.ts';
import { type Attempting, type AttemptPriority, countAttempt } from '../work/attempts.ts';
import { enqueueMail, invitationMail, type Mailer } from '../work/mail.ts';
import type { Passwords } from '../work/passwords.ts';
import { callingDeveloper } from './developers.ts';
import { checkPassword } from './log-in.ts';
import { takeOver } from './reset-by-link.ts';

/** Dependencies of an invitation. */
interface Inviting {
  readonly database: Database;
  readonly config: Config;
  readonly origin: AuditOrigin;
  readonly meta: Meta;
  readonly cipher: Cipher;
  readonly mailer: Mailer | null;
  readonly jobs: Jobs;
}

const validDays = 7;

/**
 * Invites an address to a project. With SMTP_URL only the message has the link: whoever invites could accept it otherwise, and
 * hold an account of an address that is somebody else's. Without it only this answer has the link.
 * @throws PROJECT_NOT_FOUND (404)
 */
export async function invite(
  inviting: Inviting,
  project: string,
  { email, role }: { readonly email: string; readonly role: Role },
): Promise<wire.NewInvitation> {
  const { database, origin, meta, jobs, mailer } = inviting;
  const invitedBy = callingDeveloper(meta).developer_id;
  const token = newLinkToken();
  const link = `${linkBase(inviting)}/invitation#${token}`;
  const row = await database.transaction(async (on) => {
    const isMailed = mailer !== null;
    const given = { hash: sha256(token), project, email, role, invitedBy, isMailed, days: validDays };
    const made = await upsertInvitation(on, given);
    if (made === undefined) throw new ServiceError('PROJECT_NOT_FOUND');
    await recordAudit(on, origin, { action: 'invitation.created', subjectId: made.id, details: { role } });
    await mailLink(on, inviting, made, link);
    return made;
  });
  jobs.notify();
  return { ...toInvitation(row), link: mailer === null ? link : null };
}

async function mailLink(on: Queryable, { mailer, cipher }: Inviting, made: InvitationRow, link: string) {
  if (mailer === null) return;
  await enqueueMail(on, cipher, invitationMail(made.email, link), made.expires_at);
}

/** Revokes an invitation of a project. @throws INVITATION_NOT_FOUND (404) */
export async function revokeInvitation(
  { database, origin }: Inviting,
  project: string,
  id: string,
): Promise<wire.Invitation> {
  const row = await database.transaction(async (on) => {
    const deleted = await deleteInvitation(on, project, id);
    if (deleted === undefined) throw new ServiceError('INVITATION_NOT_FOUND');
    await recordAudit(on, origin, { action: 'invitation.revoked', subjectId: id });
    return deleted;
  });
  return toInvitation(row);
}

/** The wire format of an invitation's row. */
export function toInvitation(row: InvitationRow): wire.Invitation {
  return {
    ...{ id: row.id, email: row.email, role: row.role, invited_by: row.invited_by },
    created_at: formatInstant(row.created_at.getTime()),
    expires_at: formatInstant(row.expires_at.getTime()),
  };
}

/** Dependencies of an acceptance. */
interface Accepting extends Attempting {
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
