import type { Point, Sum } from './draft.ts';

/** Counts of intervals of one length. */
export interface SentCounts {
  readonly counts: readonly Point[];
  readonly everyMs: number;
  /** The sum of all counts, as far as the provider says it. */
  readonly total: number;
}

/** More than a day has: a total of more is none. */
const mostOfDay = 200_000;

/**
 * The intervals of counts of which one is not sent if it is the one before: each counts until the next one, unless there would be
 * more than the total. The last one counts once. An interval without a count is left out.
 */
export function repeatedCounts({ counts, everyMs, total }: SentCounts): Sum[] {
  const sent = counts.map(([ms, count], index) => {
    const untilMs = counts[index + 1]?.[0] ?? ms;
    return { ms, count: Math.max(0, count), times: Math.max(1, Math.round((untilMs - ms) / everyMs)) };
  });
  const all = sent.reduce((sum, { count, times }) => sum + count * times, 0);
  const isRepeated = all <= Math.min(total, mostOfDay);
  return sent.flatMap(({ ms, count, times }): Sum[] =>
    Array.from({ length: count < 1 ? 0 : isRepeated ? times : 1 }, (_, index) => {
      const startMs = ms + index * everyMs;
      return [startMs, startMs + everyMs, count];
    }),
  );
}
