import { setQuery } from '../../router.tsx';
import type { Zone } from '../../zone.ts';
import { daysAgo } from '../time.tsx';

/** A span of time in Unix seconds. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

const daySeconds = 86_400;
const calendarDays = 365;

/** A time in whole seconds, as the API takes it. */
export const timeOf = (seconds: number) => new Date(Math.round(seconds) * 1000).toISOString();

/** The span in the address of the page, so that a reload and a shared link show it. Null if there is none. */
export function spanOf(query: URLSearchParams): Span | null {
  const [from, to] = ['from', 'to'].map((name) => Date.parse(query.get(name) ?? '') / 1000);
  return from === undefined || to === undefined || !(from < to) ? null : { from, to };
}

/** Shows another span. */
export const moveSpan = ({ from, to }: Span) => setQuery({ from: timeOf(from), to: timeOf(to) });

/** The same span 365 days before. */
export const yearEarlier = ({ from, to }: Span): Span => ({
  from: from - calendarDays * daySeconds,
  to: to - calendarDays * daySeconds,
});

/** The days of the calendar that fits a span: the last 365 days, or those a whole number of such years before. */
export function calendarOf(
  { to }: Span,
  zone: Zone,
): { yearsBack: number; start_date: string; end_date: string } {
  const daysBack = Math.max(0, Date.now() / 1000 - to) / daySeconds;
  const yearsBack = Math.floor(daysBack / calendarDays);
  const last = yearsBack * calendarDays;
  return { yearsBack, start_date: daysAgo(last + calendarDays - 1, zone), end_date: daysAgo(last, zone) };
}
