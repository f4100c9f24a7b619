import type { MeasuredInterval } from './interval-oracle.ts';
import type { Setting } from './setting.ts';

/** Stores measured intervals of a user, provider by provider. */
export async function storeMeasured(
  { storeIntervals }: Pick<Setting, 'storeIntervals'>,
  measured: readonly MeasuredInterval[],
): Promise<void> {
  for (const [provider, own] of Map.groupBy(measured, ({ provider }) => provider)) {
    const sources = [...new Set(own.map(({ source }) => source))];
    const intervals = own.map(({ source, interval }) => ({ ...interval, source: sources.indexOf(source) }));
    await storeIntervals(sources, intervals, provider);
  }
}

/** The keys of sums that differ by more than rounding. */
export function differences(
  stored: ReadonlyMap<string, number>,
  expected: ReadonlyMap<string, number>,
): string[] {
  const keys = new Set([...stored.keys(), ...expected.keys()]);
  return [...keys].filter((key) => {
    const [a, b] = [stored.get(key) ?? 0, expected.get(key) ?? 0];
    return Math.abs(a - b) > 1e-6 * Math.max(1, Math.abs(b));
  });
}
