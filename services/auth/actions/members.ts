import { randomUUID } from 'node:crypto';
import type { Invitation, Membership, NewInvitation } from '../../../contracts/auth/invitations.ts';
import type { Member, RemovedMember } from '../../../contracts/auth/projects.ts';
import type { Role } from '../../../domain/access.ts';
import { ServiceError, validationFailed } from '../../../domain/errors.ts';
import { formatInstant } from '../../../domain/time/time.ts';
import { recordAudit } from '../../../mixins/database/audit.ts';
import type { Queryable } from '../../../mixins/database/database.ts';
import type { AuditOrigin } from '../../../runtime/audit-origin.ts';
import { refuseWeakPassword, wrongCredentials } from '../rules/password-rules.ts';
import { linkBase, newLinkToken, sha256 } from '../rules/secrets.ts';
import { acting } from '../tables/acting.ts';
import { lockConfirmation, selectOwnership } from '../tables/developers.ts';
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
import { deleteMember, type MemberRow, upsertMember } from '../tables/projects.ts';
import { type Attempting, type AttemptPriority, countAttempt } from '../work/attempts.ts';
import type { AuthDeps, CallDeps, ChangeDeps } from '../work/deps.ts';
import { endCredentialsOf, endKey } from '../work/end-key.ts';
import { enqueueMail, invitationMail } from '../work/mail.ts';
import { callingDeveloper } from './developers.ts';
import { checkPassword } from './log-in.ts';
import { takeOver } from './reset-by-link.ts';

/** Gives an account a role. @throws DEVELOPER_NOT_FOUND (404), ADDRESS_NOT_CONFIRMED (409), OWNER_NEEDS_NO_ROLE (409) */
export async function addMember(
  { database, origin }: ChangeDeps,
  project: string,
  member: { readonly email: string; readonly role: Role },
): Promise<Member> {
  const row = await acting(database, origin, (on) => upsertMember(on, project, member));
  if (row !== null) return toMember(row);
  const account = await selectOwnership(database, member.email);
  if (account === undefined) throw new ServiceError('DEVELOPER_NOT_FOUND');
  throw new ServiceError(account.is_owner ? 'OWNER_NEEDS_NO_ROLE' : 'ADDRESS_NOT_CONFIRMED');
}

/** The wire format of a member's row. */
export function toMember({ created_at, ...row }: MemberRow): Member {
  return {
    developer_id: row.developer_id,
    email: row.email,
    is_confirmed: row.is_confirmed,
    role: row.role,
    created_at: formatInstant(created_at.getTime()),
  };
}

/** Removes a member: the next request of the developer is refused. @throws MEMBER_NOT_FOUND (404), API_KEY_NOT_FOUND (404) */
export async function removeMember(
  { database, call, origin }: CallDeps & ChangeDeps,
  project: string,
  {
    developer_id: developerId,
    keep_keys,
  }: { readonly developer_id: string; readonly keep_keys: readonly string[] },
): Promise<RemovedMember> {
  const { member, keys } = await acting(database, origin, async (on) => {
    const row = await deleteMember(on, project, developerId);
    if (row === null) throw new ServiceError('MEMBER_NOT_FOUND');
    return {
      member: toMember(row),
      keys: await endCredentialsOf(on, origin, { project, developerId }, keep_keys),
    };
  });
  const api_keys: RemovedMember['api_keys'] = [];
  for (const { key, job } of keys) {
    const webhook_endpoints = job === null ? null : await endKey({ database, call }, job).catch(() => null);
    api_keys.push({ id: key.id, name: key.name, is_kept: job === null, webhook_endpoints });
  }
  return { ...member, api_keys };
}

type InviteDeps = Pick<AuthDeps, 'database' | 'config' | 'origin' | 'meta' | 'cipher' | 'mailer' | 'jobs'>;

const validDays = 7;

/**
 * Invites an address to a project. With SMTP_URL the link is sent by e-mail only: the inviting developer could
 * otherwise accept it, and own an account with somebody else's address. Without SMTP_URL only this answer contains the
 * link. @throws PROJECT_NOT_FOUND (404)
 */
export async function invite(
  deps: InviteDeps,
  project: string,
  { email, role }: { readonly email: string; readonly role: Role },
): Promise<NewInvitation> {
  const { database, origin, meta, jobs, mailer } = deps;
  const invitedBy = callingDeveloper(meta).developer_id;
  const token = newLinkToken();
  const link = `${linkBase(deps)}/invitation#${token}`;
  const row = await database.transaction(async (on) => {
    const isMailed = mailer !== null;
    const values = { hash: sha256(token), project, email, role, invitedBy, isMailed, days: validDays };
    const invitation = await upsertInvitation(on, values);
    if (invitation === undefined) throw new ServiceError('PROJECT_NOT_FOUND');
    await recordAudit(on, origin, {
      action: 'invitation.created',
      subjectId: invitation.id,
      details: { role },
    });
    await mailLink(on, deps, invitation, link);
    return invitation;
  });
  jobs.notify();
  return { ...toInvitation(row), link: mailer === null ? link : null };
}

async function mailLink(
  on: Queryable,
  { mailer, cipher }: InviteDeps,
  { email, expires_at }: InvitationRow,
  link: string,
) {
  if (mailer === null) return;
  await enqueueMail(on, cipher, invitationMail(email, link), expires_at);
}

/** Revokes an invitation of a project. @throws INVITATION_NOT_FOUND (404) */
export async function revokeInvitation(
  { database, origin }: InviteDeps,
  project: string,
  id: string,
): Promise<Invitation> {
  const row = await database.transaction(async (on) => {
    const deleted = await deleteInvitation(on, project, id);
    if (deleted === undefined) throw new ServiceError('INVITATION_NOT_FOUND');
    await recordAudit(on, origin, { action: 'invitation.revoked', subjectId: id });
    return deleted;
  });
  return toInvitation(row);
}

/** The wire format of an invitation's row. */
export function toInvitation(row: InvitationRow): Invitation {
  return {
    id: row.id,
    email: row.email,
    role: row.role,
    invited_by: row.invited_by,
    created_at: formatInstant(row.created_at.getTime()),
    expires_at: formatInstant(row.expires_at.getTime()),
  };
}

type AcceptDeps = Attempting & Pick<AuthDeps, 'database' | 'passwords' | 'origin'>;

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
  deps: AcceptDeps,
  { token, password }: { readonly token: string; readonly password: string },
): Promise<Membership> {
  const hash = sha256(token);
  const open = await selectOpenInvitation(deps.database, hash);
  const { account = null } = open ?? {};
  const joins = account !== null && (account.is_confirmed || open?.confirms === false);
  const counted = joins && open !== undefined ? open.email.toLowerCase() : null;
  return countAttempt(deps, counted, async (priority) => {
    if (open === undefined) throw new ServiceError('INVITATION_NOT_FOUND');
    if (joins) return join(deps, hash, { email: open.email, password }, priority);
    return register(deps, hash, open, password);
  });
}

async function join(
  deps: AcceptDeps,
  hash: string,
  login: { readonly email: string; readonly password: string },
  priority: AttemptPriority,
) {
  const account = await checkPassword(deps, login, priority);
  return asAccount(deps, account.id, (on) => enter(on, deps.origin, hash, account));
}

const shortestPassword = 10;

async function register(
  deps: AcceptDeps,
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
  const account = { id, email, password: await deps.passwords.hash(password) };
  return asAccount(deps, id, async (on) => {
    if (unconfirmed !== null) await takeUnconfirmed(on, deps.origin, account);
    // A concurrent acceptance created the account. Its password was not checked here.
    else if (!(await insertMemberAccount(on, account, confirms)))
      throw new ServiceError('INVITATION_NOT_FOUND');
    return enter(on, deps.origin, hash, { ...account, isNew: true });
  });
}

// An account that was confirmed meanwhile needs its password.
async function takeUnconfirmed(on: Queryable, origin: AuditOrigin, account: Account): Promise<void> {
  if ((await lockConfirmation(on, account.id)) !== false) throw wrongCredentials();
  await takeOver(on, { ...origin, actor: `admin:${account.id}` }, account.id, account.password);
}

const asAccount = <T>({ database, origin }: AcceptDeps, id: string, work: (on: Queryable) => Promise<T>) =>
  acting(database, { ...origin, actor: `admin:${id}` }, work);

async function enter(
  on: Queryable,
  origin: AuditOrigin,
  hash: string,
  account: Account,
): Promise<Membership> {
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
