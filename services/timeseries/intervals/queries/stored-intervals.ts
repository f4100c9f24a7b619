import type { Queryable } from '../../../../mixins/database.ts';

/** An interval as stored. */
export interface IntervalRow {
  key: string;
  series_id: number;
  start_ms: number;
  duration_ms: number;
  value: number;
  zone_offset_minutes: number;
}

const columns = `key, series_id, floor(extract(epoch from start_time) * 1000)::float8 as start_ms, duration_ms, value,
  zone_offset_minutes`;

const byKeys = {
  name: 'timeseries-select-intervals-by-keys',
  text: `select ${columns} from timeseries.interval_value where set_id = $1 and key = any($2::uuid[])`,
};

const deletedKeys = {
  name: 'timeseries-select-deleted-intervals',
  text: 'select key from timeseries.deleted_interval where set_id = $1 and key = any($2::uuid[])',
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

const upsert = {
  name: 'timeseries-upsert-intervals',
  text: `
    insert into timeseries.interval_value as v
      (set_id, series_id, start_time, value, key, duration_ms, zone_offset_minutes)
    select $1, series_id, to_timestamp(start_ms / 1000) + micros * interval '1 microsecond', value, key, duration_ms, zone_offset_minutes
    from unnest($2::int[], $3::float8[], $4::float8[], $5::uuid[], $6::int[], $7::smallint[], $8::int[])
      t (series_id, start_ms, value, key, duration_ms, zone_offset_minutes, micros)
    on conflict (set_id, key) do update
      set series_id = excluded.series_id, start_time = excluded.start_time, value = excluded.value,
        duration_ms = excluded.duration_ms, zone_offset_minutes = excluded.zone_offset_minutes`,
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

/** Those of the keys that were deleted. */
export async function selectDeletedKeys(
  transaction: Queryable,
  setId: number,
  keys: readonly string[],
): Promise<Set<string>> {
  const rows = await transaction.query<{ key: string }>(deletedKeys, [setId, keys]);
  return new Set(rows.map(({ key }) => key));
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

/** Writes intervals. Their keys must be distinct. */
export async function upsertIntervals(
  transaction: Queryable,
  setId: number,
  rows: readonly IntervalRow[],
): Promise<void> {
  if (rows.length === 0) return;
  await transaction.query(upsert, [
    setId,
    rows.map(({ series_id }) => series_id),
    rows.map(({ start_ms }) => start_ms),
    rows.map(({ value }) => value),
    rows.map(({ key }) => key),
    rows.map(({ duration_ms }) => duration_ms),
    rows.map(({ zone_offset_minutes }) => zone_offset_minutes),
    rows.map(({ key }) => microsOf(key)),
  ]);
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
