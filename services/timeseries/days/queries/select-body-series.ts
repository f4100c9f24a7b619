import type { Queryable } from '../../../../mixins/database/database.ts';

/** The newest value of a series, and the aggregate of its samples over a period of local days. */
export interface BodySeriesRow {
  type_id: number;
  provider: string;
  device: string;
  value: number;
  at_ms: number;
  n: number;
  mean: number | null;
}

// The newest value is in the newest hour of the statistics. Samples, with a chunk per month, are not read.
const statement = {
  name: 'timeseries-select-body-series',
  text: `
    select s.type_id, s.provider, s.device, h.last as value, (extract(epoch from h.last_ts) * 1000)::float8 as at_ms,
      coalesce(d.n, 0)::float8 as n, d.total / d.n as mean
    from timeseries.series s
    cross join lateral (
      select last, last_ts from timeseries.sample_hour where series_id = s.id order by bucket desc limit 1
    ) h
    cross join lateral (
      select sum(n) as n, sum(sum) as total from timeseries.sample_local_day
      where series_id = s.id and date >= $3 and date < $4
    ) d
    where s.user_id = $1 and s.type_id = any($2)`,
};

/** A user's series of the given types. The period is the local days [firstDate, endDate). */
export function selectBodySeries(
  database: Queryable,
  userId: string,
  typeIds: readonly number[],
  { firstDate, endDate }: { firstDate: string; endDate: string },
): Promise<BodySeriesRow[]> {
  return database.query<BodySeriesRow>(statement, [userId, typeIds, firstDate, endDate]);
}
