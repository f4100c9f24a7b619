import type { Queryable } from '../../../mixins/database.ts';
import {
  joinPeople,
  type PeopleFound,
  type PersonRow,
  personColumns,
  type SortBy,
  sortKeys,
} from './sort-keys.ts';

/** Where a page of everybody stands. */
export interface Place {
  readonly sort_by: SortBy;
  readonly sort_order: 'asc' | 'desc';
  readonly offset: number;
  readonly limit: number;
}

/** Up to here a page is walked to from the list's end; deeper ones start at a fence. */
const nearOffset = 200;

/** A page of everybody and how many they are, at a cost that depends on neither. */
export async function selectAllPeople(database: Queryable, place: Place): Promise<PeopleFound> {
  const statement = place.offset <= nearOffset ? near(place) : deep(place);
  const rows = await database.query<PersonRow & { id: string | null; total: number }>(statement, [
    place.limit,
    place.offset,
  ]);
  return { people: rows.filter(({ id }) => id !== null), total: rows[0]?.total ?? 0 };
}

const counted = `
counted as materialized (
  select ((select total from users.list_total) + coalesce(sum(sign), 0))::int as total, count(*)::int as changes
  from users.list_change
)`;

const rowsOf = (order: string) => `
select ${personColumns}, counted.total
from counted left join page on true ${joinPeople}
order by page.key ${order}, page.id ${order}`;

function near({ sort_by, sort_order: order }: Place): string {
  const { column } = sortKeys[sort_by];
  return `
with ${counted}, page as materialized (
  select ${column} as key, id from users.person where deleted_at is null
  order by ${column} ${order}, id ${order} limit $1 offset $2
) ${rowsOf(order)}`;
}

// A descending page is the same rows as an ascending one, read from the other end. A fence may have moved by as
// many places as there are changes: the one taken is far enough ahead of the page to stand before it all the same.
function deep({ sort_by, sort_order: order }: Place): string {
  const { column, type, least } = sortKeys[sort_by];
  const first = order === 'asc' ? '$2' : 'greatest(0, total - $2 - $1)';
  return `
with ${counted}, place as materialized (
  select changes, (${first})::int as first, greatest(0, least($1, total - $2))::int as size from counted
), fence as materialized (
  select f.rank, f.key::${type} as key, f.id from users.list_fence f, place
  where f.sort_by = '${sort_by}' and f.rank <= place.first - place.changes
  order by f.rank desc limit 1
), start as materialized (
  select rank + coalesce((
    select sum(sign) from users.list_change c where (c.${column}, c.id) < (fence.key, fence.id)
  ), 0) as rank, key, id from fence
  union all
  select 0, '${least}', '00000000-0000-0000-0000-000000000000' where not exists (select from fence)
), page as materialized (
  select ${column} as key, id from users.person
  where deleted_at is null and (${column}, id) >= ((select key from start), (select id from start))
  order by ${column}, id
  limit (select size from place) offset (select place.first - start.rank from place, start)
) ${rowsOf(order)}`;
}
