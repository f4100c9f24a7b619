import { dayMs, hourMs, minuteMs, type Range } from '../../../../domain/time/time.ts';
import type { SpanStatistics } from '../queries/select-span-statistics.ts';

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

/**
 * The shortest bucket with which all sources of a type have at most `mostPoints` points; null if every sample is one.
 * Buckets below an hour read samples, so they are for at most `mostSamples`. Intervals of several sources overlap, so their
 * points are always buckets, of a minute at least.
 */
export function chartBucketFor(
  sources: readonly SpanStatistics[],
  range: Range,
  { mostPoints, mostSamples }: { readonly mostPoints: number; readonly mostSamples: number },
): ChartBucket | null {
  const samples = sources.reduce((sum, { n }) => sum + n, 0);
  const areCut = sources.some(({ is_interval }) => is_interval);
  if (samples <= mostPoints && !areCut) return null;
  const fits = (bucket: ChartBucket) =>
    (bucket.widthMs >= hourMs || samples <= mostSamples) &&
    sources.reduce((sum, source) => sum + pointsOf(source, range, bucket), 0) <= mostPoints;
  const possible = areCut ? buckets.filter(({ widthMs }) => widthMs >= minuteMs) : buckets;
  return possible.find(fits) ?? buckets.at(-1) ?? null;
}

/** An upper bound of the non-empty buckets of a source. */
export function pointsOf(source: SpanStatistics, range: Range, bucket: ChartBucket): number {
  const { startMs, endMs } = widenToBuckets(range, bucket);
  return Math.min((endMs - startMs) / bucket.widthMs, filled(source, bucket.widthMs));
}

// A non-empty bucket contains a non-empty minute, five minutes, quarter or hour that it is made of. The statistics count a
// partly covered hour at the edge of the range by its samples.
function filled({ n, n1, n5, n15, n60 }: SpanStatistics, widthMs: number): number {
  if (widthMs >= hourMs) return n60;
  if (widthMs >= 15 * minuteMs) return n15;
  if (widthMs >= 5 * minuteMs) return n5;
  return widthMs >= minuteMs ? n1 : n;
}
