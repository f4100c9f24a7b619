import { formatIn } from '../../zone.ts';
import { daysIn, type View } from './address.ts';

const noon = (date: string) => `${date}T12:00:00Z`;
const utc = '+00:00';

/** A date in words: `Tuesday, November 24, 2026`. */
export const longDate = (date: string) =>
  formatIn(utc, { weekday: 'long', month: 'long', day: 'numeric', year: 'numeric' })(noon(date));

/** A date beside others of its year: `Tue, Nov 24`. */
export const shortDate = (date: string) =>
  formatIn(utc, { weekday: 'short', month: 'short', day: 'numeric' })(noon(date));

/** A month in words: `November 2026`. */
export const monthText = (month: string) =>
  formatIn(utc, { month: 'long', year: 'numeric' })(noon(`${month}-01`));

/** The letters of the days of the week, from Monday on. */
export function weekdayLetters(): string[] {
  const letter = formatIn(utc, { weekday: 'narrow' });
  return daysIn('week', '2026-01-05').map((date) => letter(noon(date)));
}

/** What a view shows, in words. */
export function titleOfView(view: View, date: string): string {
  if (view === 'day') return longDate(date);
  if (view === 'month') return monthText(date.slice(0, 7));
  const days = daysIn('week', date);
  const format = new Intl.DateTimeFormat(undefined, {
    month: 'long',
    day: 'numeric',
    year: 'numeric',
    timeZone: 'UTC',
  });
  return format.formatRange(new Date(noon(days[0] ?? date)), new Date(noon(days.at(-1) ?? date)));
}
