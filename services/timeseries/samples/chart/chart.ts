import {
  type Aggregate,
  type Chart,
  type ChartResolution,
  type ChartSeries,
  longestChartDays,
  mostChartPoints,
  mostChartSamples,
} from '../../../../contracts/timeseries/chart.ts';
import { ServiceError } from '../../../../domain/errors.ts';
import { type SeriesType, seriesById } from '../../../../domain/records/series.ts';
import {
  dayMs,
  formatInstant,
  hourMs,
  type Instant,
  type Range,
  resolveRange,
} from '../../../../domain/time/time.ts';
import type { Queryable } from '../../../../mixins/database/database.ts';
import { countedBuckets, type IntervalReading } from '../../intervals/interval-buckets.ts';
import type { Settings } from '../../settings.ts';
import { type ChartRow, selectChartBuckets } from '../queries/select-chart-buckets.ts';
import type { SpanStatistics } from '../queries/select-span-statistics.ts';
import { readScanRange, scanContext } from '../read-scan-range.ts';
import { typeIdsOf } from '../samples.ts';
import { scanRangeOf } from '../scan-range.ts';
import { spanStatistics } from '../span-statistics.ts';
import { type ChartBucket, chartBucketFor, widenToBuckets } from './chart-buckets.ts';
import { bucketOfResolution, type ChartLimits, resolutionFor } from './chart-resolution.ts';
import { chartSeriesOf } from './chart-series.ts';

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
  { shownAs, sourceOrder }: Settings,
  request: ChartRequest,
): Promise<Chart> {
  const range = rangeOf(request);
  const typeIds = typeIdsOf(request.types) ?? [];
  const reading = { database, userId: request.user_id, order: sourceOrder };
  const found = await spanStatistics(reading, typeIds, range);
  const { resolution = null, max_points: mostPoints } = request;
  const all = { mostPoints, mostSamples: mostChartSamples };
  const common = resolution === null ? null : resolutionFor(found, range, resolution, all);
  const each = { mostPoints, mostSamples: mostChartSamples / typeIds.length };
  const groups = common === null ? groupsOf(found, range, each) : [commonGroup(found, common)];
  const read = await Promise.all(groups.map((group) => readGroup(reading, group, range, request.aggregates)));
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
  reading: IntervalReading,
  group: Group,
  range: Range,
  aggregates: readonly Aggregate[],
): Promise<ChartSeries[]> {
  const { bucket, sources } = group;
  const rows = Map.groupBy(await readRows(reading, group, range), ({ series_id }) => series_id);
  return sources.flatMap((source) => {
    const own = rows.get(source.id);
    return own === undefined ? [] : [chartSeriesOf(source, bucket, own, aggregates)];
  });
}

// The number of points was bounded when the buckets were chosen. This bound is for samples that are stored meanwhile.
const mostRows = 12 * mostChartPoints;

async function readRows(
  reading: IntervalReading,
  { bucket, sources }: Group,
  range: Range,
): Promise<ChartRow[]> {
  const ids = sources.map(({ id }) => id);
  if (bucket === null) {
    const scanRange = scanRangeOf(ids, range, null, null);
    const rows = await readScanRange(scanContext(reading, sources), scanRange, null, mostRows);
    return rows.map((row) => ({ ...row, n: 1, sum: row.value, low: row.value, high: row.value }));
  }
  const functions = new Map(sources.map(({ id, type_id }) => [id, seriesById(type_id).bucket]));
  const functionOf = (id: number) => functions.get(id) ?? 'mean';
  const shown = widenToBuckets(range, bucket);
  const fromStatistics = (one: SpanStatistics) => bucket.widthMs >= hourMs || !one.is_interval;
  const stored = sources.filter(fromStatistics).map(({ id }) => id);
  const rows = await selectChartBuckets(reading.database, stored, functionOf, shown, bucket, mostRows);
  const cut = sources.filter((one) => !fromStatistics(one));
  return cut.length === 0 ? rows : [...rows, ...(await intervalBuckets(reading, cut, shown, bucket))];
}

async function intervalBuckets(
  reading: IntervalReading,
  series: readonly SpanStatistics[],
  range: Range,
  bucket: ChartBucket,
): Promise<ChartRow[]> {
  const counted = await countedBuckets(reading, series, range, bucket);
  return counted
    .toSorted((a, b) => a.startMs - b.startMs)
    .map(({ series_id, startMs, n, value }) => ({
      ...{ series_id, at: startMs * 1000, value },
      ...{ n, sum: value, low: value, high: value },
    }));
}
