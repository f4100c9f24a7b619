/** The wait that a caller accepts, in ms; a header that asks for less or more is answered with the bound. */
export interface WaitBounds {
  readonly leastMs?: number;
  readonly mostMs: number;
}

/** How long a Retry-After header asks to wait, as seconds or as a date; null where it is absent or unreadable. */
export function retryAfterMs(
  header: string | null,
  nowMs: number,
  { leastMs = 0, mostMs }: WaitBounds,
): number | null {
  const text = header?.trim() ?? '';
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - nowMs;
  return Number.isNaN(ms) ? null : Math.min(mostMs, Math.max(leastMs, ms));
}
