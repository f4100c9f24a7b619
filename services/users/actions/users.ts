import type { User, UserPage } from '../../../contracts/users.ts';
import { fieldOf } from '../../../domain/error-code.ts';
import { ServiceError, userNotFound } from '../../../domain/errors.ts';
import { formatInstant } from '../../../domain/time/time.ts';
import { recordAuditInOrm } from '../../../mixins/database/audit.ts';
import type { Database, Queryable } from '../../../mixins/database/database.ts';
import type { Orm } from '../../../mixins/database/orm.ts';
import type { AuditOrigin } from '../../../runtime/audit-origin.ts';
import { UserRow } from '../tables/entities.ts';
import {
  isByConnection,
  isByConnectionOnly,
  selectMatchingUsers,
  selectUsersByConnection,
  type UserQuery,
} from '../tables/matching-users.ts';
import { isClosed } from '../tables/projects.ts';
import { type FoundUsers, type ListedUser, selectAllUsers } from '../tables/user-list.ts';
import { insertUser, selectHolder, selectProject, selectUser } from '../tables/users.ts';

/** The wire format of a user's row. */
export function toUser(row: Omit<UserRow, 'deletedAt'>): User {
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
export async function createUser(
  { orm, database }: { readonly orm: Orm; readonly database: Queryable },
  origin: AuditOrigin,
  project: string,
  fields: UserFields,
): Promise<UserRow> {
  const values = names.map((name) => fields[name] ?? null);
  const user = await orm.fork().transactional(async (em) => {
    const id = await insertUser(em, project, values);
    if (id === null) return null;
    await recordAuditInOrm(em, origin, { action: 'user.created', userId: id });
    return em.findOneOrFail(UserRow, { id });
  });
  if (user !== null) return user;
  if (await isClosed(database, project)) throw new ServiceError('PROJECT_NOT_FOUND');
  throw externalUserIdTaken(await selectHolder(database, project, fields.external_user_id ?? null));
}

// The holder is of the project that the caller may read. It is unknown where a concurrent request changed it.
const externalUserIdTaken = (holder: string | null) =>
  new ServiceError(
    'EXTERNAL_USER_ID_TAKEN',
    holder === null ? undefined : `User ${holder} has this external_user_id.`,
  );

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
    try {
      await writeChange(orm, origin, id, fields);
    } catch (error) {
      throw fieldOf(error, 'constraint') === 'person_external_user_id' ? externalUserIdTaken(null) : error;
    }
  }
  return selectUser(database, id);
}

// Checked before the update because PostgreSQL logs a conflict as an error. Of two concurrent changes, one still fails on
// the constraint.
async function refuseTaken(database: Queryable, id: string, { external_user_id }: UserFields): Promise<void> {
  if (external_user_id === undefined || external_user_id === null) return;
  const project = await selectProject(database, id);
  const holder = project === null ? null : await selectHolder(database, project, external_user_id);
  if (holder === null || holder === id) return;
  await selectUser(database, id);
  throw externalUserIdTaken(holder);
}

function writeChange(orm: Orm, origin: AuditOrigin, id: string, fields: UserFields): Promise<void> {
  return orm.fork().transactional(async (em) => {
    // One update statement instead of a loaded row: a concurrent deletion wins.
    const changed = await em.nativeUpdate(UserRow, { id, deletedAt: null }, columnsOf(fields));
    if (changed === 0) throw userNotFound(id);
    const details = { fields: names.filter((name) => fields[name] !== undefined) };
    await recordAuditInOrm(em, origin, { action: 'user.updated', userId: id, details });
  });
}

const names = ['first_name', 'last_name', 'email', 'external_user_id', 'time_zone'] as const;

function columnsOf({ first_name, last_name, email, external_user_id, time_zone }: UserFields) {
  return {
    ...(first_name === undefined ? {} : { firstName: first_name }),
    ...(last_name === undefined ? {} : { lastName: last_name }),
    ...(email === undefined ? {} : { email }),
    ...(external_user_id === undefined ? {} : { externalUserId: external_user_id }),
    ...(time_zone === undefined ? {} : { timeZone: time_zone }),
  };
}
