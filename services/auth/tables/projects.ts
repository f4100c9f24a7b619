import type { auth } from '../../../contracts/auth.ts';
import type { Role } from '../../../domain/access.ts';
import { defaultProject } from '../../../domain/access.ts';
import type { ParamsOf } from '../../../domain/contract.ts';
import { firstRow, type Queryable } from '../../../mixins/database/database.ts';
import { mayJoin } from './invitations.ts';

/** A project as a developer sees it. */
export interface ProjectRow {
  readonly id: string;
  readonly name: string;
  readonly role: Role | 'owner';
  readonly connect_name: string | null;
  readonly connect_colour: string | null;
  /** The name of the file. */
  readonly connect_logo: string | null;
  readonly rate_limit_api_key: number | null;
  readonly rate_limit_sdk: number | null;
  readonly require_second_factor: boolean;
  readonly created_at: Date;
  readonly deleting_at: Date | null;
}

const columns = `p.id, p.name, p.connect_name, p.connect_colour, p.connect_logo, p.rate_limit_api_key, p.rate_limit_sdk,
  p.require_second_factor, p.created_at, p.deleting_at`;

/** The columns of a project that a statement has written. Only an owner creates, changes and deletes projects. */
const returnedProject = `returning id, name, connect_name, connect_colour, connect_logo, rate_limit_api_key, rate_limit_sdk,
    require_second_factor, created_at, deleting_at, 'owner' as role`;

/** A new project. */
export type NewProject = ParamsOf<typeof auth, 'createProject'>;

/** What is changed of a project. */
export type ProjectChange = Omit<ParamsOf<typeof auth, 'updateProject'>, 'project_id'>;

/** The settings of a project that may be unset. */
type ProjectSetting = 'connect_name' | 'connect_colour' | 'rate_limit_api_key' | 'rate_limit_sdk';

/** Inserts a project. Undefined if a project has or had the id. */
export function insertProject(on: Queryable, project: NewProject): Promise<ProjectRow | undefined> {
  return firstRow(
    on,
    `insert into auth.project (id, name, rate_limit_api_key, rate_limit_sdk, connect_name, connect_colour)
     select $1, $2, $3, $4, $5, $6 where not exists (select from auth.former_project where id = $1)
     on conflict do nothing ${returnedProject}`,
    [
      project.id,
      project.name,
      project.rate_limit_api_key ?? null,
      project.rate_limit_sdk ?? null,
      project.connect_name ?? null,
      project.connect_colour ?? null,
    ],
  );
}

/** Changes a project. A setting that is undefined keeps its value. Undefined if there is no such project. */
export function changeProject(
  on: Queryable,
  id: string,
  change: ProjectChange,
): Promise<ProjectRow | undefined> {
  const setting = (name: ProjectSetting) => [change[name] !== undefined, change[name] ?? null];
  return firstRow(
    on,
    `update auth.project set name = coalesce($2, name), require_second_factor = coalesce($3, require_second_factor),
       rate_limit_api_key = case when $4 then $5::int else rate_limit_api_key end,
       rate_limit_sdk = case when $6 then $7::int else rate_limit_sdk end,
       connect_name = case when $8 then $9::text else connect_name end,
       connect_colour = case when $10 then $11::text else connect_colour end
     where id = $1 ${returnedProject}`,
    [
      id,
      change.name ?? null,
      change.require_second_factor ?? null,
      ...setting('rate_limit_api_key'),
      ...setting('rate_limit_sdk'),
      ...setting('connect_name'),
      ...setting('connect_colour'),
    ],
  );
}

/** The projects that a developer may enter, by id: all for an owner. */
export function selectProjects(database: Queryable, developerId: string): Promise<ProjectRow[]> {
  const statement = `
    select ${columns}, case when d.is_owner then 'owner' else m.role end as role
    from auth.developer d cross join auth.project p
    left join auth.member m on m.developer_id = d.id and m.project_id = p.id
    where d.id = $1 and (d.is_owner or m.role is not null) order by p.id limit 1000`;
  return database.query<ProjectRow>(statement, [developerId]);
}

/** Whether there is a project besides the default one. */
export async function hasFurtherProjects(database: Queryable): Promise<boolean> {
  return (await database.query('select from auth.project where id <> $1', [defaultProject])).length > 0;
}

/** What the connect page shows; null for that of the installation. */
type BrandRow = Pick<ProjectRow, 'connect_name' | 'connect_colour' | 'connect_logo'>;

/** The name, the colour and the logo of the connect page. */
export async function selectBrand(database: Queryable, project: string): Promise<BrandRow> {
  const statement = 'select connect_name, connect_colour, connect_logo from auth.project where id = $1';
  const [row] = await database.query<BrandRow>(statement, [project]);
  return row ?? { connect_name: null, connect_colour: null, connect_logo: null };
}

/** A project as its owner sees it; null if there is none. */
export async function selectProject(database: Queryable, id: string): Promise<ProjectRow | null> {
  const statement = `select ${columns}, 'owner' as role from auth.project p where p.id = $1`;
  return (await firstRow<ProjectRow>(database, statement, [id])) ?? null;
}

/** A member of a project. */
export interface MemberRow {
  readonly developer_id: string;
  readonly email: string;
  readonly is_confirmed: boolean;
  readonly role: Role;
  readonly created_at: Date;
}

const memberColumns =
  'm.developer_id, d.email, d.is_owner or d.confirmed_at is not null as is_confirmed, m.role, m.created_at';

/** The members of a project, newest first. */
export function selectMembers(database: Queryable, project: string): Promise<MemberRow[]> {
  const statement = `
    select ${memberColumns} from auth.member m join auth.developer d on d.id = m.developer_id
    where m.project_id = $1 order by m.created_at desc, d.id limit 1000`;
  return database.query<MemberRow>(statement, [project]);
}

/**
 * Makes a developer a member, or changes the role; null for an address without an account, for one that is not confirmed and
 * for an owner.
 */
export async function upsertMember(
  database: Queryable,
  project: string,
  { email, role }: { readonly email: string; readonly role: Role },
): Promise<MemberRow | null> {
  const statement = `
    with d as (
      select id, email, is_owner, confirmed_at from auth.developer d
      where lower(email) = lower($2) and not is_owner and ${mayJoin}
    ),
    m as (
      insert into auth.member (project_id, developer_id, role) select $1, id, $3 from d
      on conflict (developer_id, project_id) do update set role = excluded.role
      returning *
    )
    select ${memberColumns} from m join d on d.id = m.developer_id`;
  return (await firstRow<MemberRow>(database, statement, [project, email.trim(), role])) ?? null;
}

/** Removes a member; null if there is none. */
export async function deleteMember(
  database: Queryable,
  project: string,
  developerId: string,
): Promise<MemberRow | null> {
  const statement = `
    with m as (delete from auth.member where project_id = $1 and developer_id = $2 returning *)
    select ${memberColumns} from m join auth.developer d on d.id = m.developer_id`;
  return (await firstRow<MemberRow>(database, statement, [project, developerId])) ?? null;
}

/** Marks a project as being deleted: its credentials are refused. Null if there is none. */
export async function markDeleting(
  transaction: Queryable,
  id: string,
): Promise<{ readonly project: ProjectRow; readonly isNew: boolean } | null> {
  const lock = 'select deleting_at is null as is_new from auth.project where id = $1 for update';
  const [locked] = await transaction.query<{ is_new: boolean }>(lock, [id]);
  const change = `update auth.project set deleting_at = coalesce(deleting_at, now()) where id = $1 ${returnedProject}`;
  const [project] = await transaction.query<ProjectRow>(change, [id]);
  return project === undefined ? null : { project, isNew: locked?.is_new === true };
}

/** Stores the number of users that a project had when it was closed, once. */
export async function noteDeletingUsers(database: Queryable, id: string, users: number): Promise<void> {
  await database.query(
    'update auth.project set deleting_users = $2 where id = $1 and deleting_users is null',
    [id, users],
  );
}

/** The users of a project who were deleted since an instant, and whose samples and records are not erased yet. */
export async function countUnerased(database: Queryable, project: string, since: Date): Promise<number> {
  const [row] = await database.query<{ n: number }>(
    `select count(*)::int as n from auth.audit_entry d
     where d.project_id = $1 and d.action = 'user.deleted' and d.at >= $2
       and not exists (
         select from auth.audit_entry e
         where e.project_id = $1 and e.action = 'user.erased' and e.user_id = d.user_id)`,
    [project, since],
  );
  return row?.n ?? 0;
}

const counts = `
  select jsonb_build_object(
    'project', p.id,
    'users', coalesce($2::int, p.deleting_users, 0),
    'api_keys', (select count(*) from auth.api_key where project_id = p.id),
    'applications', (select count(*) from auth.application where project_id = p.id),
    'members', (select count(*) from auth.member where project_id = p.id),
    'endpoints', $3::int)::text as details
  from auth.project p where p.id = $1`;

const deletion = `
  with former as (
    insert into auth.former_project (id) select id from auth.project where id = $1 on conflict do nothing
  ), totals as (delete from auth.access_total where project_id = $1)
  delete from auth.project where id = $1 ${returnedProject}`;

/** Deletes a project with its keys, applications and members. Its audit entry has the numbers. Null if there is none. */
export async function deleteProject(
  transaction: Queryable,
  id: string,
  { users, endpoints }: { readonly users: number | null; readonly endpoints: number },
): Promise<ProjectRow | null> {
  const [counted] = await transaction.query<{ details: string }>(counts, [id, users, endpoints]);
  await transaction.query("select set_config('auth.details', $1, true)", [counted?.details ?? '']);
  return (await firstRow<ProjectRow>(transaction, deletion, [id])) ?? null;
}

/** Serialises the changes of the logo of a project until the transaction ends. */
export async function lockProject(transaction: Queryable, project: string): Promise<void> {
  await transaction.query('select from auth.project where id = $1 for update', [project]);
}

/** Stores a logo of a project; a former one is kept for the links that show it. Nothing is stored for an unknown project. */
export async function insertLogo(
  database: Queryable,
  project: string,
  { name, content }: { readonly name: string; readonly content: Buffer },
): Promise<void> {
  const statement = `
    insert into auth.connect_logo (project_id, name, content) select id, $2, $3 from auth.project where id = $1
    on conflict (project_id, name) do update set replaced_at = null`;
  await database.query(statement, [project, name, content]);
}

/** Marks the logos of a project as replaced, except one. They are deleted an hour later. */
export async function replaceLogos(database: Queryable, project: string, kept: string | null): Promise<void> {
  const statement = `
    update auth.connect_logo set replaced_at = now()
    where project_id = $1 and name is distinct from $2 and replaced_at is null`;
  await database.query(statement, [project, kept]);
}

/** Sets the name of the logo of a project; null removes it. Undefined if there is no such project. */
export function setConnectLogo(
  on: Queryable,
  project: string,
  name: string | null,
): Promise<ProjectRow | undefined> {
  const statement = `update auth.project set connect_logo = $2 where id = $1 ${returnedProject}`;
  return firstRow(on, statement, [project, name]);
}

/** The content of a logo. Null: no project has it. */
export async function selectLogo(database: Queryable, name: string): Promise<Buffer | null> {
  const statement = 'select content from auth.connect_logo where name = $1 limit 1';
  const [row] = await database.query<{ content: Buffer }>(statement, [name]);
  return row?.content ?? null;
}
