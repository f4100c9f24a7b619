/**
 * Reproducible random numbers. Everything that a synthetic user does is derived from a text: the seed, the user, the
 * day and the topic. Each topic has a stream of its own, so that a new topic does not change the others.
 */
export interface Random {
  /** At least `from`, less than `to`. */
  between(from: number, to: number): number;
  /** A whole number, both ends included. */
  whole(from: number, to: number): number;
  chance(probability: number): boolean;
  /** A value from -width to width, near zero most often. */
  spread(width: number): number;
  pick<T>(list: readonly [T, ...T[]]): T;
}

/** A stream of random numbers that depends only on its seed. */
export function randomOf(seed: string): Random {
  let state = hashOf(seed);
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    return mixed(state) / 2 ** 32;
  };
  return {
    between: (from, to) => from + (to - from) * next(),
    whole: (from, to) => from + Math.floor((to - from + 1) * next()),
    chance: (probability) => next() < probability,
    spread: (width) => width * (next() + next() - 1),
    pick: (list) => list[Math.floor(list.length * next())] ?? list[0],
  };
}

/** A value from -1 to 1 for every instant. It changes smoothly, about once in `scaleMs`. */
export type Noise = (ms: number, scaleMs: number) => number;

/**
 * Noise over absolute time. It has no state, so two days that are computed separately are continuous at
 * midnight.
 */
export function noiseOf(seed: string): Noise {
  const key = hashOf(seed);
  return (ms, scaleMs) => {
    const at = ms / scaleMs;
    const cell = Math.floor(at);
    const part = at - cell;
    const left = valueAt(key, cell);
    return left + (valueAt(key, cell + 1) - left) * part * part * (3 - 2 * part);
  };
}

/** A hash of a text from 0 to 2^32 - 1 (FNV-1a, then mixed). */
export function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++)
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  return mixed(hash);
}

function valueAt(key: number, cell: number): number {
  return mixed(key ^ Math.imul(cell | 0, 0x9e3779b1)) / 2 ** 31 - 1;
}

// The finaliser of mulberry32.
function mixed(state: number): number {
  let value = Math.imul(state ^ (state >>> 15), state | 1);
  value ^= value + Math.imul(value ^ (value >>> 7), value | 61);
  return (value ^ (value >>> 14)) >>> 0;
}
