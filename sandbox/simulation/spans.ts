import type { Span } from '../day-simulation/plan.ts';

/** Disjoint spans of time in order, such as sent or requested ones. */
export type Spans = readonly Span[];

/** Adds a span and joins it with those that it touches. */
export function withSpan(spans: Spans, { startMs, endMs }: Span): Span[] {
  const apart = spans.filter((one) => one.endMs < startMs || one.startMs > endMs);
  const joined = spans.filter((one) => one.endMs >= startMs && one.startMs <= endMs);
  const whole = {
    startMs: Math.min(startMs, ...joined.map((one) => one.startMs)),
    endMs: Math.max(endMs, ...joined.map((one) => one.endMs)),
  };
  return [...apart, whole].sort((a, b) => a.startMs - b.startMs);
}

/** Whether one of the spans contains another span. */
export function holds(spans: Spans, { startMs, endMs }: Span): boolean {
  return spans.some((one) => one.startMs <= startMs && one.endMs >= endMs);
}

/** The intersection of two spans; null if it is empty. */
export function shared(one: Span, other: Span): Span | null {
  const startMs = Math.max(one.startMs, other.startMs);
  const endMs = Math.min(one.endMs, other.endMs);
  return startMs < endMs ? { startMs, endMs } : null;
}
