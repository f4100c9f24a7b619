import { errorCodeOf } from '../../../domain/error-code.ts';
import type { Database, Queryable } from '../../../mixins/database/database.ts';
import type { UserRow } from './entities.ts';

/**
 * The columns that the list is sorted by; (column, id) has an index each. `type` is the column's, `least` sorts
 * before all: text keys begin with 0, or are 1 where there is no value.
 */
export const sortKeys = {
  created_at: { column: 'created_at', type: 'timestamptz', least: '-infinity' },
  email: { column: 'email_key', type: 'text', least: '' },
  first_name: { column: 'first_name_key', type: 'text', least: '' },
  last_name: { column: 'last_name_key', type: 'text', least: '' },
} as const;

/** The allowed values of `sort_by`. */
export type SortBy = keyof typeof sortKeys;

/** All of them. */
export const sortBys = [
  'created_at',
  'email',
  'first_name',
  'last_name',
] as const satisfies readonly SortBy[];

/** A user in a list. */
export type ListedUser = Omit<UserRow, 'deletedAt'>;

/** A page's rows and the number of all that match. */
export interface FoundUsers {
  readonly users: ListedUser[];
  readonly total: number;
}

/** The columns of a user, by their names in the entity. */
export const userColumns = `p.id, p.created_at as "createdAt", p.first_name as "firstName",
  p.last_name as "lastName", p.email, p.external_user_id as "externalUserId", p.time_zone as "timeZone"`;

/**
 * Each row of `page` with its user, if any. The lateral join forces a read by primary key: for a deep page the planner
 * estimates 3,337 of 100,000 rows and would read the whole table.
 */
export const joinUsers = `left join lateral (
  select * from users.person where person.id = page.id limit 1
) p on true`;

/** The order and position of a page of all users. */
interface PagePosition {
  readonly sort_by: SortBy;
  readonly sort_order: 'asc' | 'desc';
  readonly offset: number;
  readonly limit: number;
}

/** Up to this offset a page is read from the start of the list; a deeper page starts at a fence. */
const nearOffset = 200;

/** A page of all users of a project with their number; the cost depends on neither the offset nor the number. */
export async function selectAllUsers(
  database: Queryable,
  project: string,
  position: PagePosition,
): Promise<FoundUsers> {
  const isNear = position.offset <= nearOffset;
  const statement = {
    name: `users-select-all-${isNear ? 'near' : 'deep'}-${position.sort_by}-${position.sort_order}`,
    text: isNear ? near(position) : deep(position),
  };
  const rows = await database.query<ListedUser & { id: string | null; total: number }>(statement, [
    position.limit,
    position.offset,
    project,
  ]);
  return { users: rows.filter(({ id }) => id !== null), total: rows[0]?.total ?? 0 };
}

const counted = `
counted as materialized (
  select (coalesce((select total from users.list_total where project_id = $3), 0) + coalesce(sum(sign), 0))::int as total,
    count(*)::int as changes
  from users.list_change where project_id = $3
)`;

const rowsOf = (order: string) => `
select ${userColumns}, counted.total
from counted left join page on true ${joinUsers}
order by page.key ${order}, page.id ${order}`;

function near({ sort_by, sort_order: order }: PagePosition): string {
  const { column } = sortKeys[sort_by];
  return `
with ${counted}, page as materialized (
  select ${column} as key, id from users.person where project_id = $3 and deleted_at is null
  order by ${column} ${order}, id ${order} limit $1 offset $2
) ${rowsOf(order)}`;
}

// A descending page has the same rows as an ascending one that is counted from the other end. The rank of a fence may be
// off by the number of unfolded changes, so the query takes a fence that precedes the page by at least that number.
function deep({ sort_by, sort_order: order }: PagePosition): string {
  const { column, type, least } = sortKeys[sort_by];
  const first = order === 'asc' ? '$2' : 'greatest(0, total - $2 - $1)';
  return `
with ${counted}, place as materialized (
  select changes, (${first})::int as first, greatest(0, least($1, total - $2))::int as size from counted
), fence as materialized (
  select f.rank, f.key::${type} as key, f.id from users.list_fence f, place
  where f.project_id = $3 and f.sort_by = '${sort_by}' and f.rank <= place.first - place.changes
  order by f.rank desc limit 1
), start as materialized (
  select rank + coalesce((
    select sum(sign) from users.list_change c where c.project_id = $3 and (c.${column}, c.id) < (fence.key, fence.id)
  ), 0) as rank, key, id from fence
  union all
  select 0, '${least}', '00000000-0000-0000-0000-000000000000' where not exists (select from fence)
), page as materialized (
  select ${column} as key, id from users.person
  where project_id = $3 and deleted_at is null and (${column}, id) >= ((select key from start), (select id from start))
  order by ${column}, id
  limit (select size from place) offset (select place.first - start.rank from place, start)
) ${rowsOf(order)}`;
}

const upkeepLock = 0x666f6c64; // any fixed number

/** Takes the lock for folding the list and renewing its statistics until the transaction ends; false if it is taken. */
export async function lockUpkeep(transaction: Queryable): Promise<boolean> {
  const statement = 'select pg_try_advisory_xact_lock($1) as mine';
  const [row] = await transaction.query<{ mine: boolean }>(statement, [upkeepLock]);
  return row?.mine === true;
}

/** The maximum number of unfolded changes that a page reads; 1,000 take 0.2 ms. */
export const mostChanges = 1000;

/** Users between two fences: the rows that a deep page reads at most before it starts. */
const fenceEvery = 200;

// A negative change contains former values of a user who was changed or deleted, so it triggers a fold by itself.
const tooManyChanges = `
select count(*) > ${mostChanges} or coalesce(bool_or(sign < 0), false) as due
from (select sign from users.list_change limit ${mostChanges + 1}) c`;

const fences = (sortBy: SortBy) => `
insert into users.list_fence (project_id, sort_by, rank, key, id)
select project_id, '${sortBy}', rank, key, id from (
  select project_id, ${sortKeys[sortBy].column} as key, id,
    row_number() over (partition by project_id order by ${sortKeys[sortBy].column}, id) - 1 as rank
  from users.person where deleted_at is null
) p where rank % ${fenceEvery} = 0`;

/**
 * Recomputes the total and the fences if there are many changes, or if one contains former values of a user; returns
 * whether it did. It reads 100,000 users in 0.3 s. One snapshot covers all statements: a change is either contained in
 * the fences and deleted, or not contained and kept.
 */
export async function foldChanges(database: Database): Promise<boolean> {
  const [row] = await database.query<{ due: boolean }>(tooManyChanges);
  if (row?.due !== true) return false;
  try {
    if (!(await database.transaction(fold))) return false;
  } catch (error) {
    // Another node folded between this transaction's snapshot and its lock.
    if (errorCodeOf(error) === '40001') return false;
    throw error;
  }
  // Every page reads the changes: the dead rows that a bulk import leaves made a page three times as slow.
  await database.query('vacuum users.list_change, users.list_fence');
  return true;
}

async function fold(transaction: Queryable): Promise<boolean> {
  await transaction.query('set transaction isolation level repeatable read');
  if (!(await lockUpkeep(transaction))) return false;
  await transaction.query('delete from users.list_change');
  await transaction.query('delete from users.list_fence');
  await transaction.query('update users.list_total set total = 0, folded_at = clock_timestamp()');
  await transaction.query(
    `insert into users.list_total (project_id, total, folded_at)
     select project_id, count(*) filter (where deleted_at is null), clock_timestamp() from users.person group by project_id
     on conflict (project_id) do update set total = excluded.total, folded_at = excluded.folded_at`,
  );
  for (const sortBy of sortBys) await transaction.query(fences(sortBy));
  return true;
}

// `erased_at` is the start of a transaction that commits later, so ANALYZE must begin at least a second after it.
const oldStatistics = `
select coalesce(analyzed_at < greatest(folded_at, erased_at + interval '1 second'),
  folded_at is not null or erased_at is not null) as due
from (select max(folded_at) as folded_at, max(analyzed_at) as analyzed_at from users.list_total) t, (select max(erased_at) as erased_at from users.person) newest`;

/**
 * Renews the planner's statistics of users and connections after a fold or an erasure: pg_statistic contains values of
 * users. ANALYZE reads at most 30,000 rows of a table. Returns whether the statistics were renewed.
 */
export function renewStatistics(database: Database): Promise<boolean> {
  return database.transaction(async (transaction) => {
    const [row] = await transaction.query<{ due: boolean }>(oldStatistics);
    if (row?.due !== true || !(await lockUpkeep(transaction))) return false;
    await transaction.query('update users.list_total set analyzed_at = clock_timestamp()');
    await transaction.query('analyze users.person, users.connection');
    return true;
  });
}
