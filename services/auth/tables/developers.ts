import type { Role } from '../../../domain/access.ts';
import { ServiceError } from '../../../domain/errors.ts';
import { type Database, firstRow, type Queryable } from '../../../mixins/database/database.ts';
import type { AuditOrigin } from '../../../runtime/audit-origin.ts';
import { acting } from './acting.ts';
import type { Developer } from './entities.ts';

/** The maximum length of a list of keys, applications or developers. */
const mostListed = 1000;
/** The order and the maximum length of lists of keys, applications and developers. */
export const newestFirst = `order by created_at desc, id desc limit ${mostListed}`;

/** An account without its password. */
export type ShownDeveloper = Pick<Developer, 'id' | 'email' | 'createdAt' | 'isOwner' | 'confirmedAt'>;
const shownDeveloper =
  'id, email, created_at as "createdAt", is_owner as "isOwner", confirmed_at as "confirmedAt"';
const ofDeveloper = `select ${shownDeveloper} from auth.developer`;

/** Locks an account. Returns whether its address is confirmed, as that of every owner; undefined without an account. */
export async function lockConfirmation(on: Queryable, id: string): Promise<boolean | undefined> {
  const statement =
    'select is_owner or confirmed_at is not null as confirmed from auth.developer where id = $1 for update';
  const [row] = await on.query<{ confirmed: boolean }>(statement, [id]);
  return row?.confirmed;
}

/** Whether the account of an e-mail address is an owner; undefined without an account. */
export function selectOwnership(
  database: Queryable,
  email: string,
): Promise<{ readonly is_owner: boolean } | undefined> {
  const statement = 'select is_owner from auth.developer where lower(email) = lower($1)';
  return firstRow(database, statement, [email.trim()]);
}

/** The e-mail addresses of all accounts, the oldest account first. */
export async function selectEmails(database: Queryable): Promise<string[]> {
  const statement = 'select email from auth.developer order by created_at, id';
  return (await database.query<{ email: string }>(statement)).map(({ email }) => email);
}

/** Inserts the account of an owner. */
export async function insertOwner(on: Queryable, email: string, passwordHash: string): Promise<void> {
  await on.query(
    'insert into auth.developer (email, password, is_owner, confirmed_at) values ($1, $2, true, now())',
    [email, passwordHash],
  );
}

/** Whether a developer has ever logged in. */
export async function hasLoggedIn(database: Queryable, id: string): Promise<boolean> {
  const statement =
    "select from auth.audit_entry where actor = $1 and action = 'developer.logged_in' limit 1";
  return (await database.query(statement, [`admin:${id}`])).length > 0;
}

/** Sets the hash of the password of an account. */
export async function updatePassword(on: Queryable, id: string, hash: string): Promise<void> {
  await on.query('update auth.developer set password = $2 where id = $1', [id, hash]);
}

/** Replaces the hash of a password. False if the password has changed since it was checked. */
export async function replacePassword(
  on: Queryable,
  id: string,
  { checked, next }: { readonly checked: string; readonly next: string },
): Promise<boolean> {
  const statement = 'update auth.developer set password = $3 where id = $1 and password = $2 returning id';
  return (await on.query(statement, [id, checked, next])).length > 0;
}

/** The accounts of developers, newest first. */
export const selectDevelopers = (database: Queryable): Promise<ShownDeveloper[]> =>
  database.query(`${ofDeveloper} ${newestFirst}`);

/** An account. Undefined if there is none. */
export function selectDeveloper(database: Queryable, id: string): Promise<ShownDeveloper | undefined> {
  return firstRow(database, `${ofDeveloper} where id = $1`, [id]);
}

/**
 * Confirms the address of an account. An address that was confirmed before keeps its time. Undefined if there is no
 * account.
 */
export function confirmAddress(on: Queryable, id: string): Promise<ShownDeveloper | undefined> {
  const statement = `
    update auth.developer set confirmed_at = coalesce(confirmed_at, now()) where id = $1 returning ${shownDeveloper}`;
  return firstRow(on, statement, [id]);
}

/** A developer's stored password, and whether they have logged in from the requesting address before. */
export interface PasswordRow {
  readonly id: string;
  readonly password: string;
  readonly isKnown: boolean;
}

const passwordOf = `
  select id, password, exists (
    select from auth.known_log_in
    where developer_id = developer.id and address_hash = sha256(convert_to($2, 'UTF8'))
  ) as "isKnown"
  from auth.developer where lower(email) = lower($1)`;

/** The password of an account, by e-mail in any case; null when there is no such account. */
export async function selectPassword(
  database: Queryable,
  email: string,
  address = '',
): Promise<PasswordRow | null> {
  return (await firstRow<PasswordRow>(database, passwordOf, [email.trim(), address])) ?? null;
}

/**
 * Deletes a developer with the sessions and issued tokens. All rows are locked first, in one order: if two owners
 * delete each other at the same time, one of them remains. @throws DEVELOPER_NOT_FOUND (404), LAST_DEVELOPER (409)
 */
export function deleteDeveloper(
  database: Database,
  origin: AuditOrigin,
  id: string,
): Promise<ShownDeveloper> {
  return acting(database, origin, async (transaction) => {
    const all = await transaction.query<{ id: string; is_owner: boolean }>(
      'select id, is_owner from auth.developer order by id for update',
    );
    if (!all.some((developer) => developer.id === id)) throw new ServiceError('DEVELOPER_NOT_FOUND');
    if (!all.some((developer) => developer.is_owner && developer.id !== id))
      throw new ServiceError('LAST_DEVELOPER');
    const statement = `delete from auth.developer where id = $1 returning ${shownDeveloper}`;
    const [deleted] = await transaction.query<ShownDeveloper>(statement, [id]);
    if (deleted === undefined) throw new ServiceError('DEVELOPER_NOT_FOUND');
    return deleted;
  });
}

interface Subject {
  readonly issuer: string;
  readonly subject: string;
}

/** An account that a sign-in with a provider may be of. */
interface BoundAccount {
  readonly id: string;
  /** It is bound to this subject; otherwise it has the address. */
  readonly isBound: boolean;
  /** It is bound, or its address was confirmed: an account that somebody else made is not bound. */
  readonly isConfirmed: boolean;
  /** It is bound to another subject of the issuer. */
  readonly isOthers: boolean;
}

/** The account that is bound to a subject, otherwise the one with the address; undefined without either. */
export function selectBoundAccount(
  on: Queryable,
  { issuer, subject }: Subject,
  email: string,
): Promise<BoundAccount | undefined> {
  const statement = `
    select d.id, i.subject is not distinct from $2 as "isBound", i.subject is not null and i.subject <> $2 as "isOthers",
      i.subject is not null or d.is_owner or d.confirmed_at is not null as "isConfirmed"
    from auth.developer d left join auth.identity i on i.developer_id = d.id and i.issuer = $1
    where i.subject = $2 or (lower(d.email) = lower($3)
      and not exists (select from auth.identity own where own.issuer = $1 and own.subject = $2))`;
  return firstRow(on, statement, [issuer, subject, email]);
}

/** Binds an account to a subject. False if a concurrent sign-in bound the account or the subject differently. */
export async function insertIdentity(
  on: Queryable,
  { issuer, subject }: Subject,
  developerId: string,
): Promise<boolean> {
  const statement = `
    insert into auth.identity (issuer, subject, developer_id) values ($1, $2, $3)
    on conflict do nothing returning developer_id`;
  if ((await on.query(statement, [issuer, subject, developerId])).length === 1) return true;
  const same = 'select from auth.identity where issuer = $1 and subject = $2 and developer_id = $3';
  return (await on.query(same, [issuer, subject, developerId])).length === 1;
}

/** A role in a project. */
export interface GivenRole {
  readonly project: string;
  readonly role: Role;
}

/**
 * Gives a developer the roles that a provider states, and none in the other projects of `decided`; returns those that lost
 * the member. An owner keeps every permission without a role; a project that does not exist has no members.
 */
export async function setRoles(
  on: Queryable,
  developerId: string,
  { roles, decided }: { readonly roles: readonly GivenRole[]; readonly decided: readonly string[] },
): Promise<string[]> {
  const projects = roles.map(({ project }) => project);
  const left = await on.query<{ project_id: string }>(
    'delete from auth.member where developer_id = $1 and project_id = any($2) and project_id <> all($3) returning project_id',
    [developerId, decided, projects],
  );
  await on.query(
    `insert into auth.member as held (project_id, developer_id, role)
     select p.id, d.id, g.role from unnest($2::text[], $3::text[]) g (project, role)
     join auth.project p on p.id = g.project join auth.developer d on d.id = $1 and not d.is_owner
     on conflict (developer_id, project_id) do update set role = excluded.role where held.role <> excluded.role`,
    [developerId, projects, roles.map(({ role }) => role)],
  );
  return left.map(({ project_id }) => project_id);
}

/** Stores a link that sets the password of an account; undefined if no account has the address. */
export function insertResetLink(
  database: Queryable,
  { hash, email, seconds }: { readonly hash: string; readonly email: string; readonly seconds: number },
): Promise<{ readonly email: string; readonly expires_at: Date } | undefined> {
  const statement = `
    with account as (select id, email from auth.developer where lower(email) = lower($2)),
    made as (
      insert into auth.reset_link (hash, developer_id, expires_at)
      select $1, id, now() + make_interval(secs => $3) from account returning expires_at
    )
    select email, expires_at from made, account`;
  return firstRow(database, statement, [hash, email, seconds]);
}

/** The account of a link; undefined if the link is used, expired or unknown. */
export function selectResetAccount(
  database: Queryable,
  hash: string,
): Promise<{ readonly id: string; readonly email: string } | undefined> {
  const statement = `
    select d.id, d.email from auth.reset_link l join auth.developer d on d.id = l.developer_id
    where l.hash = $1 and l.expires_at > now()`;
  return firstRow(database, statement, [hash]);
}

/** Consumes a link of an account. Of several concurrent uses only one returns true. */
export async function useResetLink(on: Queryable, hash: string, developerId: string): Promise<boolean> {
  // The account is locked before the links. A change of the password locks in the same order.
  await on.query('select from auth.developer where id = $1 for update', [developerId]);
  const used = await on.query(
    'delete from auth.reset_link where hash = $1 and developer_id = $2 and expires_at > now() returning hash',
    [hash, developerId],
  );
  return used.length === 1;
}
