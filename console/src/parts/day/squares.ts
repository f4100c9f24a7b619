import type { CalendarRow } from '../../../../clients/typescript/src/index.ts';
import { datesFrom, shiftMonth } from './day-axis.ts';

/** How much of a day is there: 0 nothing, 4 a day that a watch was worn. */
export type Fill = 0 | 1 | 2 | 3 | 4;

/** The fills of all days that have data, by date: the fullest series of a day counts. */
export function fillsOf(
  rows: readonly Pick<CalendarRow, 'kind' | 'first_date' | 'last_date' | 'levels'>[],
): Map<string, Fill> {
  const fills = new Map<string, Fill>();
  for (const { kind, first_date, last_date, levels } of rows)
    datesFrom(first_date, last_date).forEach((date, index) => {
      const fill = fillOf(kind, Number(levels[index] ?? 0));
      if (fill > (fills.get(date) ?? 0)) fills.set(date, fill);
    });
  return fills;
}

// A level is the number of digits of a count. Days of a thousand samples of one series are full.
function fillOf(kind: CalendarRow['kind'], level: number): Fill {
  if (level === 0) return 0;
  if (kind !== 'sample') return 1;
  if (level >= 4) return 4;
  return level === 3 ? 3 : level === 2 ? 2 : 1;
}

const words = ['no data', 'a few values', 'some data', 'much data', 'data of the whole day'] as const;

/** A fill in words. */
export const fillText = (fill: Fill) => words[fill];

/** The newest day with data up to a date; null if there is none. */
export function newestDay(fills: ReadonlyMap<string, Fill>, until: string): string | null {
  return (
    [...fills.keys()]
      .filter((date) => date <= until)
      .toSorted()
      .at(-1) ?? null
  );
}

/** The months of a calendar that has a month: twelve, of which the last is this month or a whole number of years before. */
export function calendarMonths(month: string, thisMonth: string): { first: string; last: string } {
  const [year = 0, number = 0] = month.split('-').map(Number);
  const [thisYear = 0, thisNumber = 0] = thisMonth.split('-').map(Number);
  const back = (thisYear - year) * 12 + thisNumber - number;
  const last = shiftMonth(thisMonth, -12 * Math.floor(back / 12));
  return { first: shiftMonth(last, -11), last };
}
