/** A tick of an axis: its place from 0 to 1, and its text. */
export interface Tick {
  readonly at: number;
  readonly text: string;
}

const [leastMs, mostMs] = [10, 600_000];
const decades = Math.log10(mostMs / leastMs);

/** The place of a time on the axis of all providers, from 0 to 1: each step is ten times as long. */
export function placeOf(ms: number): number {
  return Math.min(1, Math.max(0, Math.log10(Math.max(1, ms) / leastMs) / decades));
}

/** The ticks of this axis. */
export const latencyTicks: readonly Tick[] = (
  [
    [100, '0.1 s'],
    [1000, '1 s'],
    [10_000, '10 s'],
    [100_000, '100 s'],
  ] as const
).map(([ms, text]) => ({ at: placeOf(ms), text }));

/** A time of processing as people say it: `45 ms`, `1.2 s`, `3 min`. */
export function shortTime(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 10_000) return `${(ms / 1000).toFixed(1)} s`;
  if (ms < 120_000) return `${Math.round(ms / 1000)} s`;
  return `${Math.round(ms / 60_000)} min`;
}

/** The least number of 1, 2 or 5 times a power of ten that is not below a value, so that axes have even ends. */
export function evenEnd(value: number): number {
  if (value <= 1) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  const step = [1, 2, 5, 10].find((one) => one * power >= value) ?? 10;
  return step * power;
}
