import type { Role } from '../../../domain/access.ts';
import { firstRow, type Queryable } from '../../../mixins/database/database.ts';

/** An invitation as it is shown. */
export interface InvitationRow {
  readonly id: string;
  readonly email: string;
  readonly role: Role;
  readonly invited_by: string;
  readonly created_at: Date;
  readonly expires_at: Date;
}

const columns = 'id, email, role, invited_by, created_at, expires_at';

/** A new invitation. */
interface NewInvitationRow {
  readonly hash: string;
  readonly project: string;
  readonly email: string;
  readonly role: Role;
  readonly invitedBy: string;
  /** Only a message has the link. */
  readonly isMailed: boolean;
  readonly days: number;
}

/** Stores an invitation in place of one of the same address; undefined if the project or the developer is gone. */
export function upsertInvitation(
  database: Queryable,
  { hash, project, email, role, invitedBy, isMailed, days }: NewInvitationRow,
): Promise<InvitationRow | undefined> {
  const statement = `
    insert into auth.invitation as held (hash, project_id, email, role, invited_by, expires_at, confirms)
    select $1, p.id, $3, $4, d.id, now() + make_interval(days => $6), $7 or d.is_owner
    from auth.project p, auth.developer d where p.id = $2 and d.id = $5
    on conflict (project_id, lower(email)) do update set id = gen_random_uuid(), hash = excluded.hash,
      email = excluded.email, role = excluded.role, invited_by = excluded.invited_by, created_at = now(),
      expires_at = excluded.expires_at, confirms = excluded.confirms
    returning ${columns}`;
  const values = [hash, project, email, role, invitedBy, days, isMailed];
  return firstRow(database, statement, values);
}

/** The open invitations to a project, newest first. */
export function selectInvitations(database: Queryable, project: string): Promise<InvitationRow[]> {
  const statement = `
    select ${columns} from auth.invitation where project_id = $1 and expires_at > now()
    order by created_at desc, id limit 1000`;
  return database.query<InvitationRow>(statement, [project]);
}

/** Deletes an open invitation of a project; undefined if there is none. */
export function deleteInvitation(
  database: Queryable,
  project: string,
  id: string,
): Promise<InvitationRow | undefined> {
  const statement = `
    delete from auth.invitation where project_id = $1 and id = $2 and expires_at > now() returning ${columns}`;
  return firstRow(database, statement, [project, id]);
}

/** An open invitation, and the account of its address. */
export interface OpenInvitation {
  readonly email: string;
  /** Its acceptance confirms the address. */
  readonly confirms: boolean;
  readonly account: { readonly id: string; readonly is_confirmed: boolean } | null;
}

/** The open invitation of a link; undefined if it is used, revoked, expired or unknown. */
export function selectOpenInvitation(database: Queryable, hash: string): Promise<OpenInvitation | undefined> {
  const statement = `
    select i.email, i.confirms, case when d.id is not null then
      jsonb_build_object('id', d.id, 'is_confirmed', d.is_owner or d.confirmed_at is not null) end as account
    from auth.invitation i left join auth.developer d on lower(d.email) = lower(i.email)
    where i.hash = $1 and i.expires_at > now()`;
  return firstRow(database, statement, [hash]);
}

/** An invitation that was used up. */
interface UsedInvitation {
  readonly id: string;
  readonly project_id: string;
  readonly email: string;
  readonly role: Role;
}

/** Consumes an invitation. Of several concurrent uses only one gets the row, the others get undefined. */
export function useInvitation(database: Queryable, hash: string): Promise<UsedInvitation | undefined> {
  const statement =
    'delete from auth.invitation where hash = $1 and expires_at > now() returning id, project_id, email, role';
  return firstRow(database, statement, [hash]);
}

/** Whether the account `d` may get a role in the project `$1`: its address is confirmed, or it has one there. */
export const mayJoin = `(d.confirmed_at is not null
  or exists (select from auth.member own where own.developer_id = d.id and own.project_id = $1))`;

/** Makes an account that is no owner; false if the address has one. */
export async function insertMemberAccount(
  database: Queryable,
  account: { readonly id: string; readonly email: string; readonly password: string },
  isConfirmed: boolean,
): Promise<boolean> {
  const statement = `
    insert into auth.developer (id, email, password, is_owner, confirmed_at)
    values ($1, $2, $3, false, case when $4 then now() end)
    on conflict (lower(email)) do nothing returning id`;
  const values = [account.id, account.email, account.password, isConfirmed];
  return (await database.query(statement, values)).length === 1;
}

/**
 * Gives a developer a role in a project. False for an owner, if the password has changed since it was checked, and for an
 * account without a confirmed address, unless `isNew`, or it is a member already.
 */
export async function upsertInvited(
  database: Queryable,
  { project_id, role }: Pick<UsedInvitation, 'project_id' | 'role'>,
  developer: { readonly id: string; readonly password: string; readonly isNew: boolean },
): Promise<boolean> {
  const statement = `
    insert into auth.member (project_id, developer_id, role)
    select $1, id, $2 from auth.developer d where id = $3 and password = $4 and not is_owner and ($5 or ${mayJoin})
    for share
    on conflict (developer_id, project_id) do update set role = excluded.role returning role`;
  const values = [project_id, role, developer.id, developer.password, developer.isNew];
  return (await database.query(statement, values)).length === 1;
}
