import type { Aggregate, ChartSeries } from '../../../../contracts/timeseries/chart.ts';
import { sampleSource } from '../../../../domain/records/recording-method.ts';
import { seriesById } from '../../../../domain/records/series.ts';
import { formatInstant } from '../../../../domain/time/time.ts';
import type { ChartRow } from '../queries/select-chart-buckets.ts';
import type { SpanStatistics } from '../queries/select-span-statistics.ts';
import type { ChartBucket } from './chart-buckets.ts';

const columns: Readonly<Record<Aggregate, (row: ChartRow) => number>> = {
  // No interval begins in a bucket in which only the end of one counts.
  avg: ({ sum, n }) => rounded(sum / Math.max(n, 1)),
  min: ({ low }) => rounded(low),
  max: ({ high }) => rounded(high),
  count: ({ n }) => n,
  value: ({ value }) => rounded(value),
};

/** Not of sums: of intervals a bucket has only the parts that count, which have no least and no largest sample. */
const extremes: ReadonlySet<Aggregate> = new Set(['min', 'max']);

/** The wire form of a source's points, which are not empty, and of its statistics. */
export function chartSeriesOf(
  source: SpanStatistics,
  bucket: ChartBucket | null,
  rows: readonly ChartRow[],
  aggregates: readonly Aggregate[],
): ChartSeries {
  const { type, unit, bucket: aggregate } = seriesById(source.type_id);
  const first = rows[0]?.at ?? 0;
  const names = aggregate === 'sum' ? aggregates.filter((name) => !extremes.has(name)) : aggregates;
  const shown = Object.fromEntries(names.map((name) => [name, rows.map(columns[name])]));
  return {
    ...{ type, unit, ...sampleSource(source.provider, source.device), aggregate },
    bucket_seconds: bucket === null ? null : bucket.widthMs / 1000,
    statistics: statisticsOf(source),
    first_time: formatInstant(Math.floor(first / 1000)),
    offset_seconds: rows.map(({ at }) => (Math.floor(at / 1000) - Math.floor(first / 1000)) / 1000),
    ...shown,
  };
}

function statisticsOf(source: SpanStatistics): ChartSeries['statistics'] {
  const { type_id, n, min, max } = source;
  const isSum = seriesById(type_id).bucket === 'sum';
  const bounds = isSum ? { min: null, max: null } : { min: rounded(min), max: rounded(max) };
  return { count: n, value: rounded(aggregateOf(source)), ...bounds };
}

function aggregateOf({ type_id, n, sum, energy, last }: SpanStatistics): number {
  const { bucket } = seriesById(type_id);
  const values = { sum, mean: sum / n, leq: 10 * Math.log10((energy ?? 0) / n), last };
  return values[bucket];
}

function rounded(value: number): number {
  return Number(value.toPrecision(9));
}
