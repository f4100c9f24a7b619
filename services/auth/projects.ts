import type * as wire from '../../contracts/auth/projects.ts';
import type { Role } from '../../domain/access.ts';
import { ServiceError } from '../../domain/errors.ts';
import { formatInstant, instantOrNull } from '../../domain/time/time.ts';
import type { Database } from '../../mixins/database/database.ts';
import type { AuditOrigin } from '../../runtime/audit-origin.ts';
import { acting } from './actor.ts';
import { type MemberRow, type ProjectRow, upsertMember } from './queries/select-projects.ts';

/** What a change and its audit entry need. */
export interface Acting {
  readonly database: Database;
  readonly origin: AuditOrigin;
}

interface Limits {
  readonly connect_name?: string | null | undefined;
  readonly connect_colour?: string | null | undefined;
  readonly rate_limit_api_key?: number | null | undefined;
  readonly rate_limit_sdk?: number | null | undefined;
}

interface ProjectChange extends Limits {
  readonly name?: string | undefined;
  readonly require_second_factor?: boolean | undefined;
}

/** The columns of a project that a statement has written. Only an owner creates, changes and deletes projects. */
export const returnedProject = `returning id, name, connect_name, connect_colour, connect_logo, rate_limit_api_key, rate_limit_sdk,
    require_second_factor, created_at, deleting_at, 'owner' as role`;

/** Creates a project. @throws PROJECT_ID_TAKEN (409) */
export async function createProject(
  { database, origin }: Acting,
  {
    id,
    name,
    connect_name = null,
    connect_colour = null,
    rate_limit_api_key = null,
    rate_limit_sdk = null,
  }: Limits & { readonly id: string; readonly name: string },
): Promise<wire.Project> {
  const statement = `
    insert into auth.project (id, name, rate_limit_api_key, rate_limit_sdk, connect_name, connect_colour)
    select $1, $2, $3, $4, $5, $6 where not exists (select from auth.former_project where id = $1)
    on conflict do nothing ${returnedProject}`;
  const [row] = await acting(database, origin, (on) =>
    on.query<ProjectRow>(statement, [
      ...[id, name, rate_limit_api_key, rate_limit_sdk],
      ...[connect_name, connect_colour],
    ]),
  );
  if (row === undefined) throw new ServiceError('PROJECT_ID_TAKEN');
  return toProject(row);
}

/** Changes a project. @throws PROJECT_NOT_FOUND (404) */
export async function updateProject(
  { database, origin }: Acting,
  id: string,
  {
    name,
    connect_name,
    connect_colour,
    rate_limit_api_key,
    rate_limit_sdk,
    require_second_factor,
  }: ProjectChange,
): Promise<wire.Project> {
  const statement = `
    update auth.project set name = coalesce($2, name),
      rate_limit_api_key = case when $3 then $4::int else rate_limit_api_key end,
      rate_limit_sdk = case when $5 then $6::int else rate_limit_sdk end,
      connect_name = case when $7 then $8::text else connect_name end,
      require_second_factor = coalesce($9, require_second_factor),
      connect_colour = case when $10 then $11::text else connect_colour end
    where id = $1 ${returnedProject}`;
  const [row] = await acting(database, origin, (on) =>
    on.query<ProjectRow>(statement, [
      ...[id, name ?? null],
      ...[rate_limit_api_key !== undefined, rate_limit_api_key ?? null],
      ...[rate_limit_sdk !== undefined, rate_limit_sdk ?? null],
      ...[connect_name !== undefined, connect_name ?? null],
      require_second_factor ?? null,
      ...[connect_colour !== undefined, connect_colour ?? null],
    ]),
  );
  if (row === undefined) throw new ServiceError('PROJECT_NOT_FOUND');
  return toProject(row);
}

/** Gives an account a role. @throws DEVELOPER_NOT_FOUND (404), ADDRESS_NOT_CONFIRMED (409), OWNER_NEEDS_NO_ROLE (409) */
export async function addMember(
  { database, origin }: Acting,
  project: string,
  given: { readonly email: string; readonly role: Role },
): Promise<wire.Member> {
  const row = await acting(database, origin, (on) => upsertMember(on, project, given));
  if (row !== null) return toMember(row);
  const statement = 'select is_owner from auth.developer where lower(email) = lower($1)';
  const [account] = await database.query<{ is_owner: boolean }>(statement, [given.email.trim()]);
  if (account === undefined) throw new ServiceError('DEVELOPER_NOT_FOUND');
  throw new ServiceError(account.is_owner ? 'OWNER_NEEDS_NO_ROLE' : 'ADDRESS_NOT_CONFIRMED');
}

/** The wire format of a project's row. */
export function toProject({ created_at, deleting_at, ...row }: ProjectRow): wire.Project {
  return {
    ...{ id: row.id, name: row.name, role: row.role },
    ...{ connect_name: row.connect_name, connect_colour: row.connect_colour },
    connect_logo: row.connect_logo === null ? null : `/connect/assets/${row.connect_logo}`,
    ...{ rate_limit_api_key: row.rate_limit_api_key, rate_limit_sdk: row.rate_limit_sdk },
    require_second_factor: row.require_second_factor,
    created_at: formatInstant(created_at.getTime()),
    deleting_since: instantOrNull(deleting_at),
  };
}

/** The wire format of a member's row. */
export function toMember({ created_at, ...row }: MemberRow): wire.Member {
  return {
    developer_id: row.developer_id,
    email: row.email,
    is_confirmed: row.is_confirmed,
    role: row.role,
    created_at: formatInstant(created_at.getTime()),
  };
}
