import {
  type Aggregate,
  type Chart,
  ChartResolution,
  type ChartSeries,
  longestChartDays,
  mostChartPoints,
  mostChartSamples,
} from '../../../contracts/timeseries/chart.ts';
import type { timeseries } from '../../../contracts/timeseries.ts';
import type { ParamsOf } from '../../../domain/contract.ts';
import { ServiceError, validationFailed } from '../../../domain/errors.ts';
import { sampleSource } from '../../../domain/records/recording-method.ts';
import { seriesById } from '../../../domain/records/series.ts';
import {
  dayMs,
  formatInstant,
  hourMs,
  type Instant,
  minuteMs,
  type Range,
  resolveRange,
} from '../../../domain/time/time.ts';
import type { Queryable } from '../../../mixins/database/database.ts';
import { piecesOf, scanRangeOf } from '../rules/scan-range.ts';
import type { Settings } from '../rules/sources.ts';
import {
  bucketOfWidth,
  type ChartBucket,
  type ChartLimits,
  type ChartRow,
  chartBucketFor,
  fitsChart,
  pointsOf,
  type SpanStatistics,
  selectChartBuckets,
  selectSpanStatistics,
  widenToBuckets,
} from '../tables/chart.ts';
import { selectIntervalStatistics } from '../tables/interval-statistics.ts';
import { countedBuckets, type IntervalReading, readScanRange, scanContext } from './read-scan-range.ts';
import { typeIdsOf } from './samples.ts';

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
  request: ParamsOf<typeof timeseries, 'chart'>,
): Promise<Chart> {
  const range = rangeOf(request.start_time, request.end_time);
  const typeIds = typeIdsOf(request.types) ?? [];
  const reading = { database, userId: request.user_id, order: sourceOrder };
  const sources = await spanStatistics(reading, typeIds, range);
  const { resolution = null, max_points: mostPoints } = request;
  const all = { mostPoints, mostSamples: mostChartSamples };
  const common = resolution === null ? null : resolutionFor(sources, range, resolution, all);
  const each = { mostPoints, mostSamples: mostChartSamples / typeIds.length };
  const bucket = common === null ? null : bucketOfResolution(common);
  const groups = common === null ? groupsOf(sources, range, each) : [{ bucket, sources }];
  const seriesOfGroups = await Promise.all(
    groups.map((group) => readGroup(reading, group, range, request.aggregates)),
  );
  const series = seriesOfGroups.flat().map(({ source, ...points }) => ({
    ...points,
    source: { ...source, provider: shownAs(source.provider) },
  }));
  const shown = bucket === null ? range : widenToBuckets(range, bucket);
  return {
    start_time: formatInstant(shown.startMs),
    end_time: formatInstant(shown.endMs),
    resolution: common,
    series: series.toSorted((a, b) => request.types.indexOf(a.type) - request.types.indexOf(b.type)),
  };
}

function rangeOf(start_time: Instant, end_time: Instant): Range {
  const range = resolveRange(start_time, end_time, ['start_time', 'end_time']);
  if (range.endMs - range.startMs <= longestChartDays * dayMs) return range;
  const message = `must be at most ${longestChartDays} days after start_time`;
  throw new ServiceError('RANGE_INVALID', `end_time ${message}.`, {
    errors: [{ field: 'end_time', message }],
  });
}

function groupsOf(statistics: readonly SpanStatistics[], range: Range, limits: ChartLimits): Group[] {
  const byType = [...Map.groupBy(statistics, ({ type_id }) => type_id).values()];
  const sized = byType.map((sources) => ({ sources, bucket: chartBucketFor(sources, range, limits) }));
  return [...Map.groupBy(sized, ({ bucket }) => bucket)].map(([bucket, types]) => ({
    bucket,
    sources: types.flatMap(({ sources }) => sources),
  }));
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
  const isStored = ({ is_interval }: SpanStatistics) => bucket.widthMs >= hourMs || !is_interval;
  const stored = sources.filter(isStored).map(({ id }) => id);
  const rows = await selectChartBuckets(reading.database, stored, functionOf, shown, bucket, mostRows);
  const cut = sources.filter((source) => !isStored(source));
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
      series_id,
      at: startMs * 1000,
      value,
      n,
      sum: value,
      low: value,
      high: value,
    }));
}

/** Finest first. */
const widths: Readonly<Record<ChartResolution, number | null>> = {
  raw: null,
  '1min': minuteMs,
  '5min': 5 * minuteMs,
  '15min': 15 * minuteMs,
  '1hour': hourMs,
  '1day': dayMs,
  '1week': 7 * dayMs,
  '4weeks': 28 * dayMs,
};

/** The bucket of a resolution; null for samples. */
function bucketOfResolution(resolution: ChartResolution): ChartBucket | null {
  const width = widths[resolution];
  return width === null ? null : bucketOfWidth(width);
}

/**
 * The given resolution of all series, or the finest one that fits. @throws VALIDATION_FAILED (422) naming the finest
 * resolution that is possible, if the given one has too many points
 */
export function resolutionFor(
  sources: readonly SpanStatistics[],
  range: Range,
  requested: ChartResolution | 'finest',
  limits: ChartLimits,
): ChartResolution {
  const fits = (resolution: ChartResolution) =>
    fitsChart(sources, range, bucketOfResolution(resolution), limits);
  const tooMany = (field: string, must: string, resolution: ChartResolution) => {
    const points = pointsOf(sources, range, bucketOfResolution(resolution));
    const message = `${must}: at ${resolution} there are ${points} values, and an answer has at most ${limits.mostPoints}`;
    return validationFailed([{ field, message }]);
  };
  // At raw resolution overlapping intervals would be shown beside each other.
  const mustCut = sources.some(({ is_interval }) => is_interval) && requested !== 'raw';
  const finest = ChartResolution.options.find(
    (resolution) => fits(resolution) && !(mustCut && resolution === 'raw'),
  );
  if (finest === undefined) throw tooMany('types', 'must be fewer, or the range shorter', '4weeks');
  const wanted = requested === 'finest' ? finest : requested;
  if (fits(wanted)) return wanted;
  throw tooMany('resolution', `must be ${finest} or coarser for this range and these types`, wanted);
}

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
function chartSeriesOf(
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
    type,
    unit,
    ...sampleSource(source.provider, source.device),
    aggregate,
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

/** The series of the given types with data in a range, with their statistics there, ordered by type and source. */
async function spanStatistics(
  reading: IntervalReading,
  typeIds: readonly number[],
  range: Range,
): Promise<SpanStatistics[]> {
  const { database, userId } = reading;
  const pieces = piecesOf(range);
  const [samples, intervals] = await Promise.all([
    selectSpanStatistics(database, userId, typeIds, range, pieces),
    selectIntervalStatistics(database, userId, typeIds, range),
  ]);
  if (intervals.length === 0) return samples;
  const counted = await withEdges(reading, intervals, pieces.edges);
  return [...samples, ...counted].toSorted(
    (a, b) => a.type_id - b.type_id || byText(a.provider, b.provider) || byText(a.device, b.device),
  );
}

/** Adds what counts in the parts of hours at the edges of the range. */
async function withEdges(
  reading: IntervalReading,
  series: readonly SpanStatistics[],
  edges: readonly Range[],
): Promise<SpanStatistics[]> {
  const grid = { widthMs: hourMs, originMs: 0 };
  const parts = await Promise.all(edges.map((edge) => countedBuckets(reading, series, edge, grid)));
  const sums = new Map<number, number>();
  for (const { series_id, value } of parts.flat()) sums.set(series_id, (sums.get(series_id) ?? 0) + value);
  return series.map((row) => ({ ...row, sum: row.sum + (sums.get(row.id) ?? 0) }));
}

function byText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
