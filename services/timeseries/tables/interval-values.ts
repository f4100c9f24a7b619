import type { Range } from '../../../domain/time/time.ts';
import type { Queryable } from '../../../mixins/database/database.ts';
import type { DaySpan } from '../rules/local-days.ts';
import type { UserProvider } from '../rules/sources.ts';
import { arrayText, binaryArray, columnsOf, type NumberElement } from './arrays.ts';

/** An interval as stored. */
export interface IntervalRow {
  key: string;
  series_id: number;
  start_ms: number;
  duration_ms: number;
  value: number;
  zone_offset_minutes: number;
  /** By what it was placed, if not by its own clock. */
  placed_by: number | null;
}

const columns = `key, series_id, floor(extract(epoch from start_time) * 1000)::float8 as start_ms, duration_ms, value,
  zone_offset_minutes, placed_by`;

const selectByKeys = {
  name: 'timeseries-select-intervals-by-keys',
  text: `select ${columns} from timeseries.interval_value where set_id = $1 and key = any($2::uuid[])`,
};

// One statement, so that the keys are sent and parsed once.
const selectByKeysWithDeleted = {
  name: 'timeseries-select-known-intervals',
  text: `
    select ${columns}, false as is_deleted from timeseries.interval_value where set_id = $1 and key = any($2::uuid[])
    union all
    select key, 0, 0, 0, 0, 0, null, true from timeseries.deleted_interval where set_id = $1 and key = any($2::uuid[])`,
};

const selectInSpan = {
  name: 'timeseries-select-intervals-in-span',
  text: `
    select ${columns} from timeseries.interval_value
    where series_id = any(array(
        select s.id from timeseries.series s
        join timeseries.interval_series i on i.series_id = s.id
        join timeseries.interval_source o on o.id = i.source_id
        where s.user_id = $1 and s.provider = $2 and s.type_id = $3
          and ($4 = 'all' or (o.device_type = 'merged') = ($4 = 'merged'))))
      and start_time >= to_timestamp($5::float8 / 1000) and start_time < to_timestamp($6::float8 / 1000)`,
};

const intervalParameters = `
    select series_id, start_time, value, key, duration_ms, zone_offset_minutes, nullif(placed_by, 0) as placed_by
    from unnest($2::int[], $3::timestamptz[], $4::float8[], $5::uuid[], $6::int[], $7::smallint[], $8::smallint[])
      t (series_id, start_time, value, key, duration_ms, zone_offset_minutes, placed_by)`;

const insert = {
  name: 'timeseries-insert-intervals',
  text: `
    insert into timeseries.interval_value
      (set_id, series_id, start_time, value, key, duration_ms, zone_offset_minutes, placed_by)
    select $1, t.* from (${intervalParameters}) t`,
};

const update = {
  name: 'timeseries-update-intervals',
  text: `
    update timeseries.interval_value v
    set series_id = t.series_id, start_time = t.start_time, value = t.value, duration_ms = t.duration_ms,
      zone_offset_minutes = t.zone_offset_minutes, placed_by = t.placed_by
    from (${intervalParameters}) t where v.set_id = $1 and v.key = t.key`,
};

const deleteByKeys = {
  name: 'timeseries-delete-intervals',
  text: 'delete from timeseries.interval_value where set_id = $1 and key = any($2::uuid[])',
};

const insertDeleted = {
  name: 'timeseries-insert-deleted-intervals',
  text: `
    insert into timeseries.deleted_interval (set_id, key) select $1, unnest($2::uuid[]) on conflict do nothing`,
};

/** The stored intervals with the given keys. */
export function selectIntervals(
  transaction: Queryable,
  setId: number,
  keys: readonly string[],
): Promise<IntervalRow[]> {
  return transaction.query<IntervalRow>(selectByKeys, [setId, keys]);
}

/** Which of the keys are stored, and which were deleted. */
export interface KnownKeys {
  readonly stored: ReadonlyMap<string, IntervalRow>;
  readonly deleted: ReadonlySet<string>;
}

/** The stored and the deleted ones of keys. */
export async function selectKnown(
  transaction: Queryable,
  setId: number,
  keys: readonly string[],
): Promise<KnownKeys> {
  const rows = await transaction.query<IntervalRow & { is_deleted: boolean }>(selectByKeysWithDeleted, [
    setId,
    keys,
  ]);
  const stored = rows.filter(({ is_deleted }) => !is_deleted);
  return {
    stored: new Map(stored.map(({ is_deleted, ...row }) => [row.key, row])),
    deleted: new Set(rows.filter(({ is_deleted }) => is_deleted).map(({ key }) => key)),
  };
}

/** A span whose intervals are replaced. */
interface SpanQuery {
  readonly user_id: string;
  readonly provider: string;
  readonly type_id: number;
  readonly of: 'all' | 'merged' | 'devices';
  readonly start_ms: number;
  readonly end_ms: number;
}

/** The stored intervals of a type that start within a span. */
export function selectSpan(transaction: Queryable, query: SpanQuery): Promise<IntervalRow[]> {
  const { user_id, provider, type_id, of, start_ms, end_ms } = query;
  return transaction.query<IntervalRow>(selectInSpan, [user_id, provider, type_id, of, start_ms, end_ms]);
}

/**
 * Microseconds after the start, made of the key: pages of raw values are ordered by time and series, so that intervals of
 * one series that start at the same millisecond need different instants.
 */
function microsOf(key: string): number {
  return Number.parseInt(key.slice(0, 8), 16) % 1000;
}

/** Inserts intervals. Their keys must be distinct, and none is stored. */
export async function insertIntervals(
  transaction: Queryable,
  setId: number,
  rows: readonly IntervalRow[],
): Promise<void> {
  if (rows.length > 0) await transaction.query(insert, valuesOf(setId, rows));
}

/** Updates stored intervals. Their keys must be distinct. */
export async function updateIntervals(
  transaction: Queryable,
  setId: number,
  rows: readonly IntervalRow[],
): Promise<void> {
  if (rows.length > 0) await transaction.query(update, valuesOf(setId, rows));
}

function valuesOf(setId: number, rows: readonly IntervalRow[]): unknown[] {
  const numbers = (element: NumberElement, of: (row: IntervalRow) => number) =>
    binaryArray(element, rows.map(of));
  return [
    setId,
    numbers('int4', ({ series_id }) => series_id),
    numbers('timestamptz', ({ start_ms, key }) => start_ms + microsOf(key) / 1000),
    numbers('float8', ({ value }) => value),
    arrayText(rows.map(({ key }) => key)),
    numbers('int4', ({ duration_ms }) => duration_ms),
    numbers('int2', ({ zone_offset_minutes }) => zone_offset_minutes),
    numbers('int2', ({ placed_by }) => placed_by ?? 0),
  ];
}

/** Deletes intervals. */
export async function deleteIntervals(
  transaction: Queryable,
  setId: number,
  keys: readonly string[],
): Promise<void> {
  if (keys.length > 0) await transaction.query(deleteByKeys, [setId, keys]);
}

/** Keeps deleted keys, so that later calls do not store them. */
export async function insertDeletedKeys(
  transaction: Queryable,
  setId: number,
  keys: readonly string[],
): Promise<void> {
  if (keys.length > 0) await transaction.query(insertDeleted, [setId, keys]);
}

interface StartsRow {
  /** Null: no interval starts within the range. */
  first_ms: number | null;
  last_ms: number | null;
  has_deleted: boolean;
}

const inRange =
  'v.start_time >= to_timestamp($4::float8 / 1000) and v.start_time < to_timestamp($5::float8 / 1000)';

// Each series is two descents of the index on (series, start).
const storedStartsStatement = {
  name: 'timeseries-select-stored-starts',
  text: `
    with own as (
      select s.id from timeseries.series s where s.user_id = $1 and s.provider = $2 and s.is_interval and s.type_id = any($6::smallint[])
    )
    select extract(epoch from min(f.start_time))::float8 * 1000 as first_ms,
      extract(epoch from max(l.start_time))::float8 * 1000 as last_ms,
      exists (select from timeseries.deleted_interval d where d.set_id = $3) as has_deleted
    from own
    cross join lateral (
      select v.start_time from timeseries.interval_value v
      where v.series_id = own.id and ${inRange}
      order by v.start_time limit 1) f
    cross join lateral (
      select v.start_time from timeseries.interval_value v
      where v.series_id = own.id and ${inRange}
      order by v.start_time desc limit 1) l`,
};

/** Types of one user and provider. */
interface Whose {
  readonly user_id: string;
  readonly provider: string;
  readonly setId: number;
  readonly typeIds: readonly number[];
}

/**
 * The span in which stored intervals of types start within a range; null if none does. `all`: ids of the set were deleted, so that
 * any may be known. The span is a millisecond wider on both sides, as a double does not hold the instants.
 */
export async function selectStoredStarts(
  transaction: Queryable,
  { user_id, provider, setId, typeIds }: Whose,
  { startMs, endMs }: Range,
): Promise<Range | 'all' | null> {
  const values = [user_id, provider, setId, startMs, endMs, typeIds];
  const [row] = await transaction.query<StartsRow>(storedStartsStatement, values);
  if (row === undefined || row.has_deleted) return 'all';
  const { first_ms, last_ms } = row;
  return first_ms === null || last_ms === null ? null : { startMs: first_ms - 1, endMs: last_ms + 1 };
}

/** An interval that overlaps a window, which is named by its index. */
export interface OverlappingRow {
  window: number;
  series_id: number;
  start_ms: number;
  end_ms: number;
  value: number;
  zone_offset_minutes: number;
}

/** A time of which the intervals of series are read. No interval of a series is longer than `longest_ms`. */
interface Window {
  readonly series: readonly { readonly id: number; readonly longest_ms: number }[];
  readonly range: Range;
}

// The instants have microseconds. A double holds them to a quarter of one, so that half of one is added before they are cut
// off: extract() is exact, but takes three times as long. Each series is one range of the index on (series, start), which begins as long before the window as its longest interval.
const overlappingIntervalsStatement = {
  name: 'timeseries-select-overlapping-intervals',
  text: `
    select w.place as window, v.series_id, floor(date_part('epoch', v.start_time) * 1000 + 0.0005) as start_ms,
      floor(date_part('epoch', v.start_time) * 1000 + 0.0005) + v.duration_ms as end_ms, v.value, v.zone_offset_minutes
    from unnest($1::int[], $2::int[], $3::float8[], $4::float8[], $5::int[])
      w (place, series_id, start_ms, end_ms, longest_ms)
    join timeseries.interval_value v on v.series_id = w.series_id
      and v.start_time >= to_timestamp((w.start_ms - w.longest_ms) / 1000) and v.start_time < to_timestamp(w.end_ms / 1000)
    where v.start_time + greatest(v.duration_ms, 1) * interval '1 millisecond' > to_timestamp(w.start_ms / 1000)`,
};

/** The intervals that overlap windows. */
export async function selectOverlapping(
  database: Queryable,
  windows: readonly Window[],
): Promise<OverlappingRow[]> {
  const parts = windows.flatMap(({ series, range }, window) =>
    series.map(({ id, longest_ms }) => ({ window, id, ...range, longestMs: Math.max(longest_ms, 1) })),
  );
  if (parts.length === 0) return [];
  const columns = columnsOf(parts, 'window', 'id', 'startMs', 'endMs', 'longestMs');
  return database.query<OverlappingRow>(overlappingIntervalsStatement, columns);
}

const misdatedStatement = {
  name: 'timeseries-select-misdated-intervals',
  text: `
    select ${columns}
    from timeseries.series s
    cross join unnest($3::date[], $4::float8[], $5::float8[]) as t (date, start_ms, end_ms)
    join timeseries.interval_value v on v.series_id = s.id
      and v.start_time >= to_timestamp(t.start_ms / 1000) and v.start_time < to_timestamp(t.end_ms / 1000)
    where s.user_id = $1 and s.provider = $2 and s.is_interval and (v.placed_by is null or v.placed_by > 0)
      and timeseries.local_midnight(v.start_time, v.zone_offset_minutes) <> t.date::timestamp at time zone 'UTC'`,
};

/** Intervals that start within the spans of daily records and are dated otherwise. */
export function selectMisdatedIntervals(
  transaction: Queryable,
  { user_id, provider }: UserProvider,
  days: readonly DaySpan[],
): Promise<IntervalRow[]> {
  const values = [user_id, provider, ...columnsOf(days, 'date', 'startMs', 'endMs')];
  return transaction.query<IntervalRow>(misdatedStatement, values);
}

/** Deleted intervals of a series: their type, and the time that they covered. */
interface DeletedIntervals {
  type_id: number;
  start_ms: number | null;
  end_ms: number | null;
}

const isOld = `series_id = $1 and start_time < $2::timestamptz + interval '18 hours'
  and start_time + zone_offset_minutes * interval '1 minute' < $2::timestamptz`;

const oldIntervalStatement = {
  name: 'timeseries-select-old-interval',
  text: `select from timeseries.interval_value where ${isOld} limit 1`,
};

// An interval belongs to the local day of its start. Clocks differ from UTC by at most 18 hours.
const deleteOldIntervalsStatement = {
  name: 'timeseries-delete-old-intervals',
  text: `
    with gone as (
      delete from timeseries.interval_value where series_id = $1 and ctid = any(array(
        select ctid from timeseries.interval_value where ${isOld} order by start_time limit $3))
      returning start_time, duration_ms
    )
    select s.type_id, (extract(epoch from min(g.start_time)) * 1000)::float8 as start_ms,
      (extract(epoch from max(g.start_time + g.duration_ms * interval '1 millisecond')) * 1000 + 1)::float8 as end_ms
    from timeseries.series s left join gone g on true where s.id = $1 group by s.type_id`,
};

/** Deletes the oldest intervals of a series whose local day is before `keptFrom`, at most `most`. */
export async function deleteOldIntervals(
  transaction: Queryable,
  seriesId: number,
  keptFrom: string,
  most: number,
): Promise<DeletedIntervals | undefined> {
  const values = [seriesId, `${keptFrom}T00:00:00Z`, most];
  const [row] = await transaction.query<DeletedIntervals>(deleteOldIntervalsStatement, values);
  return row;
}

/** Whether a series has intervals whose local day is before `keptFrom`. */
export async function hasOldIntervals(
  transaction: Queryable,
  seriesId: number,
  keptFrom: string,
): Promise<boolean> {
  return (await transaction.query(oldIntervalStatement, [seriesId, `${keptFrom}T00:00:00Z`])).length > 0;
}
