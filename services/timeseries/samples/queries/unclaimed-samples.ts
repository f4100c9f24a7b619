import type { Queryable } from '../../../../mixins/database/database.ts';

/** A series with samples from before activity samples were stored separately. */
export interface UnclaimedSeriesRow {
  readonly series_id: number;
  readonly type_id: number;
  /** Samples before this instant may come from any record. */
  readonly until_ms: number;
  /** Time spans of other workouts of its provider and device. */
  readonly spans: readonly (readonly [start_ms: number, end_ms: number])[];
}

/** The user whose samples are read, and the activities to exclude. */
export interface Unclaimed {
  readonly user_id: string;
  readonly provider: string;
  readonly keys: readonly string[];
}

const select = {
  name: 'timeseries-select-unclaimed-series',
  text: `
    select s.id as series_id, s.type_id, (extract(epoch from s.unclaimed_until) * 1000)::float8 as until_ms,
      coalesce((
        select jsonb_agg(jsonb_build_array(extract(epoch from w.start_time) * 1000, extract(epoch from w.end_time) * 1000))
        from timeseries.workout w
        where w.user_id = $1 and w.provider = $2 and w.device = s.device and w.key <> all($3) and w.deleted_at is null
          and w.start_time > to_timestamp($5::float8 / 1000) - interval '31 days'
          and w.start_time <= to_timestamp($6::float8 / 1000)), '[]') as spans
    from timeseries.series s
    where s.id = any($4) and s.unclaimed_until > to_timestamp($5::float8 / 1000)`,
};

/** The series with unclaimed samples between two instants. A new installation has none. */
export function selectUnclaimed(
  transaction: Queryable,
  { user_id, provider, keys }: Unclaimed,
  seriesIds: readonly number[],
  firstMs: number,
  lastMs: number,
): Promise<UnclaimedSeriesRow[]> {
  const values = [user_id, provider, keys, seriesIds, firstMs, lastMs];
  return transaction.query<UnclaimedSeriesRow>(select, values);
}

/** Unclaimed samples of one UTC day of a series. */
export interface UnclaimedRow {
  readonly series_id: number;
  readonly day: number;
  readonly zone_offset_minutes: number;
  readonly times: readonly number[];
  readonly values: readonly number[];
}

/** A workout without claimed samples. */
export interface UnclaimedWorkout {
  readonly key: string;
  readonly device: string;
  readonly start_ms: number;
  readonly end_ms: number;
}

const selectSamples = {
  name: 'timeseries-select-unclaimed-samples',
  text: `
    select s.id as series_id, (x.ts at time zone 'UTC')::date - date '1970-01-01' as day, x.zone_offset_minutes,
      array_agg((extract(epoch from x.ts) * 1000)::float8 order by x.ts) as times, array_agg(x.value order by x.ts) as values
    from timeseries.series s
    join timeseries.sample x on x.series_id = s.id and x.ts < s.unclaimed_until
      and x.ts >= to_timestamp($6::float8 / 1000) and x.ts <= to_timestamp($7::float8 / 1000)
    where s.user_id = $1 and s.provider = $2 and s.device = $4 and s.type_id = any($5)
      and not exists (select from timeseries.activity_block b where b.user_id = $1 and b.provider = $2 and b.key = $3)
      and not exists (
        select from timeseries.workout w
        where w.user_id = $1 and w.provider = $2 and w.device = $4 and w.key <> $3 and w.deleted_at is null
          and w.start_time > to_timestamp($6::float8 / 1000) - interval '31 days'
          and w.start_time <= x.ts and w.end_time >= x.ts)
    group by 1, 2, 3`,
};

/** Unclaimed samples within a workout that no other workout of its provider and device covers. */
export function selectUnclaimedSamples(
  transaction: Queryable,
  userId: string,
  provider: string,
  { key, device, start_ms, end_ms }: UnclaimedWorkout,
  typeIds: readonly number[],
): Promise<UnclaimedRow[]> {
  const values = [userId, provider, key, device, typeIds, start_ms, end_ms];
  return transaction.query<UnclaimedRow>(selectSamples, values);
}
