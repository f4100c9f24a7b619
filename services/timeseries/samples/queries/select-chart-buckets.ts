import { hourMs, isoTime, type Range } from '../../../../domain/time/time.ts';
import type { Queryable } from '../../../../mixins/database/database.ts';
import type { ChartBucket } from '../chart/chart-buckets.ts';
import type { FunctionOf } from '../read-scan-range.ts';

/** One point of a series; `at` is its start in microseconds since 1970. */
export interface ChartRow {
  readonly series_id: number;
  readonly at: number;
  readonly value: number;
  /** The number and the sum of its samples. */
  readonly n: number;
  readonly sum: number;
  readonly low: number;
  readonly high: number;
}

/** What buckets are made of: a table, its time, its columns, and the last value of a bucket. */
interface Source {
  readonly name: string;
  readonly table: string;
  readonly time: string;
  readonly columns: string;
  /** Rows that count. */
  readonly condition: string;
  readonly last: string;
}

// Of a bounded number of samples: a week at one sample a second takes 180 ms.
const samples: Source = {
  name: 'samples',
  table: 'timeseries.sample',
  time: 'ts',
  columns: `count(*) as n, sum(value) as sum, min(value) as low, max(value) as high, max(ts) as last,
        sum(case when s.function = 'leq' then power(10, value / 10) end) as energy`,
  condition: 'true',
  last: '(select value from timeseries.sample where series_id = s.id and ts = b.last and ts >= $3 and ts < $4)',
};

// From the hourly statistics: a year of days takes 5.8 ms for data at one sample a second, and reads no sample.
const hours: Source = {
  name: 'hours',
  table: 'timeseries.sample_hour',
  time: 'bucket',
  columns: `sum(n) as n, sum(sum) as sum, min(min) as low, max(max) as high,
        (array_agg(last order by bucket desc))[1] as last, sum(energy) as energy`,
  condition: 'mask <> 0',
  last: 'b.last',
};

const statementOf = ({ name, table, time, columns, condition, last }: Source) => ({
  name: `timeseries-select-chart-${name}`,
  text: `
    select s.id as series_id, (extract(epoch from b.start) * 1000000)::float8 as at, b.n::float8, b.sum, b.low, b.high,
      case s.function when 'sum' then b.sum when 'mean' then b.sum / b.n when 'leq' then 10 * log10(b.energy / b.n)
        else ${last} end as value
    from unnest($1::int[], $2::text[]) s (id, function)
    cross join lateral (
      select date_bin($5::interval, ${time}, $6::timestamptz) as start, ${columns}
      from ${table} where series_id = s.id and ${time} >= $3 and ${time} < $4 and ${condition}
      group by 1
    ) b
    order by b.start, s.id limit $7`,
});
const statements = { samples: statementOf(samples), hours: statementOf(hours) };

/** At most `most` buckets of series in a range of whole buckets, oldest first. Those below an hour read samples. */
export function selectChartBuckets(
  database: Queryable,
  seriesIds: readonly number[],
  functionOf: FunctionOf,
  { startMs, endMs }: Range,
  { widthMs, originMs }: ChartBucket,
  most: number,
): Promise<ChartRow[]> {
  return database.query<ChartRow>(widthMs < hourMs ? statements.samples : statements.hours, [
    seriesIds,
    seriesIds.map(functionOf),
    isoTime(startMs),
    isoTime(endMs),
    `${widthMs / 1000} seconds`,
    isoTime(originMs),
    most,
  ]);
}
