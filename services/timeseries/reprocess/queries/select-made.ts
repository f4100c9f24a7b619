import type { ChangeKind } from '../../../../contracts/reprocess.ts';
import type { SampleBlock, StoreItem } from '../../../../domain/records/records.ts';
import { decodeTimes } from '../../../../domain/records/sample-codec.ts';
import { seriesOf } from '../../../../domain/records/series.ts';
import { isoTime } from '../../../../domain/time/time.ts';
import type { Queryable } from '../../../../mixins/database/database.ts';
import type { Footstep } from '../../tables/footprint.ts';

/** The user and the provider of an item. */
export interface Owner {
  readonly user_id: string;
  readonly provider: string;
}

/** A stored record as text, without the version of its normaliser. */
export interface RecordText {
  readonly kind: ChangeKind;
  readonly id: string;
  readonly text: string;
}

// Details and the track of a workout belong to it.
const ofWorkout = `
  || coalesce((select to_jsonb(d)::text from timeseries.workout_detail d where d.workout_id = r.id), '')
  || coalesce((select md5(string_agg(to_jsonb(k)::text, '' order by k.data_type, k.chunk))
    from timeseries.workout_track k where k.workout_id = r.id), '')`;

const recordOf = (kind: ChangeKind, table: string) => `
  select '${kind}' as kind, id::text,
    (to_jsonb(r) - 'normaliser_version')::text ${kind === 'workouts' ? ofWorkout : ''} as text
  from timeseries.${table} r where user_id = $1 and id = any($2::uuid[])`;

const rowsOfItem = (table: 'day_value' | 'score') => `
  select 'days' as kind, id::text, (to_jsonb(v) - 'normaliser_version')::text as text from timeseries.${table} v
  where user_id = $1 and provider = $3 and data_type = $4 and key = $5`;

const records = {
  name: 'timeseries-select-made-records',
  text: [
    recordOf('workouts', 'workout'),
    recordOf('sleeps', 'sleep_session'),
    recordOf('days', 'provider_day'),
    recordOf('events', 'other_record'),
    rowsOfItem('day_value'),
    rowsOfItem('score'),
  ].join(' union all '),
};

/** Records by their ids, and the day values and scores of an item. */
export function selectRecords(
  transaction: Queryable,
  { user_id, provider }: Owner,
  { data_type, key }: StoreItem,
  ids: readonly string[],
): Promise<RecordText[]> {
  return transaction.query<RecordText>(records, [user_id, ids, provider, data_type, key]);
}

/** A stored sample. */
export interface SampleAt {
  readonly series_id: number;
  readonly ms: number;
  readonly value: number;
  readonly zone_offset_minutes: number;
  readonly placed_by: number | null;
}

/** Instants of series, as two columns. */
export interface Instants {
  readonly seriesIds: readonly number[];
  readonly times: readonly number[];
}

// The bounds let the planner skip chunks without these samples.
const samples = {
  name: 'timeseries-select-made-samples',
  text: `
    select x.series_id, t.ms, x.value, x.zone_offset_minutes, x.placed_by
    from unnest($1::int[], $2::float8[]) t (series_id, ms)
    join timeseries.sample x on x.series_id = t.series_id and x.ts = to_timestamp(t.ms / 1000)
    where x.ts >= $3 and x.ts <= $4`,
};

const instantsPerStatement = 5000;

/** The stored samples at instants. */
export async function selectSamplesAt(
  transaction: Queryable,
  { seriesIds, times }: Instants,
): Promise<SampleAt[]> {
  const found: SampleAt[] = [];
  for (let from = 0; from < times.length; from += instantsPerStatement) {
    const [ids, some] = [seriesIds, times].map((column) => column.slice(from, from + instantsPerStatement));
    const bounds = [Math.min(...(some ?? [])), Math.max(...(some ?? []))].map(isoTime);
    const arrays = [`{${ids?.join(',')}}`, `{${some?.join(',')}}`];
    found.push(...(await transaction.query<SampleAt>(samples, [...arrays, ...bounds])));
  }
  return found;
}

const sums = {
  name: 'timeseries-select-made-sums',
  text: `
    select v.series_id, floor(extract(epoch from v.start_time) * 1000)::float8 as ms, v.value, v.zone_offset_minutes,
      v.placed_by
    from timeseries.series s
    join timeseries.interval_value v on v.series_id = s.id
      and v.start_time >= to_timestamp($3::float8 / 1000) and v.start_time < to_timestamp(($3 + 1) / 1000)
    where s.user_id = $1 and s.provider = $2 and s.is_interval`,
};

/** The stored sums of an item's slot. They are intervals. */
export async function selectSlotSums(
  transaction: Queryable,
  { user_id, provider }: Owner,
  { epoch }: StoreItem,
): Promise<SampleAt[]> {
  if (epoch === null) return [];
  return transaction.query<SampleAt>(sums, [user_id, provider, epoch.start_ms]);
}

interface SeriesRow {
  id: number;
  type_id: number;
  device: string;
}

const series = {
  name: 'timeseries-select-made-series',
  text: `
    select id, type_id, device from timeseries.series
    where user_id = $1 and provider = $2 and not is_interval`,
};

/** The instants at which an item has samples now, in the series that exist. */
export async function instantsOfItem(
  transaction: Queryable,
  { user_id, provider }: Owner,
  { samples: blocks, epoch }: StoreItem,
): Promise<Instants> {
  const rows = await transaction.query<SeriesRow>(series, [user_id, provider]);
  const idOf = new Map(rows.map((row) => [`${row.type_id} ${row.device}`, row.id]));
  const seriesIds: number[] = [];
  const times: number[] = [];
  const add = (id: number, ms: number) => {
    seriesIds.push(id);
    times.push(ms);
  };
  for (const block of blocks) {
    const id = idOf.get(keyOf(block));
    if (id !== undefined) for (const at of block.at) add(id, block.base_ms + at);
  }
  // The samples of a slot are computed from all of its parts.
  if (epoch !== null) for (const { id } of rows) add(id, epoch.start_ms);
  return { seriesIds, times };
}

const keyOf = ({ type, device }: SampleBlock) => `${seriesOf(type).id} ${device}`;

const blocks = {
  name: 'timeseries-select-made-blocks',
  text: `
    select series_id, times from timeseries.activity_block
    where user_id = $1 and provider = $2 and data_type = $3 and key = $4 and hash = $5`,
};

/** The instants of the stored samples of a version of an activity. */
export async function selectBlockTimes(
  transaction: Queryable,
  { user_id, provider }: Owner,
  { data_type, key, hash }: StoreItem,
): Promise<Omit<Footstep, 'hash'>[]> {
  const values = [user_id, provider, data_type, key, hash];
  const rows = await transaction.query<{ series_id: number; times: Buffer }>(blocks, values);
  return rows.map(({ series_id, times }) => ({ series_id, times: decodeTimes(times) }));
}
