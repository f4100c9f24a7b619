import { seriesOf } from '../../../../domain/records/series.ts';
import { isoTime } from '../../../../domain/time/time.ts';
import type { Queryable } from '../../../../mixins/database/database.ts';
import type { FactRange, Scanned } from '../fact-range.ts';

/** The minutes of a local day of which steps are known, and the highest of them. */
export interface StepMinutesRow {
  date: string;
  provider: string;
  device: string;
  minutes: number;
  top: number[];
}

// Only days whose statistics count enough samples are shown: slots of a quarter of an hour say nothing about a minute. The series is
// scanned once for all days. Local minutes are whole numbers, and only the values of a day are sorted, for its highest 30: a year
// takes 0.3 s, with dates and times, or one sort of all days, more than twice that.
const statement = {
  name: 'timeseries-select-step-minutes',
  text: `
    select d.date::text, s.provider, s.device, cardinality(m.steps) as minutes, t.top
    from timeseries.series s
    cross join lateral (
      select date '1970-01-01' + minute / 1440 as date, array_agg(steps) as steps from (
        select floor(date_part('epoch', ts) / 60)::int + zone_offset_minutes as minute, sum(value) as steps
        from timeseries.sample
        where series_id = s.id and ts >= $4 and ts < $5
          and ts >= $2::date::timestamp at time zone 'UTC' - interval '18 hours'
          and ts < $3::date::timestamp at time zone 'UTC' + interval '42 hours'
        group by 1
      ) minutes group by 1
    ) m
    join timeseries.sample_local_day d on d.series_id = s.id and d.date = m.date and d.date between $2 and $3 and d.n >= 600
    cross join lateral (
      select array_agg(steps order by steps desc) as top from (select steps from unnest(m.steps) steps order by steps desc limit 30) highest
    ) t
    where s.user_id = $1 and s.type_id = ${seriesOf('steps').id} and exists (
      select from timeseries.sample_local_day where series_id = s.id and date between $2 and $3 and n >= 600)
    order by 1, 2, 3`,
};

/** The minutes with known steps of local days that have at least 600 samples of steps. */
export function selectStepMinutes(
  database: Queryable,
  { user_id, first_date, last_date }: FactRange,
  { startMs, endMs }: Scanned,
): Promise<StepMinutesRow[]> {
  const values = [user_id, first_date, last_date, isoTime(startMs), isoTime(endMs)];
  return database.query<StepMinutesRow>(statement, values);
}
