/**
 * Chance that can be repeated. Everything a synthetic person does follows from a text: the seed, who it is, the
 * day and the topic. Each topic draws from a stream of its own, so that a new topic never shifts the others.
 */
export interface Random {
  /** At least `from`, less than `to`. */
  between(from: number, to: number): number;
  /** A whole number, both ends included. */
  whole(from: number, to: number): number;
  chance(probability: number): boolean;
  /** Around zero, most often near it, never past `width`. */
  spread(width: number): number;
  pick<T>(list: readonly [T, ...T[]]): T;
}

/** A stream of chance that depends on nothing but its seed. */
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

/** A value from -1 to 1 for every instant that changes smoothly, about once in `scaleMs`. */
export type Noise = (ms: number, scaleMs: number) => number;

/**
 * Noise over absolute time: two days that are made apart from each other meet at midnight without a step, because
 * neither carries a state.
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

/** A whole number from 0 to 2^32 - 1 that stands for a text (FNV-1a, then mixed). */
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
