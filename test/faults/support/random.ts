/** Random choices that a seed repeats. */
export interface Random {
  /** From 0 up to 1. */
  next(): number;
  /** A whole number from 0 to n - 1. */
  below(n: number): number;
  chance(probability: number): boolean;
  /** @throws when there is nothing to choose from. */
  pick<T>(from: readonly T[]): T;
}

/** Mulberry32: small, and good enough to choose mutations with. */
export function seeded(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
  const below = (n: number) => Math.floor(next() * n);
  return {
    next,
    below,
    chance: (probability) => next() < probability,
    pick(from) {
      const chosen = from[below(from.length)];
      if (chosen === undefined && from.length === 0) throw new Error('nothing to choose from');
      return chosen as (typeof from)[number];
    },
  };
}
