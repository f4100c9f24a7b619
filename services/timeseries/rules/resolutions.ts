import type { Resolution } from '../../../contracts/timeseries/schemas.ts';
import { dayMs, hourMs, minuteMs, type Range } from '../../../domain/time/time.ts';

/** A resolution with buckets, and its columns in the statistics. */
export interface BucketSize {
  readonly resolution: Exclude<Resolution, 'raw'>;
  readonly widthMs: number;
  /** The column of sample_day and sample_hour that counts its non-empty buckets. */
  readonly countColumn: 'n1' | 'n5' | 'n15' | 'n60';
  /** The function that counts its buckets in a mask of minutes. */
  readonly countInMask: 'minutes_in' | 'fives_in' | 'quarters_in' | null;
  readonly interval: string;
}

const sizes: readonly BucketSize[] = [
  {
    resolution: '1min',
    widthMs: minuteMs,
    countColumn: 'n1',
    countInMask: 'minutes_in',
    interval: '1 minute',
  },
  {
    resolution: '5min',
    widthMs: 5 * minuteMs,
    countColumn: 'n5',
    countInMask: 'fives_in',
    interval: '5 minutes',
  },
  {
    resolution: '15min',
    widthMs: 15 * minuteMs,
    countColumn: 'n15',
    countInMask: 'quarters_in',
    interval: '15 minutes',
  },
  { resolution: '1hour', widthMs: hourMs, countColumn: 'n60', countInMask: null, interval: '1 hour' },
];

/** The bucket size of a resolution. Null for raw samples. */
export function bucketSizeOf(resolution: Resolution): BucketSize | null {
  return sizes.find((size) => size.resolution === resolution) ?? null;
}

/** Widens a range to whole buckets, because a partly read bucket would have a wrong value. */
export function widen(range: Range, size: BucketSize | null): Range {
  if (size === null) return range;
  return { startMs: floorTo(range.startMs, size.widthMs), endMs: ceilTo(range.endMs, size.widthMs) };
}

/** The latest multiple of a width that is not after an instant. */
export function floorTo(ms: number, widthMs: number): number {
  return Math.floor(ms / widthMs) * widthMs;
}

/** The first multiple of a width that is not before an instant. */
export function ceilTo(ms: number, widthMs: number): number {
  return Math.ceil(ms / widthMs) * widthMs;
}

/**
 * A range that is cut for counting by statistics: whole UTC days, whole hours beside them, and the rest at the edges.
 */
export interface RangePieces {
  readonly days: Range | null;
  readonly hours: readonly Range[];
  readonly edges: readonly Range[];
}

/** Cuts a range. Every instant is in exactly one piece. */
export function piecesOf({ startMs, endMs }: Range): RangePieces {
  const outer = cut({ startMs, endMs }, hourMs);
  if (outer.inner === null) return { days: null, hours: [], edges: outer.sides };
  const { inner, sides } = cut(outer.inner, dayMs);
  return { days: inner, hours: sides, edges: outer.sides };
}

function cut({ startMs, endMs }: Range, widthMs: number): { inner: Range | null; sides: Range[] } {
  const innerStartMs = Math.min(ceilTo(startMs, widthMs), endMs);
  const innerEndMs = Math.max(floorTo(endMs, widthMs), innerStartMs);
  const sides = [
    { startMs, endMs: innerStartMs },
    { startMs: innerEndMs, endMs },
  ];
  return {
    inner: innerStartMs < innerEndMs ? { startMs: innerStartMs, endMs: innerEndMs } : null,
    sides: sides.filter((side) => side.startMs < side.endMs),
  };
}
