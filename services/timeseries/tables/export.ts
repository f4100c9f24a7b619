import type { Queryable } from '../../../mixins/database/database.ts';

/** Kinds of records that an export contains, with their tables. */
const exportTables = {
  workout: 'timeseries.workout',
  sleep: 'timeseries.sleep_session',
  day: 'timeseries.provider_day',
  day_values: 'timeseries.day_value',
  score: 'timeseries.score',
  other: 'timeseries.other_record',
} as const;

/** A kind of record that an export contains. */
type ExportKind = keyof typeof exportTables;

/** A stored record as JSON, with its cursor. */
interface ExportRow {
  id: string;
  start_time: string;
  record: Record<string, unknown>;
}

/** Cursor of an export: the start and id of the last record. */
interface ExportCursor {
  readonly start_time: string;
  readonly id: string;
}

// Excludes deleted workouts.
const recordsText = (kind: ExportKind) => `
  select id, start_time::text as start_time,
    to_jsonb(record) - array['user_id', 'parts', 'deleted_at', 'cropped'] as record
  from ${exportTables[kind]} record
  where user_id = $1 ${kind === 'workout' ? 'and deleted_at is null' : ''} and ($2::timestamptz is null or (start_time, id) > ($2, $3::uuid))
  order by start_time, id limit $4`;

/** The next records of a kind, oldest first, listed or not. */
export function selectExportRecords(
  database: Queryable,
  userId: string,
  kind: ExportKind,
  after: ExportCursor | null,
  most: number,
): Promise<ExportRow[]> {
  const statement = { name: `timeseries-export-${kind}`, text: recordsText(kind) };
  return database.query<ExportRow>(statement, [userId, after?.start_time ?? null, after?.id ?? null, most]);
}

/** Samples or intervals of one series as columns. `at` is in microseconds since 1970. */
interface SampleColumns {
  at: number[];
  /** The ends of intervals, in microseconds since 1970. Null for samples. */
  ends: number[] | null;
  values: number[];
  zone_offset_minutes: number[];
}

// One series per call: 5,000 rows in primary-key order take 9 ms. Merging all series would need a sort.
const samplesStatement = {
  name: 'timeseries-export-samples',
  text: `
    select coalesce(array_agg((extract(epoch from ts) * 1000000)::float8 order by ts), '{}') as at, null as ends,
      coalesce(array_agg(value order by ts), '{}') as values,
      coalesce(array_agg(zone_offset_minutes order by ts), '{}') as zone_offset_minutes
    from (
      select ts, value, zone_offset_minutes from timeseries.sample
      where series_id = (select id from timeseries.series where id = $2 and user_id = $1)
        and ts > to_timestamp($3::float8 / 1000000)
      order by ts limit $4) page`,
};

// The next page begins after an instant, so intervals that start together are on one page.
const intervalsStatement = {
  name: 'timeseries-export-intervals',
  text: `
    select coalesce(array_agg(at order by start_time, key), '{}') as at,
      coalesce(array_agg(at + duration_ms * 1000.0 order by start_time, key), '{}')::float8[] as ends,
      coalesce(array_agg(value order by start_time, key), '{}') as values,
      coalesce(array_agg(zone_offset_minutes order by start_time, key), '{}') as zone_offset_minutes
    from (
      select start_time, key, duration_ms, value, zone_offset_minutes,
        (extract(epoch from start_time) * 1000000)::float8 as at
      from timeseries.interval_value
      where series_id = (select id from timeseries.series where id = $2 and user_id = $1)
        and start_time > to_timestamp($3::float8 / 1000000)
      order by start_time fetch first $4 rows with ties) page`,
};

const seriesKindStatement = {
  name: 'timeseries-export-series-kind',
  text: 'select is_interval from timeseries.series where id = $2 and user_id = $1',
};

/** The next samples or intervals of a user's series after an instant in microseconds, oldest first. */
export async function selectExportSamples(
  database: Queryable,
  userId: string,
  seriesId: number,
  after: number,
  most: number,
): Promise<SampleColumns> {
  const [series] = await database.query<{ is_interval: boolean }>(seriesKindStatement, [userId, seriesId]);
  const statement = series?.is_interval === true ? intervalsStatement : samplesStatement;
  const [row] = await database.query<SampleColumns>(statement, [userId, seriesId, after, most]);
  return row ?? { at: [], ends: null, values: [], zone_offset_minutes: [] };
}
