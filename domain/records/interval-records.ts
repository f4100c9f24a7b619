import { z } from 'zod';
import type { Range } from '../time/time.ts';
import { seriesCatalogue } from './series.ts';

/**
 * Interval data: a summed value, such as steps, that a device measured in [start, end). It is stored with its start and
 * end. Sums cut time at all borders of intervals, and in each segment the best-ranked source counts.
 */

/**
 * Kinds of devices, best first. `merged` is the provider's own merge of its devices, so that it takes precedence over each
 * of them. `manual` is a value that the user entered.
 */
export const deviceTypes = [
  'merged',
  'watch',
  'ring',
  'band',
  'phone',
  'scale',
  'manual',
  'unknown',
] as const;
export const DeviceType = z.enum(deviceTypes).meta({
  id: 'DeviceType',
  description: 'The kind of device. `merged`: a merge of several devices by the provider.',
});

/** The series types that interval data may have: those whose buckets are sums. */
export const summedTypes = seriesCatalogue.flatMap((row) => (row.bucket === 'sum' ? [row.type] : []));
export const SummedTypeName = z
  .enum(summedTypes)
  .meta({ id: 'SummedSeriesType', description: 'A series type whose buckets are sums.' });

/** The most intervals of a call. */
export const mostIntervals = 2000;

/** Longer intervals are not stored. */
export const longestIntervalMs = 7 * 86_400_000;

/**
 * What measured an interval. `device` is the shown name, `unknown` if none is known. A source is identified by its device
 * type, `device_id` (otherwise `device`) and `app`; a device that is renamed keeps the first name.
 */
export const IntervalSource = z.object({
  device_type: DeviceType,
  device: z.string().min(1).max(100),
  device_id: z.string().max(200).nullable().default(null),
  app: z.string().max(200).nullable().default(null),
});

/**
 * One interval. `id` is the provider's own id of the item, unique for the user and provider across all types: the same id
 * again replaces. `source` is an index into the sources of the call. Times are UTC milliseconds. Without an offset the
 * user's latest known one counts.
 */
export const IntervalRecord = z.object({
  id: z.string().min(1).max(300),
  type: SummedTypeName,
  source: z.int().nonnegative(),
  start_ms: z.int(),
  end_ms: z.int(),
  value: z.number(),
  zone_offset_minutes: z.int().min(-1080).max(1080).nullable().default(null),
  /** Without an offset its times are those of the user's clock. The store turns them into UTC. */
  is_local: z.boolean().optional(),
});

/**
 * A span that is read again: all stored intervals of the type that start in [start_ms, end_ms) and are not among the given
 * ones are deleted. `of` limits it to the provider's merge of its devices, or to everything else.
 */
export const ReplacedSpan = z.object({
  type: SummedTypeName,
  start_ms: z.int(),
  end_ms: z.int(),
  of: z.enum(['all', 'merged', 'devices']).default('all'),
  /** The span is of the clock of each interval. */
  is_local: z.boolean().default(false),
});

/**
 * What a call changed. `ignored_ids`: intervals that are not stored, because their value or time is out of range, they end
 * before they start or are too long, or their id was deleted.
 */
export const IntervalOutcome = z.object({
  saved: z.int(),
  replaced: z.int(),
  unchanged: z.int(),
  deleted: z.int(),
  ignored_ids: z.array(z.string()),
});

export type DeviceType = z.infer<typeof DeviceType>;
export type SummedType = z.infer<typeof SummedTypeName>;
export type IntervalSource = z.infer<typeof IntervalSource>;
export type IntervalRecord = z.infer<typeof IntervalRecord>;
export type ReplacedSpan = z.infer<typeof ReplacedSpan>;
export type IntervalOutcome = z.infer<typeof IntervalOutcome>;

/** A part of a span that is replaced, with its intervals. */
export interface SpanPart<T> extends Range {
  readonly intervals: readonly T[];
}

/**
 * Cuts a span that is read again into parts with at most `most` intervals each, so that each part can be replaced by one
 * call. Intervals with the same start are in one part.
 */
export function spanParts<T extends { readonly start_ms: number }>(
  { startMs, endMs }: Range,
  intervals: readonly T[],
  most = mostIntervals,
): SpanPart<T>[] {
  const parts: { startMs: number; endMs: number; intervals: T[] }[] = [{ startMs, endMs, intervals: [] }];
  const byStart = Map.groupBy(
    intervals.toSorted((a, b) => a.start_ms - b.start_ms),
    ({ start_ms }) => start_ms,
  );
  for (const [start, group] of byStart) {
    const last = parts.at(-1);
    if (last === undefined || last.intervals.length === 0 || last.intervals.length + group.length <= most) {
      last?.intervals.push(...group);
      continue;
    }
    last.endMs = start;
    parts.push({ startMs: start, endMs, intervals: [...group] });
  }
  return parts;
}
