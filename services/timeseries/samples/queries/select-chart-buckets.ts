import { isoTime, type Range } from '../../../../domain/time.ts';
import type { Queryable } from '../../../../mixins/database.ts';
import type { ChartBucket } from '../chart-buckets.ts';
import type { FunctionOf } from '../read-scan-range.ts';
import type { SpanRow } from './select-spans.ts';

// For buckets below an hour, of a bounded number of samples. Longer buckets are made of the hourly statistics.
const statement = {
  name: 'timeseries-select-chart-buckets',
  text: `
    select s.id as series_id, (extract(epoch from b.bucket) * 1000000)::float8 as at, b.n::float8, b.sum, b.low, b.high,
      case s.function when 'sum' then b.sum when 'mean' then b.sum / b.n when 'leq' then 10 * log10(b.energy / b.n)
        else (select value from timeseries.sample where series_id = s.id and ts = b.last_ts and ts >= $3 and ts < $4)
      end as value
    from unnest($1::int[], $2::text[]) s (id, function)
    cross join lateral (
      select date_bin($5::interval, ts, $6::timestamptz) as bucket, count(*) as n, sum(value) as sum, min(value) as low,
        max(value) as high, max(ts) as last_ts, sum(case when s.function = 'leq' then power(10, value / 10) end) as energy
      from timeseries.sample where series_id = s.id and ts >= $3 and ts < $4
      group by 1
    ) b
    order by b.bucket, s.id limit $7`,
};

/** At most `most` buckets below an hour of series in a range of whole buckets, oldest first. */
export function selectChartBuckets(
  database: Queryable,
  seriesIds: readonly number[],
  functionOf: FunctionOf,
  { startMs, endMs }: Range,
  { widthMs, originMs }: ChartBucket,
  most: number,
): Promise<SpanRow[]> {
  return database.query<SpanRow>(statement, [
    seriesIds,
    seriesIds.map(functionOf),
    isoTime(startMs),
    isoTime(endMs),
    `${widthMs / 1000} seconds`,
    isoTime(originMs),
    most,
  ]);
}
