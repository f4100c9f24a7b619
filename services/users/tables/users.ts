import type { PostgreSqlDriver, SqlEntityManager } from '@mikro-orm/postgresql';
import { userNotFound } from '../../../domain/errors.ts';
import { firstRow, type Queryable, type Statement } from '../../../mixins/database/database.ts';
import type { UserRow } from './entities.ts';
import { type ListedUser, userColumns } from './user-list.ts';

// MikroORM takes 0.2 ms of CPU for this row.
const userById: Statement = {
  name: 'users-select-user',
  shared: true,
  text: `select ${userColumns} from users.person p where p.id = $1 and p.deleted_at is null`,
};

/** A user who is not deleted. @throws USER_NOT_FOUND (404) */
export async function selectUser(database: Queryable, id: string): Promise<ListedUser> {
  const [row] = await database.query<ListedUser>(userById, [id]);
  if (row === undefined) throw userNotFound(id);
  return row;
}

const lockedUser = `
select id, created_at as "createdAt", first_name as "firstName", last_name as "lastName", email,
  external_user_id as "externalUserId", time_zone as "timeZone"
from users.person where id = $1 and deleted_at is null for no key update`;

/** Locks a user who is not deleted until the transaction ends; returns the row, or null if there is none. */
export async function lockUser(
  transaction: Queryable,
  id: string,
): Promise<Omit<UserRow, 'deletedAt'> | null> {
  return (await firstRow<Omit<UserRow, 'deletedAt'>>(transaction, lockedUser, [id])) ?? null;
}

const projectById: Statement = {
  name: 'users.select_project',
  text: 'select project_id from users.person where id = $1',
};

/** The project of a user, deleted or not; null if there is no such user. */
export async function selectProject(database: Queryable, userId: string): Promise<string | null> {
  const [row] = await database.query<{ project_id: string }>(projectById, [userId]);
  return row?.project_id ?? null;
}

/** The ids of the next users of a project after an id, in their order. Deleted users are left out. */
export async function selectUsersInProject(
  database: Queryable,
  project: string,
  after: string | null,
  limit: number,
): Promise<string[]> {
  const rows = await database.query<{ id: string }>(
    `select id from users.person
     where project_id = $1 and deleted_at is null and id > coalesce($2::uuid, '00000000-0000-0000-0000-000000000000')
     order by id limit $3`,
    [project, after, limit],
  );
  return rows.map(({ id }) => id);
}

// `on conflict do nothing`: a taken id is a normal outcome, and PostgreSQL logs a violated constraint as an error.
const inserted = `
  insert into users.person (project_id, first_name, last_name, email, external_user_id, time_zone)
  select ?, ?, ?, ?, ?, ? where users.is_open(?)
  on conflict (project_id, external_user_id) where deleted_at is null do nothing returning id`;

/** Inserts a user; null if the external id is taken or the project is closed. `values` are in the order of the columns. */
export async function insertUser(
  em: SqlEntityManager<PostgreSqlDriver>,
  project: string,
  values: readonly (string | null)[],
): Promise<string | null> {
  const [row] = await em.execute<{ id: string }[]>(inserted, [project, ...values, project]);
  return row?.id ?? null;
}

/** The user of a project who has an external id; null if there is none. */
export async function selectHolder(
  database: Queryable,
  project: string,
  externalId: string | null,
): Promise<string | null> {
  const statement =
    'select id from users.person where project_id = $1 and external_user_id = $2 and deleted_at is null';
  const [holder] = await database.query<{ id: string }>(statement, [project, externalId]);
  return holder?.id ?? null;
}

/** Marks a user as deleted and empties the row. */
export async function emptyUser(transaction: Queryable, id: string): Promise<void> {
  await transaction.query(
    `update users.person set deleted_at = clock_timestamp(), first_name = null, last_name = null, email = null,
       external_user_id = null, time_zone = null
     where id = $1`,
    [id],
  );
}
