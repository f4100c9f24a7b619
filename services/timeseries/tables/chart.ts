import { seriesCatalogue } from '../../../domain/records/series.ts';
import { dayMs, hourMs, isoTime, minuteMs, type Range } from '../../../domain/time/time.ts';
import type { Queryable } from '../../../mixins/database/database.ts';
import type { RangePieces } from '../rules/scan-range.ts';
import type { FunctionOf } from './sample-buckets.ts';
import type { SeriesRow } from './series.ts';

/** A series of a range: the number of its samples and buckets (at the edges an upper bound), and their statistics. */
export interface SpanStatistics extends SeriesRow {
  readonly n: number;
  readonly n1: number;
  readonly n5: number;
  readonly n15: number;
  readonly n60: number;
  readonly sum: number;
  /** The sum of energies of levels in dB; null for other types. */
  readonly energy: number | null;
  readonly min: number;
  readonly max: number;
  readonly last: number;
}

const levels = seriesCatalogue.filter(({ bucket }) => bucket === 'leq').map(({ id }) => id);

const edgeSamples = (first: string, end: string) => `
  select count(*), least(count(*), 60), least(count(*), 12), least(count(*), 4), least(count(*), 1), sum(value),
    sum(case when s.type_id in (${levels}) then power(10, value / 10) end), min(value), max(value)
  from timeseries.sample where series_id = s.id and ts >= ${first} and ts < ${end}`;

// Whole hours are read from the statistics, so that at most two parts of an hour read samples: a year at 1 Hz takes 2.4 ms.
const spanStatement = {
  name: 'timeseries-select-span-statistics',
  text: `
    select s.id, s.type_id, s.provider, s.device, s.is_interval, t.n::float8, t.n1::float8, t.n5::float8, t.n15::float8, t.n60::float8,
      t.sum, t.energy, t.min, t.max, l.value as last
    from timeseries.series s
    cross join lateral (
      select sum(n) as n, sum(n1) as n1, sum(n5) as n5, sum(n15) as n15, sum(n60) as n60, sum(sum) as sum,
        sum(energy) as energy, min(min) as min, max(max) as max
      from (
        select n, n1, n5, n15, 1 as n60, sum, energy, min, max
        from timeseries.sample_hour where series_id = s.id and bucket >= $5 and bucket < $6
        union all ${edgeSamples('$7', '$8')}
        union all ${edgeSamples('$9', '$10')}
      ) piece
    ) t
    cross join lateral (
      select value from timeseries.sample where series_id = s.id and ts >= $3 and ts < $4 order by ts desc limit 1
    ) l
    where s.user_id = $1 and s.type_id = any($2) and not s.is_interval
    order by s.type_id, s.provider, s.device`,
};

const none: Range = { startMs: 0, endMs: 0 };

/** The series of the given types that have samples in a range, with their statistics there. */
export function selectSpanStatistics(
  database: Queryable,
  userId: string,
  typeIds: readonly number[],
  range: Range,
  { days, hours, edges }: RangePieces,
): Promise<SpanStatistics[]> {
  const whole = [...(days === null ? [] : [days]), ...hours];
  const inner: Range = {
    startMs: Math.min(...whole.map(({ startMs }) => startMs)),
    endMs: Math.max(...whole.map(({ endMs }) => endMs)),
  };
  const [first = none, last = none] = edges;
  const ranges = [range, whole.length === 0 ? none : inner, first, last];
  const instants = ranges.flatMap(({ startMs, endMs }) => [isoTime(startMs), isoTime(endMs)]);
  return database.query<SpanStatistics>(spanStatement, [userId, typeIds, ...instants]);
}

/** A bucket of a chart; it begins at a multiple of its width after `originMs`. */
export interface ChartBucket {
  readonly widthMs: number;
  readonly originMs: number;
}

const monday = Date.UTC(1970, 0, 5);
const weekMs = 7 * dayMs;
const seconds = [2, 5, 10, 15, 30].map((length) => length * 1000);
const minutes = [1, 2, 5, 10, 15, 30].map((length) => length * minuteMs);
const hours = [1, 2, 3, 6, 12].map((length) => length * hourMs);
const days = [1, 2].map((length) => length * dayMs);
const weeks = [1, 2, 4, 13, 52, 1040].map((length) => length * weekMs);

/** The buckets of charts, shortest first. The longest one is longer than any range. */
const buckets: readonly ChartBucket[] = [...seconds, ...minutes, ...hours, ...days, ...weeks].map(
  bucketOfWidth,
);

/** The bucket of a width. From a week on, buckets begin on a Monday. */
export function bucketOfWidth(widthMs: number): ChartBucket {
  return { widthMs, originMs: widthMs < weekMs ? 0 : monday };
}

/** Widens a range to whole buckets. */
export function widenToBuckets({ startMs, endMs }: Range, { widthMs, originMs }: ChartBucket): Range {
  const floor = (ms: number) => Math.floor((ms - originMs) / widthMs) * widthMs + originMs;
  return { startMs: floor(startMs), endMs: floor(endMs - 1) + widthMs };
}

/** The most points of series together, and the most samples that buckets below an hour may read. */
export interface ChartLimits {
  readonly mostPoints: number;
  readonly mostSamples: number;
}

/**
 * The shortest bucket of which a chart of sources has few enough points; null if every sample is one. Intervals of several
 * sources overlap, so their points are always buckets, of a minute at least.
 */
export function chartBucketFor(
  sources: readonly SpanStatistics[],
  range: Range,
  limits: ChartLimits,
): ChartBucket | null {
  const haveIntervals = sources.some(({ is_interval }) => is_interval);
  if (!haveIntervals && fitsChart(sources, range, null, limits)) return null;
  const possible = haveIntervals ? buckets.filter(({ widthMs }) => widthMs >= minuteMs) : buckets;
  return possible.find((bucket) => fitsChart(sources, range, bucket, limits)) ?? buckets.at(-1) ?? null;
}

/** Whether sources have few enough points, and few enough samples to read for them. Null for the bucket: samples. */
export function fitsChart(
  sources: readonly SpanStatistics[],
  range: Range,
  bucket: ChartBucket | null,
  { mostPoints, mostSamples }: ChartLimits,
): boolean {
  const readsHours = bucket !== null && bucket.widthMs >= hourMs;
  const samples = sources.reduce((sum, { n }) => sum + n, 0);
  return pointsOf(sources, range, bucket) <= mostPoints && (readsHours || samples <= mostSamples);
}

/** An upper bound of the points of sources. Null for the bucket: samples. */
export function pointsOf(
  sources: readonly SpanStatistics[],
  range: Range,
  bucket: ChartBucket | null,
): number {
  if (bucket === null) return sources.reduce((sum, { n }) => sum + n, 0);
  const { startMs, endMs } = widenToBuckets(range, bucket);
  const most = (endMs - startMs) / bucket.widthMs;
  return sources.reduce((sum, source) => sum + Math.min(most, mostFilled(source, bucket.widthMs)), 0);
}

// A non-empty bucket contains a non-empty minute, five minutes, quarter or hour that it is made of. The statistics count a
// partly covered hour at the edge of the range by its samples.
function mostFilled({ n, n1, n5, n15, n60 }: SpanStatistics, widthMs: number): number {
  if (widthMs >= hourMs) return n60;
  if (widthMs >= 15 * minuteMs) return n15;
  if (widthMs >= 5 * minuteMs) return n5;
  return widthMs >= minuteMs ? n1 : n;
}

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
const sampleSource: Source = {
  name: 'samples',
  table: 'timeseries.sample',
  time: 'ts',
  columns: `count(*) as n, sum(value) as sum, min(value) as low, max(value) as high, max(ts) as last,
        sum(case when s.function = 'leq' then power(10, value / 10) end) as energy`,
  condition: 'true',
  last: '(select value from timeseries.sample where series_id = s.id and ts = b.last and ts >= $3 and ts < $4)',
};

// From the hourly statistics: a year of days takes 5.8 ms for data at one sample a second, and reads no sample.
const hourSource: Source = {
  name: 'hours',
  table: 'timeseries.sample_hour',
  time: 'bucket',
  columns: `sum(n) as n, sum(sum) as sum, min(min) as low, max(max) as high,
        (array_agg(last order by bucket desc))[1] as last, sum(energy) as energy`,
  condition: 'mask <> 0',
  last: 'b.last',
};

const bucketStatementOf = ({ name, table, time, columns, condition, last }: Source) => ({
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
const bucketStatements = { samples: bucketStatementOf(sampleSource), hours: bucketStatementOf(hourSource) };

/** At most `most` buckets of series in a range of whole buckets, oldest first. Those below an hour read samples. */
export function selectChartBuckets(
  database: Queryable,
  seriesIds: readonly number[],
  functionOf: FunctionOf,
  { startMs, endMs }: Range,
  { widthMs, originMs }: ChartBucket,
  most: number,
): Promise<ChartRow[]> {
  return database.query<ChartRow>(widthMs < hourMs ? bucketStatements.samples : bucketStatements.hours, [
    seriesIds,
    seriesIds.map(functionOf),
    isoTime(startMs),
    isoTime(endMs),
    `${widthMs / 1000} seconds`,
    isoTime(originMs),
    most,
  ]);
}
