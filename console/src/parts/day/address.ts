import { dayOf, type Zone } from '../../zone.ts';
import { daysOfMonth, daysOfWeek, monthOf, shiftDate, shiftMonth } from './day-axis.ts';

/** How many days are shown. */
export type View = 'day' | 'week' | 'month';

/** What the address of the tab says. */
export interface DayAddress {
  readonly view: View;
  /** Null: none is named. */
  readonly date: string | null;
  /** The month beside the day; null: that of the day. */
  readonly month: string | null;
  readonly isFolded: boolean;
}

/** Reads the address. What is not a date or a month counts as none. */
export function addressOf(query: URLSearchParams): DayAddress {
  const view = query.get('view');
  const date = query.get('date') ?? '';
  const month = query.get('month') ?? '';
  return {
    view: view === 'week' || view === 'month' ? view : 'day',
    date: isDate(date) ? date : null,
    month: isDate(`${month}-01`) ? month : null,
    isFolded: query.get('lanes') === 'few',
  };
}

function isDate(text: string): boolean {
  const at = Date.parse(`${text}T00:00:00Z`);
  return /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(at) && new Date(at).toISOString().startsWith(text);
}

/** The query that shows a day in a view; what else the address says stays, except the month beside it. */
export function queryFor(query: URLSearchParams, date: string, view: View): string {
  const next = new URLSearchParams(query);
  next.delete('month');
  next.delete('view');
  next.set('date', date);
  if (view !== 'day') next.set('view', view);
  return `?${next}`;
}

/** The day to which a step back or forward leads from another, in a view. */
export function stepFrom(date: string, view: View, by: 1 | -1): string {
  if (view === 'month') return sameDayIn(shiftMonth(monthOf(date), by), date);
  return shiftDate(date, view === 'week' ? by * 7 : by);
}

function sameDayIn(month: string, date: string): string {
  const days = daysOfMonth(month);
  return days[Math.min(days.length, Number(date.slice(8))) - 1] ?? date;
}

/** The days that a view of a day shows. */
export function daysIn(view: View, date: string): string[] {
  if (view === 'day') return [date];
  return view === 'week' ? daysOfWeek(date) : daysOfMonth(monthOf(date));
}

/** Today by the clock of a zone. */
export const todayIn = (zone: Zone) => dayOf(zone, Date.now());
