import {
  type Aggregate,
  type Chart,
  type ChartResolution,
  type ChartSeries,
  longestChartDays,
  mostChartPoints,
  mostChartSamples,
} from '../../../contracts/timeseries/chart.ts';
import { ServiceError } from '../../../domain/errors.ts';
import { type SeriesType, seriesById } from '../../../domain/series.ts';
import { dayMs, formatInstant, type Instant, type Range, resolveRange } from '../../../domain/time.ts';
import type { Queryable } from '../../../mixins/database.ts';
import type { Settings } from '../settings.ts';
import { type ChartBucket, chartBucketFor, widenToBuckets } from './chart-buckets.ts';
import { bucketOfResolution, type ChartLimits, resolutionFor } from './chart-resolution.ts';
import { chartSeriesOf } from './chart-series.ts';
import { type ChartRow, selectChartBuckets } from './queries/select-chart-buckets.ts';
import { selectSamples } from './queries/select-samples.ts';
import { type SpanStatistics, selectSpanStatistics } from './queries/select-span-statistics.ts';
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
  readonly resolution?: ChartResolution | 'finest' | undefined;
}

/** Series with the same bucket, which one statement reads. */
interface Group {
  readonly bucket: ChartBucket | null;
  readonly sources: readonly SpanStatistics[];
}

/**
 * Series of a range with a bounded number of points: each type with its own bucket, or all with the one of `resolution`.
 * @throws RANGE_INVALID (422), VALIDATION_FAILED (422) if `resolution` has too many points
 */
export async function readChart(
  database: Queryable,
  { shownAs }: Settings,
  request: ChartRequest,
): Promise<Chart> {
  const range = rangeOf(request);
  const typeIds = typeIdsOf(request.types) ?? [];
  const found = await selectSpanStatistics(database, request.user_id, typeIds, range, piecesOf(range));
  const { resolution = null, max_points: mostPoints } = request;
  const all = { mostPoints, mostSamples: mostChartSamples };
  const common = resolution === null ? null : resolutionFor(found, range, resolution, all);
  const each = { mostPoints, mostSamples: mostChartSamples / typeIds.length };
  const groups = common === null ? groupsOf(found, range, each) : [commonGroup(found, common)];
  const read = await Promise.all(
    groups.map((group) => readGroup(database, group, range, request.aggregates)),
  );
  const series = read.flat().map((one) => ({
    ...one,
    source: { ...one.source, provider: shownAs(one.source.provider) },
  }));
  const shown = common === null ? range : widened(range, bucketOfResolution(common));
  return {
    start_time: formatInstant(shown.startMs),
    end_time: formatInstant(shown.endMs),
    resolution: common,
    series: series.toSorted((a, b) => request.types.indexOf(a.type) - request.types.indexOf(b.type)),
  };
}

function rangeOf({ start_time, end_time }: ChartRequest): Range {
  const range = resolveRange(start_time, end_time, ['start_time', 'end_time']);
  if (range.endMs - range.startMs <= longestChartDays * dayMs) return range;
  const message = `must be at most ${longestChartDays} days after start_time`;
  throw new ServiceError('RANGE_INVALID', `end_time ${message}.`, {
    errors: [{ field: 'end_time', message }],
  });
}

function groupsOf(found: readonly SpanStatistics[], range: Range, limits: ChartLimits): Group[] {
  const byType = [...Map.groupBy(found, ({ type_id }) => type_id).values()];
  const sized = byType.map((sources) => ({ sources, bucket: chartBucketFor(sources, range, limits) }));
  return [...Map.groupBy(sized, ({ bucket }) => bucket)].map(([bucket, types]) => ({
    bucket,
    sources: types.flatMap(({ sources }) => sources),
  }));
}

function commonGroup(sources: readonly SpanStatistics[], resolution: ChartResolution): Group {
  return { bucket: bucketOfResolution(resolution), sources };
}

function widened(range: Range, bucket: ChartBucket | null): Range {
  return bucket === null ? range : widenToBuckets(range, bucket);
}

async function readGroup(
  database: Queryable,
  group: Group,
  range: Range,
  aggregates: readonly Aggregate[],
): Promise<ChartSeries[]> {
  const { bucket, sources } = group;
  const rows = Map.groupBy(await readRows(database, group, range), ({ series_id }) => series_id);
  return sources.flatMap((source) => {
    const own = rows.get(source.id);
    return own === undefined ? [] : [chartSeriesOf(source, bucket, own, aggregates)];
  });
}

// The number of points was bounded when the buckets were chosen. This bound is for samples that are stored meanwhile.
const mostRows = 12 * mostChartPoints;

async function readRows(database: Queryable, { bucket, sources }: Group, range: Range): Promise<ChartRow[]> {
  const ids = sources.map(({ id }) => id);
  if (bucket === null) {
    const rows = await selectSamples(database, scanRangeOf(ids, range, null, null), mostRows);
    return rows.map((row) => ({ ...row, n: 1, sum: row.value, low: row.value, high: row.value }));
  }
  const functions = new Map(sources.map(({ id, type_id }) => [id, seriesById(type_id).bucket]));
  const functionOf = (id: number) => functions.get(id) ?? 'mean';
  return selectChartBuckets(database, ids, functionOf, widenToBuckets(range, bucket), bucket, mostRows);
}
