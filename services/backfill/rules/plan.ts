import type { BackfillRequest } from '../../../domain/provider/provider.ts';
import { dayMs, type Range } from '../../../domain/time/time.ts';

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

/** The last `days` days in whole seconds, the precision of the provider. */
export function lastDays(days: number, nowMs: number): Range {
  const endMs = Math.floor(nowMs / 1000) * 1000;
  return { startMs: endMs - days * dayMs, endMs };
}
