import { isoTime, type Range } from '../../../../domain/time/time.ts';
import type { Queryable } from '../../../../mixins/database/database.ts';

const statement = {
  name: 'timeseries-select-counting-hours',
  text: `
    select distinct (extract(epoch from bucket) * 1000)::float8 as ms from timeseries.sample_hour
    where series_id = any($1) and bucket > $2::timestamptz - interval '1 hour' and bucket < $3 and mask <> 0
    order by ms`,
};

/** The UTC hours of a range in which something of the series counts, ascending. */
export async function selectCountingHours(
  database: Queryable,
  seriesIds: readonly number[],
  { startMs, endMs }: Range,
): Promise<number[]> {
  const values = [seriesIds, isoTime(startMs), isoTime(endMs)];
  const rows = await database.query<{ ms: number }>(statement, values);
  return rows.map(({ ms }) => ms);
}
