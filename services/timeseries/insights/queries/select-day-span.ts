import type { Queryable } from '../../../../mixins/database/database.ts';
import { workoutTable } from '../../queries/select-workouts.ts';
import type { FactRange } from '../fact-range.ts';

const edge = (order: 'asc' | 'desc') => {
  const outer = order === 'asc' ? 'min' : 'max';
  const of = (table: string, date: string, listed = 'true') =>
    `select ${outer}(${date}) as date from ${table} where user_id = $1 and ${date} between $2 and $3 and ${listed}`;
  return `(select ${outer}(date)::text from (
    ${of('timeseries.sleep_session', 'date')}
    union all ${of(workoutTable.table, 'local_date', workoutTable.listed)}
    union all ${of('timeseries.provider_day', 'date')}
    union all select ${outer}(d.date) from timeseries.series s cross join lateral (
      select date from timeseries.sample_local_day where series_id = s.id and date between $2 and $3
      order by date ${order} limit 1) d where s.user_id = $1
  ) edges)`;
};

const statement = {
  name: 'timeseries-select-day-span',
  text: `select ${edge('asc')} as first_date, ${edge('desc')} as last_date`,
};

/** The first and the last local day of a range with data. Null if no day has some. */
export async function selectDaySpan(
  database: Queryable,
  { user_id, first_date, last_date }: FactRange,
): Promise<{ first_date: string | null; last_date: string | null }> {
  const [row] = await database.query<{ first_date: string | null; last_date: string | null }>(statement, [
    ...[user_id, first_date, last_date],
  ]);
  return row ?? { first_date: null, last_date: null };
}
