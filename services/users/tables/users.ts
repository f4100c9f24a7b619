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

/** A user as a move brings one in; `created_at` is an ISO time. */
export interface MovedUserRow {
  readonly id: string;
  readonly created_at: string;
  readonly first_name: string | null;
  readonly last_name: string | null;
  readonly email: string | null;
  readonly external_user_id: string | null;
}

const movedInserted = `
  insert into users.person (id, project_id, created_at, first_name, last_name, email, external_user_id)
  select id, $1, created_at, first_name, last_name, email, external_user_id
  from rows from (jsonb_to_recordset($2::jsonb) as (id uuid, created_at timestamptz, first_name text, last_name text, email text,
    external_user_id text)) with ordinality
    as moved (id, created_at, first_name, last_name, email, external_user_id, position)
  order by position
  on conflict do nothing returning id`;

/**
 * Inserts users with their ids in the given order, except those whose id or external id is taken. Returns the ids of the inserted
 * ones; null if the project is closed.
 */
export async function insertMovedUsers(
  transaction: Queryable,
  project: string,
  users: readonly MovedUserRow[],
): Promise<Set<string> | null> {
  // Of two moves of the same users at once, the second one waits here and then finds them.
  await transaction.query("select pg_advisory_xact_lock(hashtextextended('users move-in', 0))");
  const [state] = await transaction.query<{ open: boolean }>('select users.is_open($1) as open', [project]);
  if (state?.open !== true) return null;
  const rows = await transaction.query<{ id: string }>(movedInserted, [project, JSON.stringify(users)]);
  return new Set(rows.map(({ id }) => id));
}

/** What a move compares a user with. */
export interface UserState {
  readonly id: string;
  readonly project: string;
  readonly deleted: boolean;
}

/** The states of users by id, deleted ones too. With `lock`, each row is locked until the transaction ends, in the order of the ids. */
export async function selectUserStates(
  on: Queryable,
  ids: readonly string[],
  { lock }: { readonly lock: boolean },
): Promise<Map<string, UserState>> {
  const statement = `
    select id, project_id as project, deleted_at is not null as deleted from users.person where id = any($1::uuid[])
    order by id ${lock ? 'for no key update' : ''}`;
  return new Map((await on.query<UserState>(statement, [ids])).map((state) => [state.id, state]));
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
