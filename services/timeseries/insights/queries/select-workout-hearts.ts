import { seriesOf } from '../../../../domain/records/series.ts';
import { isoTime } from '../../../../domain/time/time.ts';
import type { Queryable } from '../../../../mixins/database/database.ts';
import { workoutTable } from '../../queries/select-workouts.ts';
import type { FactRange, Scanned } from '../fact-range.ts';

/** A listed workout with its heart rates: pairs of whole beats per minute and the seconds for which they held. */
export interface WorkoutHeartRow {
  date: string;
  provider: string;
  device: string;
  type: string;
  duration_seconds: number;
  distance_meters: number | null;
  elevation_gain_meters: number | null;
  heart: [bpm: number, seconds: number][] | null;
}

// The device of the workout, otherwise the one with the most samples. A value holds until the next one, at most a minute.
const statement = {
  name: 'timeseries-select-workout-hearts',
  text: `
    select w.local_date::text as date, w.provider, w.device, w.type, w.duration_seconds::float8, w.distance_meters,
      w.elevation_gain_meters, h.heart
    from ${workoutTable.table} w
    left join lateral (
      select s.id from timeseries.series s
      join timeseries.sample_hour b on b.series_id = s.id and b.bucket >= date_trunc('hour', w.start_time)
        and b.bucket < w.end_time
      where s.user_id = $1 and s.type_id = ${seriesOf('heart_rate').id} and s.provider = w.provider
      group by s.id, s.device order by s.device = w.device desc, sum(b.n) desc, s.id limit 1
    ) best on true
    left join lateral (
      select jsonb_agg(jsonb_build_array(bpm, seconds) order by bpm) as heart from (
        select round(value) as bpm, sum(seconds) as seconds from (
          select value, least(60, date_part('epoch', lead(ts, 1, w.end_time) over (order by ts) - ts)) as seconds
          from timeseries.sample
          where series_id = best.id and ts >= w.start_time and ts < w.end_time and ts >= $4 and ts < $5
        ) held group by 1
      ) by_rate
    ) h on true
    where w.user_id = $1 and w.local_date between $2 and $3 and ${workoutTable.listed}
    order by w.local_date, w.start_time, w.id`,
};

/** The listed workouts of local days with their heart rates. */
export function selectWorkoutHearts(
  database: Queryable,
  { user_id, first_date, last_date }: FactRange,
  { startMs, endMs }: Scanned,
): Promise<WorkoutHeartRow[]> {
  const values = [user_id, first_date, last_date, isoTime(startMs), isoTime(endMs)];
  return database.query<WorkoutHeartRow>(statement, values);
}
