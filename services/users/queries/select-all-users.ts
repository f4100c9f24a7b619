import type { Queryable } from '../../../mixins/database/database.ts';
import {
  type FoundUsers,
  joinUsers,
  type ListedUser,
  type SortBy,
  sortKeys,
  userColumns,
} from './sort-keys.ts';

/** The order and position of a page of all users. */
export interface PagePosition {
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
