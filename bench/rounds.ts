/** Measures one side of a pair once. */
export type Measure = () => Promise<number>;

/** The figures of one side, one a round. */
export interface Figures {
  readonly median: number;
  readonly rounds: readonly number[];
}

/**
 * Measures several sides in turn, after a round that does not count; every second round goes backward, so that none
 * always comes first.
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

/** Figures that were measured already. */
export function figuresOf(rounds: readonly number[]): Figures {
  return { median: median(rounds), rounds };
}

/** The names of a record; Object.keys knows no more of them than that they are text. */
export function keysOf<K extends string>(record: Readonly<Record<K, unknown>>): K[] {
  return Object.keys(record) as K[];
}

/** A record of its entries; Object.fromEntries forgets their names' type. */
export function fromEntries<K extends string, V>(entries: readonly (readonly [K, V])[]): Record<K, V> {
  return Object.fromEntries(entries) as Record<K, V>;
}

/** A ratio: its median over the rounds, in each of which both sides were measured, and the middle half of them. */
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

/** The middle of some numbers, of an even number of them the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  const [low = Number.NaN, high = Number.NaN] = [sorted[Math.ceil(middle) - 1], sorted[Math.floor(middle)]];
  return (low + high) / 2;
}
