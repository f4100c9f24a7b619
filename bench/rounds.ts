/**
 * Measures several sides in turn, after a round that is not counted. Every second round is in reverse order, so that no
 * side is always first. Returns for each side what its rounds gave.
 */
export async function inRounds<T>(rounds: number, sides: readonly (() => Promise<T>)[]): Promise<T[][]> {
  for (const side of sides) await side();
  const results = sides.map((measure) => ({ measure, given: [] as T[] }));
  for (let round = 0; round < rounds; round++)
    for (const { measure, given } of round % 2 === 0 ? results : results.toReversed())
      given.push(await measure());
  return results.map(({ given }) => given);
}

/** The ratio of two sides: its median over the rounds, and its quartiles. */
export interface Ratio {
  readonly median: number;
  readonly low: number;
  readonly high: number;
}

/** The ratio of the rounds of two sides. */
export function ratioOf(a: readonly number[], b: readonly number[]): Ratio {
  const sorted = a.map((value, index) => value / (b[index] ?? Number.NaN)).toSorted((x, y) => x - y);
  const at = (part: number) => sorted[Math.round((sorted.length - 1) * part)] ?? Number.NaN;
  return { median: median(sorted), low: at(0.25), high: at(0.75) };
}

/** The median of numbers. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  const [low = Number.NaN, high = Number.NaN] = [sorted[Math.ceil(middle) - 1], sorted[Math.floor(middle)]];
  return (low + high) / 2;
}

/** The mean time of some runs, one after the other, in milliseconds. */
export async function meanMs(work: () => Promise<unknown>, runs = 1): Promise<number> {
  const began = performance.now();
  for (let run = 0; run < runs; run++) await work();
  return (performance.now() - began) / runs;
}
