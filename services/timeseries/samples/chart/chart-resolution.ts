import { ChartResolution } from '../../../../contracts/timeseries/chart.ts';
import { validationFailed } from '../../../../domain/errors.ts';
import { dayMs, hourMs, minuteMs, type Range } from '../../../../domain/time/time.ts';
import type { SpanStatistics } from '../queries/select-span-statistics.ts';
import { bucketOfWidth, type ChartBucket, pointsOf } from './chart-buckets.ts';

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
export function bucketOfResolution(resolution: ChartResolution): ChartBucket | null {
  const width = widths[resolution];
  return width === null ? null : bucketOfWidth(width);
}

/** The most points of all series together, and the most samples that buckets below an hour may read. */
export interface ChartLimits {
  readonly mostPoints: number;
  readonly mostSamples: number;
}

type Count = readonly [resolution: ChartResolution, points: number];

/**
 * The given resolution of all series, or the finest one that fits. @throws VALIDATION_FAILED (422) naming the finest
 * resolution that is possible, if the given one has too many points
 */
export function resolutionFor(
  sources: readonly SpanStatistics[],
  range: Range,
  given: ChartResolution | 'finest',
  limits: ChartLimits,
): ChartResolution {
  const counts = ChartResolution.options.map((one): Count => [one, countOf(sources, range, one)]);
  const samples = sources.reduce((sum, { n }) => sum + n, 0);
  const fits = ([resolution, points]: Count) =>
    points <= limits.mostPoints && (isOfHours(resolution) || samples <= limits.mostSamples);
  // At raw resolution overlapping intervals would be shown beside each other.
  const areCut = sources.some(({ is_interval }) => is_interval) && given !== 'raw';
  const finest = counts.find((count) => fits(count) && !(areCut && count[0] === 'raw'));
  if (finest === undefined)
    throw tooMany('types', 'must be fewer, or the range shorter', counts.at(-1), limits);
  const wanted = counts.find(([resolution]) => resolution === given) ?? finest;
  if (fits(wanted)) return wanted[0];
  throw tooMany(
    'resolution',
    `must be ${finest[0]} or coarser for this range and these types`,
    wanted,
    limits,
  );
}

function isOfHours(resolution: ChartResolution): boolean {
  return (widths[resolution] ?? 0) >= hourMs;
}

/** An upper bound of the points of all series. */
function countOf(sources: readonly SpanStatistics[], range: Range, resolution: ChartResolution): number {
  const bucket = bucketOfResolution(resolution);
  return sources.reduce(
    (sum, source) => sum + (bucket === null ? source.n : pointsOf(source, range, bucket)),
    0,
  );
}

function tooMany(field: string, must: string, count: Count | undefined, { mostPoints }: ChartLimits) {
  const [resolution, points] = count ?? ['raw', 0];
  const message = `${must}: at ${resolution} there are ${points} values, and an answer has at most ${mostPoints}`;
  return validationFailed([{ field, message }]);
}
