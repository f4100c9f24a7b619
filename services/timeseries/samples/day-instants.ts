import { dayMs } from '../../../domain/time/time.ts';
import type { SeriesDay } from '../queries/other-instants.ts';

/** Instants of one UTC day of a series, in milliseconds, ascending and distinct. */
export interface DayInstants extends SeriesDay {
  readonly times: readonly number[];
}

/** The UTC day of an instant, counted from 1970-01-01. */
export function dayOf(ms: number): number {
  return Math.floor(ms / dayMs);
}

/** Key of a day of a series. */
export function dayKey({ series_id, day }: SeriesDay): string {
  return `${series_id} ${day}`;
}

/** Days of series, each once, with all its instants. */
export function mergedDays(days: readonly DayInstants[]): DayInstants[] {
  const groups = Map.groupBy(days, dayKey).values();
  return [...groups].flatMap(([first, ...rest]) =>
    first === undefined
      ? []
      : [{ ...first, times: rest.reduce((all, { times }) => union(all, times), first.times) }],
  );
}

/** The union of two ascending lists. */
export function union(a: readonly number[], b: readonly number[]): readonly number[] {
  const merged: number[] = [];
  for (let [i, j] = [0, 0]; i < a.length || j < b.length; ) {
    const [x = Infinity, y = Infinity] = [a[i], b[j]];
    merged.push(Math.min(x, y));
    if (x <= y) i += 1;
    if (y <= x) j += 1;
  }
  return merged;
}

/** The elements of a list that another one lacks. */
export function without(a: readonly number[], b: readonly number[]): readonly number[] {
  if (b.length === 0) return a;
  const known = new Set(b);
  return a.filter((time) => !known.has(time));
}

/** The days of a list without the instants that another list has on the same days of the same series. */
export function daysWithout(days: readonly DayInstants[], others: readonly DayInstants[]): DayInstants[] {
  const known = new Map(mergedDays(others).map((one) => [dayKey(one), one.times]));
  return days
    .map((one) => ({ ...one, times: without(one.times, known.get(dayKey(one)) ?? []) }))
    .filter(({ times }) => times.length > 0);
}
