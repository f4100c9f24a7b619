/** A set of whole seconds with one bit per second: a month at 1 Hz takes 330 KB. */
export interface Seconds {
  add(second: number): void;
  readonly size: number;
  readonly first: number | null;
  readonly last: number | null;
}

const perBlock = 3600;

/** An empty set. */
export function emptySecondSet(): Seconds {
  const blocks = new Map<number, Uint8Array>();
  let size = 0;
  let first = Number.POSITIVE_INFINITY;
  let last = Number.NEGATIVE_INFINITY;
  return {
    add(second) {
      const block = Math.floor(second / perBlock);
      const bits = blocks.get(block) ?? new Uint8Array(perBlock / 8);
      const at = second - block * perBlock;
      const mask = 1 << (at & 7);
      const known = bits[at >> 3] ?? 0;
      if ((known & mask) !== 0) return;
      bits[at >> 3] = known | mask;
      blocks.set(block, bits);
      size += 1;
      first = Math.min(first, second);
      last = Math.max(last, second);
    },
    get size() {
      return size;
    },
    get first() {
      return size === 0 ? null : first;
    },
    get last() {
      return size === 0 ? null : last;
    },
  };
}
