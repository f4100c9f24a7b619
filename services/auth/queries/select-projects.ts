import type { Role } from '../../../domain/access.ts';
import type { Queryable } from '../../../mixins/database/database.ts';
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

/** The projects that a developer may enter, by id: all for an owner. */
export function selectProjects(database: Queryable, developerId: string): Promise<ProjectRow[]> {
  const statement = `
    select ${columns}, case when d.is_owner then 'owner' else m.role end as role
    from auth.developer d cross join auth.project p
    left join auth.member m on m.developer_id = d.id and m.project_id = p.id
    where d.id = $1 and (d.is_owner or m.role is not null) order by p.id limit 1000`;
  return database.query<ProjectRow>(statement, [developerId]);
}

/** What the connect page shows; null for that of the installation. */
export type BrandRow = Pick<ProjectRow, 'connect_name' | 'connect_colour' | 'connect_logo'>;

/** The name, the colour and the logo of the connect page. */
export async function selectBrand(database: Queryable, project: string): Promise<BrandRow> {
  const statement = 'select connect_name, connect_colour, connect_logo from auth.project where id = $1';
  const [row] = await database.query<BrandRow>(statement, [project]);
  return row ?? { connect_name: null, connect_colour: null, connect_logo: null };
}

/** A project as its owner sees it; null if there is none. */
export async function selectProject(database: Queryable, id: string): Promise<ProjectRow | null> {
  const statement = `select ${columns}, 'owner' as role from auth.project p where p.id = $1`;
  const [row] = await database.query<ProjectRow>(statement, [id]);
  return row ?? null;
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
  const [row] = await database.query<MemberRow>(statement, [project, email.trim(), role]);
  return row ?? null;
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
  const [row] = await database.query<MemberRow>(statement, [project, developerId]);
  return row ?? null;
}
