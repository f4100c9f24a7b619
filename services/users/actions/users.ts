import type { PostgreSqlDriver, SqlEntityManager } from '@mikro-orm/postgresql';
import type * as wire from '../../../contracts/users.ts';
import type { User, UserPage } from '../../../contracts/users.ts';
import { fieldOf } from '../../../domain/error-code.ts';
import { ServiceError, userNotFound } from '../../../domain/errors.ts';
import { formatInstant, instantOrNull } from '../../../domain/time/time.ts';
import { recordAuditInOrm } from '../../../mixins/database/audit.ts';
import type { Database, Queryable } from '../../../mixins/database/database.ts';
import type { Orm } from '../../../mixins/database/orm.ts';
import type { AuditOrigin } from '../../../runtime/audit-origin.ts';
import type { ShownConnection } from '../tables/connections.ts';
import { UserRow } from '../tables/entities.ts';
import {
  isByConnection,
  isByConnectionOnly,
  selectMatchingUsers,
  selectUsersByConnection,
  type UserQuery,
} from '../tables/matching-users.ts';
import { type FoundUsers, type ListedUser, selectAllUsers } from '../tables/user-list.ts';
import { selectUser } from '../tables/users.ts';

/** The wire format of a user's row. */
export function toUser(row: Omit<UserRow, 'deletedAt'>): wire.User {
  return {
    id: row.id,
    created_at: formatInstant(row.createdAt.getTime()),
    first_name: row.firstName ?? null,
    last_name: row.lastName ?? null,
    email: row.email ?? null,
    external_user_id: row.externalUserId ?? null,
    time_zone: row.timeZone ?? null,
  };
}

/** The wire format of a connection's row, without the tokens. */
export function toConnection(row: ShownConnection): wire.Connection {
  return {
    id: row.id,
    user_id: row.userId,
    provider: row.provider,
    provider_user_id: row.providerUserId,
    status: row.status,
    scope: row.scope,
    created_at: formatInstant(row.createdAt.getTime()),
    updated_at: formatInstant(row.updatedAt.getTime()),
    last_synced_at: row.lastSyncedAt ? formatInstant(row.lastSyncedAt.getTime()) : null,
    access_expires_at: row.accessToken ? instantOrNull(row.expiresAt ?? null) : null,
    privacy: row.privacy ?? null,
  };
}

/** One page of users with the number of all matching users. */
export async function listUsers(
  database: Database,
  project: string,
  query: UserQuery & { readonly page: number; readonly limit: number },
): Promise<UserPage> {
  const { page, limit } = query;
  const offset = (page - 1) * limit;
  const { users, total } = await selectUsers(database, project, query, offset, limit);
  return { items: users.map(toUser), total, page, limit, pages: Math.ceil(total / limit) };
}

function selectUsers(
  database: Database,
  project: string,
  query: UserQuery,
  offset: number,
  limit: number,
): Promise<FoundUsers> {
  if (isByConnectionOnly(query)) return selectUsersByConnection(database, project, query, offset, limit);
  if (isNarrowed(query)) return selectMatchingUsers(database, project, query, offset, limit);
  return selectAllUsers(database, project, { ...query, offset, limit });
}

function isNarrowed(query: UserQuery): boolean {
  const { search = '', email, external_user_id } = query;
  return search !== '' || email !== undefined || external_user_id !== undefined || isByConnection(query);
}

/** The fields of a user that a caller may set. Null clears a field; an omitted field is unchanged. */
type UserFields = {
  readonly [K in Exclude<keyof User, 'id' | 'created_at'>]?: string | null | undefined;
};

/** Creates a user. @throws EXTERNAL_USER_ID_TAKEN (409), PROJECT_NOT_FOUND (404) for one that is being deleted */
export function createUser(
  orm: Orm,
  origin: AuditOrigin,
  project: string,
  fields: UserFields,
): Promise<UserRow> {
  return orm.fork().transactional(async (em) => {
    const rows = await em.execute<{ id: string }[]>(insert, [
      project,
      ...names.map((name) => fields[name] ?? null),
      project,
    ]);
    const [row] = rows;
    if (row === undefined) throw await refusalOf(em, project, fields.external_user_id ?? null);
    await recordAuditInOrm(em, origin, { action: 'user.created', userId: row.id });
    return em.findOneOrFail(UserRow, { id: row.id });
  });
}

async function refusalOf(
  em: SqlEntityManager<PostgreSqlDriver>,
  project: string,
  externalId: string | null,
): Promise<ServiceError> {
  const closed = await em.execute('select from users.closed_project where project_id = ?', [project]);
  if (closed.length > 0) return new ServiceError('PROJECT_NOT_FOUND');
  const [holder] = await em.execute<{ id: string }[]>(
    'select id from users.person where project_id = ? and external_user_id = ? and deleted_at is null',
    [project, externalId],
  );
  return externalUserIdTaken(holder?.id);
}

// The holder is of the project that the caller may read. It is unknown where a concurrent request changed it.
const externalUserIdTaken = (holder?: string) =>
  new ServiceError('EXTERNAL_USER_ID_TAKEN', holder && `User ${holder} has this external_user_id.`);

// `on conflict do nothing`: a taken id is a normal outcome, and PostgreSQL logs a violated constraint as an error.
const insert = `
  insert into users.person (project_id, first_name, last_name, email, external_user_id, time_zone)
  select ?, ?, ?, ?, ?, ? where users.is_open(?)
  on conflict (project_id, external_user_id) where deleted_at is null do nothing returning id`;

/** Updates a user. @throws USER_NOT_FOUND (404), EXTERNAL_USER_ID_TAKEN (409) */
export async function updateUser(
  { orm, database }: { readonly orm: Orm; readonly database: Queryable },
  origin: AuditOrigin,
  id: string,
  fields: UserFields,
): Promise<ListedUser> {
  const change = columnsOf(fields);
  if (Object.keys(change).length > 0) {
    await refuseTaken(database, id, fields);
    await unlessTaken(writeChange(orm, origin, id, fields));
  }
  return selectUser(database, id);
}

// Checked before the update because PostgreSQL logs the conflict as an error. Of two concurrent changes, one still fails on
// the constraint.
async function refuseTaken(database: Queryable, id: string, { external_user_id }: UserFields): Promise<void> {
  if (external_user_id === undefined || external_user_id === null) return;
  const holder = await selectHolder(database, id, external_user_id);
  if (holder === null || holder === id) return;
  await selectUser(database, id);
  throw externalUserIdTaken(holder);
}

async function selectHolder(database: Queryable, id: string, externalId: string): Promise<string | null> {
  const statement = `
    select held.id from users.person p join users.person held
      on held.project_id = p.project_id and held.external_user_id = $2 and held.deleted_at is null
    where p.id = $1`;
  const [row] = await database.query<{ id: string }>(statement, [id, externalId]);
  return row?.id ?? null;
}

function writeChange(orm: Orm, origin: AuditOrigin, id: string, fields: UserFields): Promise<void> {
  return orm.fork().transactional(async (em) => {
    // One update statement instead of a loaded row: a concurrent deletion wins.
    const changed = await em.nativeUpdate(UserRow, { id, deletedAt: null }, columnsOf(fields));
    if (changed === 0) throw userNotFound(id);
    const details = { fields: namesOf(fields) };
    await recordAuditInOrm(em, origin, { action: 'user.updated', userId: id, details });
  });
}

const names = ['first_name', 'last_name', 'email', 'external_user_id', 'time_zone'] as const;

function namesOf(fields: UserFields): string[] {
  return names.filter((name) => fields[name] !== undefined);
}

function columnsOf({ first_name, last_name, email, external_user_id, time_zone }: UserFields) {
  return {
    ...(first_name === undefined ? {} : { firstName: first_name }),
    ...(last_name === undefined ? {} : { lastName: last_name }),
    ...(email === undefined ? {} : { email }),
    ...(external_user_id === undefined ? {} : { externalUserId: external_user_id }),
    ...(time_zone === undefined ? {} : { timeZone: time_zone }),
  };
}

async function unlessTaken<T>(writing: Promise<T>): Promise<T> {
  try {
    return await writing;
  } catch (error) {
    throw violates(error, 'person_external_user_id') ? externalUserIdTaken() : error;
  }
}

/** Whether a database error, from pg or the ORM, is a violation of the named constraint or unique index. */
function violates(error: unknown, constraint: string): boolean {
  return fieldOf(error, 'constraint') === constraint;
}
