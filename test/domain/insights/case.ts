/** A case by hand: the arguments of a method and what it answers. Without a confidence, any will do. */
export interface Case {
  readonly claim: string;
  readonly method: string;
  readonly input: readonly unknown[];
  readonly value: unknown;
  readonly reason?: string;
  readonly confidence?: number;
}

/** A list of values, each made from its index. */
export const list = <Value>(count: number, make: (index: number) => Value) =>
  Array.from({ length: count }, (_, index) => make(index));
/** A list of equal values. */
export const times = (count: number, value: number) => list(count, () => value);
