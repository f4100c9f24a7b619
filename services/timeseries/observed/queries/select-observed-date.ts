import type { Queryable } from '../../../../mixins/database/database.ts';
import type { ObservedScope } from '../observed-scope.ts';

const nextOf = (order: 'asc' | 'desc') => {
  const [sign, pick, bound] =
    order === 'asc'
      ? ['>=', 'min', `start_time >= $2::date - interval '18 hours'`]
      : ['<=', 'max', `start_time < $2::date + interval '42 hours'`];
  const first = (table: string, column: string) => `
    select (select ${column} from ${table} where user_id = $1 and ${column} ${sign} $2::date order by ${column} ${order} limit 1)`;
  return `
    select ${pick}(found.date)::text as date from (
      select (select date from timeseries.sample_local_day where series_id = s.id and date ${sign} $2::date
        order by date ${order} limit 1) as date
      from timeseries.series s where s.user_id = $1 and s.id = any($3)
      union all
      select (select ${order === 'asc' ? 'greatest' : 'least'}($2::date, (timeseries.local_midnight(start_time, zone_offset_minutes) at time zone 'UTC')::date)
        from timeseries.interval_value where series_id = s.id and ${bound} order by start_time ${order} limit 1)
      from timeseries.series s where s.user_id = $1 and s.id = any($4)
      union all select * from (${first('timeseries.sleep_session', 'date')}) x where $5
      union all select * from (${first('timeseries.workout', 'local_date')}) x where $6
      union all select * from (${first('timeseries.provider_day', 'date')}) x where $7) found`;
};

const statements = {
  asc: { name: 'timeseries-select-observed-date-asc', text: nextOf('asc') },
  desc: { name: 'timeseries-select-observed-date-desc', text: nextOf('desc') },
};

/** The next local day, from a day on, that may have data; null if there is none. */
export async function selectObservedDate(
  database: Queryable,
  { userId, samples, intervals, sleep, workouts, days }: ObservedScope,
  from: string,
  order: 'asc' | 'desc',
): Promise<string | null> {
  const values = [userId, from, samples, intervals, sleep, workouts.length > 0, days.length > 0];
  const [row] = await database.query<{ date: string | null }>(statements[order], values);
  return row?.date ?? null;
}
