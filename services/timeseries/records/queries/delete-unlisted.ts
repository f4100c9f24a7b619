import { isoTime, type Range } from '../../../../domain/time.ts';
import type { Queryable } from '../../../../mixins/database.ts';

/** The user and the provider whose data is read again. */
export interface Reread {
  readonly user_id: string;
  readonly provider: string;
  readonly span: Range;
}

/** Samples by type, device and instant, as columns. */
export interface ListedSamples {
  readonly types: readonly number[];
  readonly devices: readonly string[];
  readonly times: readonly number[];
}

const samples = {
  name: 'timeseries-delete-unlisted-samples',
  text: `
    with listed as materialized (
      select s.id as series_id, to_timestamp(t.ms / 1000) as ts
      from unnest($6::smallint[], $7::text[], $8::float8[]) t (type_id, device, ms)
      join timeseries.series s on s.user_id = $1 and s.provider = $2 and s.type_id = t.type_id and s.device = t.device),
    gone as (
      delete from timeseries.sample x using timeseries.series s
      where s.user_id = $1 and s.provider = $2 and s.type_id = any($3::smallint[]) and x.series_id = s.id
        and x.ts >= $4 and x.ts < $5
        and not exists (select from listed l where l.series_id = x.series_id and l.ts = x.ts)
      returning 1)
    select count(*)::int as n from gone`,
};

/** Deletes the samples of a span that are not listed. Triggers update the statistics. Returns their number. */
export async function deleteUnlistedSamples(
  transaction: Queryable,
  { user_id, provider, span }: Reread,
  typeIds: readonly number[],
  { types, devices, times }: ListedSamples,
): Promise<number> {
  if (typeIds.length === 0) return 0;
  const bounds = [isoTime(span.startMs), isoTime(span.endMs)];
  const values = [user_id, provider, typeIds, ...bounds, types, devices, times];
  const [row] = await transaction.query<{ n: number }>(samples, values);
  return row?.n ?? 0;
}

const sleeps = {
  name: 'timeseries-delete-unlisted-sleeps',
  text: `
    with gone as (
      delete from timeseries.sleep_session where user_id = $1 and provider = $2 and start_time >= $3 and start_time < $4
        and key <> all($5::text[]) returning key),
    forgotten as (
      delete from timeseries.item where user_id = $1 and provider = $2 and data_type = $6 and key in (select key from gone))
    select count(*)::int as n from gone`,
};

/** Deletes the sleep sessions of a span whose keys are not listed. Returns their number. */
export async function deleteUnlistedSleeps(
  transaction: Queryable,
  { user_id, provider, span }: Reread,
  dataType: string,
  keys: readonly string[],
): Promise<number> {
  const values = [user_id, provider, isoTime(span.startMs), isoTime(span.endMs), keys, dataType];
  const [row] = await transaction.query<{ n: number }>(sleeps, values);
  return row?.n ?? 0;
}

const workouts = {
  name: 'timeseries-delete-unlisted-workouts',
  text: `
    with gone as (
      delete from timeseries.workout where user_id = $1 and provider = $2 and start_time >= $3 and start_time < $4
        and key <> all($5::text[]) and deleted_at is null
      returning key, device, (extract(epoch from start_time) * 1000)::float8 as start_ms,
        (extract(epoch from end_time) * 1000)::float8 as end_ms),
    forgotten as (
      delete from timeseries.item where user_id = $1 and provider = $2 and data_type = $6 and key in (select key from gone))
    select start_ms, end_ms from gone`,
};

/** Deletes the workouts of a span whose keys are not listed. Returns their spans. */
export function deleteUnlistedWorkouts(
  transaction: Queryable,
  { user_id, provider, span }: Reread,
  dataType: string,
  keys: readonly string[],
): Promise<{ start_ms: number; end_ms: number }[]> {
  const values = [user_id, provider, isoTime(span.startMs), isoTime(span.endMs), keys, dataType];
  return transaction.query(workouts, values);
}
