import type { PulledType, Span } from '../../../domain/provider/pulled-provider.ts';
import { dayMs } from '../../../domain/time/time.ts';

/** Nothing older is read, and nothing that lies further in the future. */
const longestKeptMs = 3650 * dayMs;

/** The spans of a row, widened to whole units of its type, merged, and cut into parts; the newest part first. */
export function partsOfSpans(
  pairs: readonly (readonly [number, number])[],
  {
    widen = (span) => span,
    longestSpanMs,
    oldestMs = longestKeptMs,
  }: Pick<PulledType, 'widen' | 'longestSpanMs' | 'oldestMs'>,
  nowMs: number,
): Span[] {
  const bounded = pairs.flatMap(([startMs, endMs]) =>
    boundedSpan({ startMs, endMs }, nowMs - Math.min(oldestMs, longestKeptMs), nowMs),
  );
  return merged(bounded.map(widen))
    .flatMap((span) => cut(span, longestSpanMs))
    .toReversed();
}

function boundedSpan({ startMs, endMs }: Span, fromMs: number, nowMs: number): Span[] {
  const span = { startMs: Math.max(startMs, fromMs), endMs: Math.min(endMs, nowMs + dayMs) };
  return span.startMs < span.endMs ? [span] : [];
}

function merged(spans: readonly Span[]): Span[] {
  const all: Span[] = [];
  for (const span of spans.toSorted((a, b) => a.startMs - b.startMs)) {
    const last = all.at(-1);
    if (last === undefined || last.endMs < span.startMs) all.push(span);
    else all[all.length - 1] = { ...last, endMs: Math.max(last.endMs, span.endMs) };
  }
  return all;
}

function cut({ startMs, endMs }: Span, longestMs: number): Span[] {
  const parts: Span[] = [];
  for (let from = startMs; from < endMs; from += longestMs)
    parts.push({ startMs: from, endMs: Math.min(endMs, from + longestMs) });
  return parts;
}

/** What a read of a span replaces. Null: what was read is added, and nothing is removed. */
export function replacedSpan(
  { listsSinceConnection }: Pick<PulledType, 'listsSinceConnection'>,
  span: Span | null,
  connectedMs: number,
): Span | null {
  if (span === null || listsSinceConnection !== true) return span;
  return span.endMs <= connectedMs ? null : { ...span, startMs: Math.max(span.startMs, connectedMs) };
}
