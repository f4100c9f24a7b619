import type { Span } from './life/plan.ts';

/** Stretches of time, apart from each other and in order: what was sent, what was asked for. */
export type Spans = readonly Span[];

/** The spans with one more, joined to those that it touches. */
export function withSpan(spans: Spans, { startMs, endMs }: Span): Span[] {
  const apart = spans.filter((one) => one.endMs < startMs || one.startMs > endMs);
  const joined = spans.filter((one) => one.endMs >= startMs && one.startMs <= endMs);
  const whole = {
    startMs: Math.min(startMs, ...joined.map((one) => one.startMs)),
    endMs: Math.max(endMs, ...joined.map((one) => one.endMs)),
  };
  return [...apart, whole].sort((a, b) => a.startMs - b.startMs);
}

/** Whether one of the spans holds all of another one. */
export function holds(spans: Spans, { startMs, endMs }: Span): boolean {
  return spans.some((one) => one.startMs <= startMs && one.endMs >= endMs);
}

/** What two spans share; null where they do not meet. */
export function shared(one: Span, other: Span): Span | null {
  const startMs = Math.max(one.startMs, other.startMs);
  const endMs = Math.min(one.endMs, other.endMs);
  return startMs < endMs ? { startMs, endMs } : null;
}
