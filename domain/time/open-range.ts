import { type Instant, type Range, resolveRange } from './time.ts';

/** The ends of a range, each of which may be left out. */
export interface OpenRange {
  readonly start_time?: Instant | undefined;
  readonly end_time?: Instant | undefined;
}

/** The range that a page shows: an end that was left out is that of all times until now. @throws RANGE_INVALID (422) */
export function resolveOpenRange({ start_time, end_time }: OpenRange, nowMs: number): Range {
  const start: Instant = start_time ?? { ms: 0, dateOnly: false };
  const end: Instant = end_time ?? { ms: Math.max(nowMs, start.ms + 1), dateOnly: false };
  return resolveRange(start, end, ['start_time', 'end_time']);
}
