import type { ChartSeries } from '../../../../clients/typescript/src/index.ts';
import { type DayAxis, slotMs, slotsOf } from './day-axis.ts';

/** The points of one source of a series, oldest first. Times are in Unix milliseconds. */
export interface Points {
  readonly times: readonly number[];
  readonly values: readonly number[];
  readonly mins: readonly number[];
  readonly maxs: readonly number[];
  /** The length of a bucket, whose time is its start; 0 where every sample is a point. */
  readonly bucketMs: number;
}

/** A span without values in Unix milliseconds. */
export interface Gap {
  readonly from: number;
  readonly to: number;
}

type Columns = Pick<
  ChartSeries,
  'first_time' | 'offset_seconds' | 'bucket_seconds' | 'value' | 'min' | 'max'
>;

/** The points of a series in [from, to): a chart is widened to whole buckets. */
export function pointsOf(series: Columns, { from, to }: Pick<DayAxis, 'from' | 'to'>): Points {
  const { value = [], min = value, max = value, offset_seconds, bucket_seconds } = series;
  const first = Date.parse(series.first_time);
  const all = offset_seconds.map((seconds) => first + seconds * 1000);
  const start = countBefore(all, from);
  const end = countBefore(all, to);
  return {
    times: all.slice(start, end),
    values: value.slice(start, end),
    mins: min.slice(start, end),
    maxs: max.slice(start, end),
    bucketMs: (bucket_seconds ?? 0) * 1000,
  };
}

/** The number of times before an instant. */
function countBefore(times: readonly number[], at: number): number {
  let [low, high] = [0, times.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((times[middle] ?? at) < at) low = middle + 1;
    else high = middle;
  }
  return low;
}

const longestWithout = 30 * 60_000;

/**
 * The spans of more than 30 minutes in which no source has a value: between values, and before the first and after the last one,
 * up to `now` on a day that is not over.
 */
export function gapsOf(
  all: readonly Points[],
  { from, to }: Pick<DayAxis, 'from' | 'to'>,
  now: number,
): Gap[] {
  const covered = all
    .flatMap(({ times, bucketMs }) => times.map((at) => ({ from: at, to: at + bucketMs })))
    .toSorted((one, other) => one.from - other.from);
  const gaps: Gap[] = [];
  let known = from;
  for (const next of [...covered, { from: Math.min(to, now), to }]) {
    if (next.from - known > longestWithout) gaps.push({ from: known, to: next.from });
    known = Math.max(known, next.to);
  }
  return gaps;
}

/** The usual distance between points: the median. */
export function usualDistance({ times, bucketMs }: Pick<Points, 'times' | 'bucketMs'>): number {
  const distances = times.slice(1).map((at, index) => at - (times[index] ?? at));
  return Math.max(bucketMs, median(distances) ?? 0);
}

/** The median; null without values. */
export function median(values: readonly number[]): number | null {
  const sorted = values.toSorted((one, other) => one - other);
  const middle = sorted.length / 2;
  const [low, high] = [sorted[Math.ceil(middle) - 1], sorted[Math.floor(middle)]];
  return low === undefined || high === undefined ? null : (low + high) / 2;
}

const minuteMs = 60_000;

/** How far from a point its value still counts: the usual distance between points, from one to 15 minutes. */
export const toleranceOf = (points: Points) => Math.min(slotMs, Math.max(minuteMs, usualDistance(points)));

/** The value at an instant: that of its bucket, or of the nearest sample within the tolerance; null if there is none. */
export function valueAt(points: Points, at: number, tolerance: number): number | null {
  const { times, values, bucketMs } = points;
  const after = countBefore(times, at + 1);
  const [before, next] = [times[after - 1], times[after]];
  if (before !== undefined && at < before + bucketMs) return values[after - 1] ?? null;
  const back = before === undefined ? Number.POSITIVE_INFINITY : at - before;
  const ahead = next === undefined ? Number.POSITIVE_INFINITY : next - at;
  if (Math.min(back, ahead) > tolerance) return null;
  return values[back <= ahead ? after - 1 : after] ?? null;
}

/** The values that begin in each quarter hour of a day. */
function slotValues({ times, values }: Pick<Points, 'times' | 'values'>, axis: DayAxis): number[][] {
  const slots: number[][] = slotsOf(axis).map(() => []);
  times.forEach((at, index) => {
    slots[Math.floor((at - axis.from) / slotMs)]?.push(values[index] ?? 0);
  });
  return slots;
}

/** The sum of the values that begin in each quarter hour of a day; null where none does. */
export const slotSums = (points: Pick<Points, 'times' | 'values'>, axis: DayAxis) =>
  slotValues(points, axis).map((values) => (values.length === 0 ? null : sumOf(values)));

/** The mean of the values that begin in each quarter hour of a day; null where none does. */
export const slotMeans = (points: Pick<Points, 'times' | 'values'>, axis: DayAxis) =>
  slotValues(points, axis).map(meanOf);

/** The mean of the values that are known; null without any. */
export function meanOf(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : sumOf(known) / known.length;
}

/** The sum of values. */
export const sumOf = (values: readonly (number | null)[]) =>
  values.reduce<number>((total, value) => total + (value ?? 0), 0);
