/** The shortest and longest wait of a caller, in ms. Values outside of them are replaced by the bound. */
export interface WaitBounds {
  readonly leastMs?: number;
  readonly mostMs: number;
}

/** The wait that a Retry-After header requests, as seconds or as a date; null if it is missing or unreadable. */
export function retryAfterMs(
  header: string | null,
  nowMs: number,
  { leastMs = 0, mostMs }: WaitBounds,
): number | null {
  const text = header?.trim() ?? '';
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - nowMs;
  return Number.isNaN(ms) ? null : Math.min(mostMs, Math.max(leastMs, ms));
}
