import type { Aggregate, Chart, ChartSeries } from '../../../contracts/timeseries/chart.ts';
import { longestOverviewDays, mostOverviewValues } from '../../../contracts/timeseries/overview.ts';
import { ServiceError } from '../../../domain/errors.ts';
import { type SeriesType, seriesById } from '../../../domain/series.ts';
import {
  dayMs,
  formatInstant,
  hourMs,
  type Instant,
  type Range,
  resolveRange,
} from '../../../domain/time.ts';
import type { Queryable } from '../../../mixins/database.ts';
import type { Settings } from '../settings.ts';
import { type ChartBucket, chartBucketFor, widenToBuckets } from './chart-buckets.ts';
import { selectChartBuckets } from './queries/select-chart-buckets.ts';
import { selectSamples } from './queries/select-samples.ts';
import { type SpanStatistics, selectSpanStatistics } from './queries/select-span-statistics.ts';
import { type SpanRow, selectSpans } from './queries/select-spans.ts';
import { piecesOf } from './range-pieces.ts';
import { typeIdsOf } from './samples.ts';
import { scanRangeOf } from './scan-range.ts';

interface ChartRequest {
  readonly user_id: string;
  readonly start_time: Instant;
  readonly end_time: Instant;
  readonly types: readonly SeriesType[];
  readonly max_points: number;
  readonly aggregates: readonly Aggregate[];
}

/** The samples that a chart may read beside the hourly statistics: 60 ms at one sample a second. */
const mostSamples = 200_000;

/** Series with the same bucket, which one statement reads. */
interface Group {
  readonly bucket: ChartBucket | null;
  readonly sources: readonly SpanStatistics[];
}

/** Series of a range, each type with a bounded number of points. @throws RANGE_INVALID (422) */
export async function readChart(
  database: Queryable,
  { shownAs }: Settings,
  request: ChartRequest,
): Promise<Chart> {
  const range = rangeOf(request);
  const typeIds = typeIdsOf(request.types) ?? [];
  const found = await selectSpanStatistics(database, request.user_id, typeIds, range, piecesOf(range));
  const limits = { mostPoints: request.max_points, mostSamples: mostSamples / typeIds.length };
  const groups = groupsOf(found, range, limits);
  const read = await Promise.all(
    groups.map(async (group) =>
      seriesOfGroup(group, await readGroup(database, group, range), request.aggregates),
    ),
  );
  const series = read.flat().map((one) => ({
    ...one,
    source: { ...one.source, provider: shownAs(one.source.provider) },
  }));
  return {
    start_time: formatInstant(range.startMs),
    end_time: formatInstant(range.endMs),
    series: series.toSorted((a, b) => request.types.indexOf(a.type) - request.types.indexOf(b.type)),
  };
}

function rangeOf({ start_time, end_time }: ChartRequest): Range {
  const range = resolveRange(start_time, end_time, ['start_time', 'end_time']);
  if (range.endMs - range.startMs <= longestOverviewDays * dayMs) return range;
  const message = `must be at most ${longestOverviewDays} days after start_time`;
  throw new ServiceError('RANGE_INVALID', `end_time ${message}.`, {
    errors: [{ field: 'end_time', message }],
  });
}

function groupsOf(
  found: readonly SpanStatistics[],
  range: Range,
  limits: { readonly mostPoints: number; readonly mostSamples: number },
): Group[] {
  const byType = [...Map.groupBy(found, ({ type_id }) => type_id).values()];
  const sized = byType.map((sources) => ({ sources, bucket: chartBucketFor(sources, range, limits) }));
  return [...Map.groupBy(sized, ({ bucket }) => bucket)].map(([bucket, types]) => ({
    bucket,
    sources: types.flatMap(({ sources }) => sources),
  }));
}

// The number of points was bounded when the buckets were chosen. This bound is for samples that are stored meanwhile.
const mostRows = 12 * mostOverviewValues;

async function readGroup(database: Queryable, { bucket, sources }: Group, range: Range): Promise<SpanRow[]> {
  const ids = sources.map(({ id }) => id);
  if (bucket === null) {
    const rows = await selectSamples(database, scanRangeOf(ids, range, null, null), mostRows);
    return rows.map((row) => ({ ...row, n: 1, sum: row.value, low: row.value, high: row.value }));
  }
  const functions = new Map(sources.map(({ id, type_id }) => [id, seriesById(type_id).bucket]));
  const select = bucket.widthMs < hourMs ? selectChartBuckets : selectSpans;
  const functionOf = (id: number) => functions.get(id) ?? 'mean';
  return select(database, ids, functionOf, widenToBuckets(range, bucket), bucket, mostRows);
}

function seriesOfGroup(
  { bucket, sources }: Group,
  rows: readonly SpanRow[],
  aggregates: readonly Aggregate[],
): ChartSeries[] {
  const bySeries = Map.groupBy(rows, ({ series_id }) => series_id);
  return sources.flatMap((source) => {
    const own = bySeries.get(source.id);
    return own === undefined ? [] : [toSeries(source, bucket, own, aggregates)];
  });
}

const columns: Readonly<Record<Aggregate, (row: SpanRow) => number>> = {
  avg: ({ sum, n }) => rounded(sum / n),
  min: ({ low }) => rounded(low),
  max: ({ high }) => rounded(high),
  count: ({ n }) => n,
  value: ({ value }) => rounded(value),
};

function toSeries(
  { type_id, provider, device }: SpanStatistics,
  bucket: ChartBucket | null,
  rows: readonly SpanRow[],
  aggregates: readonly Aggregate[],
): ChartSeries {
  const { type, unit, bucket: aggregate } = seriesById(type_id);
  const first = rows[0]?.at ?? 0;
  const shown = Object.fromEntries(aggregates.map((name) => [name, rows.map(columns[name])]));
  return {
    ...{ type, unit, source: { provider, device }, aggregate },
    bucket_seconds: bucket === null ? null : bucket.widthMs / 1000,
    first_time: formatInstant(Math.floor(first / 1000)),
    offset_seconds: rows.map(({ at }) => (Math.floor(at / 1000) - Math.floor(first / 1000)) / 1000),
    ...shown,
  };
}

function rounded(value: number): number {
  return Number(value.toPrecision(9));
}
