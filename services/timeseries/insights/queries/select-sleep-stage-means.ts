import { isoTime } from '../../../../domain/time/time.ts';
import type { Queryable } from '../../../../mixins/database/database.ts';
import type { FactRange, Scanned } from '../fact-range.ts';

/** The mean of a series over a local day or the sleep of a night. */
export interface MeanRow {
  date: string;
  provider: string;
  device: string;
  type_id: number;
  n: number;
  mean: number;
}

// The sleep of a night is one multirange, so that each series is scanned once a session of the night and not once a stage. A
// session without stages counts as a whole.
const statement = {
  name: 'timeseries-select-sleep-stage-means',
  text: `
    with session as (
      select date, provider, start_time, end_time, coalesce((
        select range_agg(tstzrange(start_time + (stage ->> 1)::float8 * interval '1 second',
          start_time + (stage ->> 2)::float8 * interval '1 second'))
        from jsonb_array_elements(case jsonb_typeof(stage_intervals) when 'array' then stage_intervals end) stage
        where stage ->> 0 in ('light', 'deep', 'rem') and (stage ->> 2)::float8 > (stage ->> 1)::float8
      ), tstzmultirange(tstzrange(start_time, end_time))) as asleep
      from timeseries.sleep_session
      where user_id = $1 and date between $2 and $3 and not is_nap and end_time > start_time
    ),
    night as materialized (
      select date, provider, min(start_time) as first, max(end_time) as beyond, range_agg(asleep) as asleep
      from session group by date, provider
    )
    select n.date::text, n.provider, s.device, s.type_id, x.n::float8, x.total / x.n as mean
    from night n join timeseries.series s on s.user_id = $1 and s.provider = n.provider and s.type_id = any($4)
    cross join lateral (
      select count(*) as n, sum(value) as total from timeseries.sample
      where series_id = s.id and ts >= n.first and ts < n.beyond and ts >= $5 and ts < $6 and ts <@ n.asleep
    ) x
    where x.n > 0
    order by 1, 2, 3, 4`,
};

/** Means of series over the stages of sleep of each night and provider. */
export function selectSleepStageMeans(
  database: Queryable,
  { user_id, first_date, last_date }: FactRange,
  typeIds: readonly number[],
  { startMs, endMs }: Scanned,
): Promise<MeanRow[]> {
  const values = [user_id, first_date, last_date, typeIds, isoTime(startMs), isoTime(endMs)];
  return database.query<MeanRow>(statement, values);
}
