const firstMs = 2000;
const longestMs = 30 * 60_000;

/** Delay after a failed attempt: random, up to 2 s doubled with each attempt, at most half an hour. */
export function backoffMs(attempt: number, random: () => number = Math.random): number {
  return random() * Math.min(longestMs, firstMs * 2 ** (attempt - 1));
}
