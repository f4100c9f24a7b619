import { isoTime, type Range } from '../../../../domain/time/time.ts';
import type { Queryable } from '../../../../mixins/database/database.ts';
import type { SpanStatistics } from '../../samples/queries/select-span-statistics.ts';

// Hours that are only partly in the range are counted whole, as upper bounds; their sums are not.
const statement = {
  name: 'timeseries-select-interval-statistics',
  text: `
    select s.id, s.type_id, s.provider, s.device, s.is_interval, sum(h.n)::float8 as n, sum(h.n1)::float8 as n1,
      sum(h.n5)::float8 as n5, sum(h.n15)::float8 as n15, count(*)::float8 as n60, null::float8 as energy,
      coalesce(sum(h.sum) filter (where h.bucket >= $3 and h.bucket + interval '1 hour' <= $4), 0) as sum,
      min(h.sum) as min, max(h.sum) as max, (array_agg(h.sum order by h.bucket desc))[1] as last
    from timeseries.series s
    join timeseries.sample_hour h
      on h.series_id = s.id and h.bucket > $3::timestamptz - interval '1 hour' and h.bucket < $4 and h.mask <> 0
    where s.user_id = $1 and s.type_id = any($2) and s.is_interval
    group by s.id`,
};

/** The series of intervals of the given types that count in a range, with statistics of its whole hours. */
export function selectIntervalStatistics(
  database: Queryable,
  userId: string,
  typeIds: readonly number[],
  { startMs, endMs }: Range,
): Promise<SpanStatistics[]> {
  return database.query<SpanStatistics>(statement, [userId, typeIds, isoTime(startMs), isoTime(endMs)]);
}
