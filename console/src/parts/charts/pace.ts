/** Seconds of a kilometre as minutes and seconds: `5:07`. */
export function paceText(secondsPerKm: number): string {
  const seconds = Math.round(secondsPerKm);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}

/** Slower than an hour for a kilometre is a stop. */
const slowest = 3600;

/** The pace of a speed in m/s, in seconds of a kilometre. Null for a stop. */
export function paceOf(metersPerSecond: number | undefined): number | null {
  const seconds = 1000 / Math.max(metersPerSecond ?? 0, Number.MIN_VALUE);
  return seconds > slowest ? null : seconds;
}
