import { UsageError } from './command.ts';

const unitMs: Readonly<Record<string, number>> = {
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

/** The milliseconds of `90s`, `30m`, `6h`, `1d` or `2w`; null for another text. */
function durationMs(text: string): number | null {
  const [, count, unit = ''] = text.match(/^(\d{1,6})([smhdw])$/) ?? [];
  return count === undefined ? null : Number(count) * (unitMs[unit] ?? 0);
}

/** A time of the API: a duration means so long ago, and anything else is passed on. */
export function timeOf(text: string, now: number): string {
  const ms = durationMs(text);
  return ms === null ? text : new Date(now - ms).toISOString();
}

/** The span of `--last`. @throws UsageError */
export function spanMs(text: string): number {
  const ms = durationMs(text);
  if (ms === null || ms === 0) throw new UsageError('--last is a duration: 90s, 30m, 6h, 1d or 2w.');
  return ms;
}
