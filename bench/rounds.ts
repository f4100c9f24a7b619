/** Measures one side of a pair once. */
export type Measure = () => Promise<number>;

/** The figures of one side, one per round. */
export interface Figures {
  readonly median: number;
  readonly rounds: readonly number[];
}

/**
 * Measures several sides in turn, after a round that is not counted. Every second round is in reverse order, so that no
 * side is always first.
 */
export async function inRounds<K extends string>(
  rounds: number,
  sides: Readonly<Record<K, Measure>>,
): Promise<Readonly<Record<K, Figures>>> {
  const names = keysOf(sides);
  for (const name of names) await sides[name]();
  const figures = new Map<K, number[]>(names.map((name) => [name, []]));
  for (let round = 0; round < rounds; round++)
    for (const name of round % 2 === 0 ? names : names.toReversed())
      figures.get(name)?.push(await sides[name]());
  const entries = names.map((name) => [name, figuresOf(figures.get(name) ?? [])] as const);
  return fromEntries(entries);
}

/** Figures of given rounds. */
export function figuresOf(rounds: readonly number[]): Figures {
  return { median: median(rounds), rounds };
}

/** The keys of a record with their type, which Object.keys loses. */
export function keysOf<K extends string>(record: Readonly<Record<K, unknown>>): K[] {
  return Object.keys(record) as K[];
}

/** A record of entries with the type of their keys, which Object.fromEntries loses. */
export function fromEntries<K extends string, V>(entries: readonly (readonly [K, V])[]): Record<K, V> {
  return Object.fromEntries(entries) as Record<K, V>;
}

/** The ratio of two sides: its median over the rounds, and its quartiles. */
export interface Ratio {
  readonly median: number;
  readonly low: number;
  readonly high: number;
}

/** The ratio of two sides. */
export function ratioOf(a: Figures, b: Figures): Ratio {
  const ratios = a.rounds.map((value, index) => value / (b.rounds[index] ?? Number.NaN));
  const sorted = ratios.toSorted((x, y) => x - y);
  const at = (part: number) => sorted[Math.round((sorted.length - 1) * part)] ?? Number.NaN;
  return { median: median(ratios), low: at(0.25), high: at(0.75) };
}

/** The median of numbers. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  const [low = Number.NaN, high = Number.NaN] = [sorted[Math.ceil(middle) - 1], sorted[Math.floor(middle)]];
  return (low + high) / 2;
}
