import type { Role } from '../../../domain/access.ts';
import type { Queryable } from '../../../mixins/database/database.ts';

interface Subject {
  readonly issuer: string;
  readonly subject: string;
}

/** An account that a sign-in with a provider may be of. */
export interface BoundAccount {
  readonly id: string;
  /** It is bound to this subject; otherwise it has the address. */
  readonly isBound: boolean;
  /** It is bound, or its address was confirmed: an account that somebody else made is not bound. */
  readonly isConfirmed: boolean;
  /** It is bound to another subject of the issuer. */
  readonly isOthers: boolean;
}

/** The account that is bound to a subject, otherwise the one with the address; undefined without either. */
export async function selectBoundAccount(
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
  const [row] = await on.query<BoundAccount>(statement, [issuer, subject, email]);
  return row;
}

/** Binds an account to a subject; false if another sign-in did so at the same time with another one. */
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
  { given, decided }: { readonly given: readonly GivenRole[]; readonly decided: readonly string[] },
): Promise<string[]> {
  const projects = given.map(({ project }) => project);
  const left = await on.query<{ project_id: string }>(
    'delete from auth.member where developer_id = $1 and project_id = any($2) and project_id <> all($3) returning project_id',
    [developerId, decided, projects],
  );
  await on.query(
    `insert into auth.member as held (project_id, developer_id, role)
     select p.id, d.id, g.role from unnest($2::text[], $3::text[]) g (project, role)
     join auth.project p on p.id = g.project join auth.developer d on d.id = $1 and not d.is_owner
     on conflict (developer_id, project_id) do update set role = excluded.role where held.role <> excluded.role`,
    [developerId, projects, given.map(({ role }) => role)],
  );
  return left.map(({ project_id }) => project_id);
}
