import { dayMs } from '../time/time.ts';
import type { FreshKind } from './shared-kinds.ts';

/** Days without data of a kind, as UTC midnights of local dates, both included. */
export interface Gap {
  readonly kind: FreshKind;
  readonly firstMs: number;
  readonly lastMs: number;
}

/**
 * The gaps of the kinds `regular`: days between the first and the last day of the kind that have none of its data, while other
 * data of the same provider exists. A day without any data is none: the device was not used.
 */
export function gapsOf(
  days: ReadonlyMap<FreshKind, ReadonlySet<number>>,
  regular: readonly FreshKind[],
): Gap[] {
  const used = new Set([...days.values()].flatMap((one) => [...one]));
  return regular.flatMap((kind) => {
    const own = days.get(kind) ?? new Set<number>();
    const [first, last] = [Math.min(...own), Math.max(...own)];
    const missing = [...used].filter((day) => day > first && day < last && !own.has(day));
    return joined(missing.toSorted((a, b) => a - b)).map((span) => ({ kind, ...span }));
  });
}

function joined(days: readonly number[]): Omit<Gap, 'kind'>[] {
  const spans: Omit<Gap, 'kind'>[] = [];
  for (const day of days) {
    const last = spans.at(-1);
    if (last !== undefined && last.lastMs + dayMs === day) spans[spans.length - 1] = { ...last, lastMs: day };
    else spans.push({ firstMs: day, lastMs: day });
  }
  return spans;
}
