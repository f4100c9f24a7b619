import type { BackfillRequest } from '../../../domain/provider/provider.ts';
import { dayMs, type Instant, type Range, rangeInvalid, resolveRange } from '../../../domain/time/time.ts';

/** The requests for a range: one type after another, the newest span of each first. */
export function planSteps(types: readonly string[], range: Range, longestSpanMs: number): BackfillRequest[] {
  const spans = spansOf(range, longestSpanMs);
  return types.flatMap((type) => spans.map((span) => ({ type, ...span })));
}

function spansOf({ startMs, endMs }: Range, longestSpanMs: number): Range[] {
  const spans: Range[] = [];
  for (let to = endMs; to > startMs; to -= longestSpanMs)
    spans.push({ startMs: Math.max(startMs, to - longestSpanMs), endMs: to });
  return spans;
}

/** The oldest past data that is requested or read. */
const longestDays = 3650;

/** What a backfill is asked for: the last `days` days, or a range. */
export interface AskedRange {
  readonly days?: number | undefined;
  readonly start_date?: Instant | undefined;
  readonly end_date?: Instant | undefined;
}

/**
 * The range of a backfill in whole seconds; it ends now at the latest. @throws RANGE_INVALID (422) if it is empty, in the future, or
 * older than 3650 days
 */
export function rangeOf(
  { days, start_date, end_date }: AskedRange,
  defaultDays: number,
  nowMs: number,
): Range {
  if (start_date === undefined) return lastDays(days ?? defaultDays, nowMs);
  const now = { ms: nowMs, dateOnly: false };
  const asked = resolveRange(start_date, end_date ?? now);
  if (asked.startMs >= nowMs) throw rangeInvalid('start_date', 'must not be in the future');
  const oldestMs = Math.floor((nowMs - longestDays * dayMs) / dayMs) * dayMs;
  if (asked.startMs < oldestMs)
    throw rangeInvalid('start_date', `must be within the last ${longestDays} days`);
  const second = (ms: number) => Math.floor(ms / 1000) * 1000;
  return { startMs: second(asked.startMs), endMs: second(Math.min(asked.endMs, nowMs)) };
}

/** The last `days` days in whole seconds, the precision of the provider. */
export function lastDays(days: number, nowMs: number): Range {
  const endMs = Math.floor(nowMs / 1000) * 1000;
  return { startMs: endMs - days * dayMs, endMs };
}
