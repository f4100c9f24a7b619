import type { Queryable } from '../../../../mixins/database/database.ts';
import { arrayText } from '../../queries/array-text.ts';
import { binaryArray, type NumberElement } from '../../queries/binary-array.ts';

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

const byKeys = {
  name: 'timeseries-select-intervals-by-keys',
  text: `select ${columns} from timeseries.interval_value where set_id = $1 and key = any($2::uuid[])`,
};

// One statement, so that the keys are sent and parsed once.
const known = {
  name: 'timeseries-select-known-intervals',
  text: `
    select ${columns}, false as is_deleted from timeseries.interval_value where set_id = $1 and key = any($2::uuid[])
    union all
    select key, 0, 0, 0, 0, 0, null, true from timeseries.deleted_interval where set_id = $1 and key = any($2::uuid[])`,
};

const inSpan = {
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

const given = `
    select series_id, start_time, value, key, duration_ms, zone_offset_minutes, nullif(placed_by, 0) as placed_by
    from unnest($2::int[], $3::timestamptz[], $4::float8[], $5::uuid[], $6::int[], $7::smallint[], $8::smallint[])
      t (series_id, start_time, value, key, duration_ms, zone_offset_minutes, placed_by)`;

const insert = {
  name: 'timeseries-insert-intervals',
  text: `
    insert into timeseries.interval_value
      (set_id, series_id, start_time, value, key, duration_ms, zone_offset_minutes, placed_by)
    select $1, t.* from (${given}) t`,
};

const update = {
  name: 'timeseries-update-intervals',
  text: `
    update timeseries.interval_value v
    set series_id = t.series_id, start_time = t.start_time, value = t.value, duration_ms = t.duration_ms,
      zone_offset_minutes = t.zone_offset_minutes, placed_by = t.placed_by
    from (${given}) t where v.set_id = $1 and v.key = t.key`,
};

const remove = {
  name: 'timeseries-delete-intervals',
  text: 'delete from timeseries.interval_value where set_id = $1 and key = any($2::uuid[])',
};

const keepDeleted = {
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
  return transaction.query<IntervalRow>(byKeys, [setId, keys]);
}

/** Which of the keys are stored, and which were deleted. */
export interface KnownKeys {
  readonly stored: ReadonlyMap<string, IntervalRow>;
  readonly deleted: ReadonlySet<string>;
}

/** What is known of keys. */
export async function selectKnown(
  transaction: Queryable,
  setId: number,
  keys: readonly string[],
): Promise<KnownKeys> {
  const rows = await transaction.query<IntervalRow & { is_deleted: boolean }>(known, [setId, keys]);
  const stored = rows.filter(({ is_deleted }) => !is_deleted);
  return {
    stored: new Map(stored.map(({ is_deleted, ...row }) => [row.key, row])),
    deleted: new Set(rows.filter(({ is_deleted }) => is_deleted).map(({ key }) => key)),
  };
}

/** A span whose intervals are replaced. */
export interface SpanQuery {
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
  return transaction.query<IntervalRow>(inSpan, [user_id, provider, type_id, of, start_ms, end_ms]);
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
    ...[setId, numbers('int4', ({ series_id }) => series_id)],
    numbers('timestamptz', ({ start_ms, key }) => start_ms + microsOf(key) / 1000),
    ...[numbers('float8', ({ value }) => value), arrayText(rows.map(({ key }) => key))],
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
  if (keys.length > 0) await transaction.query(remove, [setId, keys]);
}

/** Keeps deleted keys, so that later calls do not store them. */
export async function insertDeletedKeys(
  transaction: Queryable,
  setId: number,
  keys: readonly string[],
): Promise<void> {
  if (keys.length > 0) await transaction.query(keepDeleted, [setId, keys]);
}
