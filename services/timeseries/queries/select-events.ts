import type { Direction } from '../../../domain/cursor.ts';
import type { Range } from '../../../domain/time/time.ts';
import { isoTime } from '../../../domain/time/time.ts';
import type { Queryable, Row } from '../../../mixins/database/database.ts';

/** A table of events: its columns, and which of its rows are listed. */
export interface EventTable {
  /** Part of the statements' names. */
  readonly name: string;
  readonly table: string;
  /** Columns beside those that all events have. */
  readonly columns: string;
  /** Additional condition for lists and for single events. */
  readonly listed?: string;
  readonly single?: string;
}

/** The columns that all events have. `at` is in microseconds since 1970. */
export interface EventRow extends Row {
  id: string;
  at: number;
  start_ms: number;
  end_ms: number;
  provider: string;
  device: string;
  /** Null if the provider sent none. */
  zone_offset_minutes: number | null;
}

/** Which events of a user are listed. A null type means all. */
export interface EventFilter {
  readonly userId: string;
  readonly range: Range;
  readonly type: string | null;
}

/** Cursor of a page of events: the start and id of the adjacent item, or the beginning of the list. */
export interface EventCursor {
  readonly direction: Direction;
  readonly after: { readonly start: string; readonly id: string } | null;
}

/** A page's events in reading order, and the number of events in the list. */
export interface EventsFound<Event> {
  readonly rows: Event[];
  readonly total: number;
}

const columnsOf = ({ columns }: EventTable) => `
  id, (extract(epoch from start_time) * 1000000)::float8 as at,
  (extract(epoch from start_time) * 1000)::float8 as start_ms, (extract(epoch from end_time) * 1000)::float8 as end_ms,
  provider, device, case when zone_reported then zone_offset_minutes end as zone_offset_minutes, ${columns}`;

// Two statements, with and without a type, because each uses an index of its own.
const listedIn = ({ table, listed = 'true' }: EventTable, byType: boolean) => `
  from ${table}
  where user_id = $1 and start_time >= $2 and start_time < $3 ${byType ? 'and type = $4' : 'and $4::text is null'}
    and ${listed}`;

// Page and total come from one snapshot. The beginning of the list is a cursor too, because a null would need another
// plan.
const pageOf = (table: EventTable, byType: boolean, direction: Direction) => {
  const [order, sign] = direction === 'next' ? ['desc', '<'] : ['asc', '>'];
  return `
    select total, page.* from (select count(*)::int as total ${listedIn(table, byType)}) counted
    left join lateral (
      select ${columnsOf(table)} ${listedIn(table, byType)} and (start_time, id) ${sign} ($5, $6::uuid)
      order by start_time ${order}, id ${order} limit $7
    ) page on true
    order by page.at ${order}, page.id ${order}`;
};

const beginnings = {
  next: { start: 'infinity', id: 'ffffffff-ffff-ffff-ffff-ffffffffffff' },
  previous: { start: '-infinity', id: '00000000-0000-0000-0000-000000000000' },
} as const;

/** At most `most` listed events: newest first, backward oldest first. */
export async function selectEvents<Event extends EventRow>(
  database: Queryable,
  table: EventTable,
  { userId, range, type }: EventFilter,
  { direction, after }: EventCursor,
  most: number,
): Promise<EventsFound<Event>> {
  const name = `timeseries-select-${table.name}-${direction}${type === null ? '' : '-of-type'}`;
  const { start, id } = after ?? beginnings[direction];
  const bounds = [range.startMs, range.endMs].map(isoTime);
  const statement = { name, text: pageOf(table, type !== null, direction) };
  const values = [userId, ...bounds, type, start, id, most];
  const found = await database.query<Event & { total: number; id: string | null }>(statement, values);
  return { rows: found.filter((row) => row.id !== null), total: found[0]?.total ?? 0 };
}

/** One event, listed or not. */
export async function selectEvent<Event extends EventRow>(
  database: Queryable,
  table: EventTable,
  userId: string,
  id: string,
): Promise<Event | undefined> {
  const text = `
    select ${columnsOf(table)} from ${table.table} where user_id = $1 and id = $2 and ${table.single ?? 'true'}`;
  const [row] = await database.query<Event>({ name: `timeseries-select-one-of-${table.name}`, text }, [
    userId,
    id,
  ]);
  return row;
}
