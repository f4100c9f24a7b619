import { clockOf, formatIn, type Zone } from '../../zone.ts';

/** A local day in a zone, from midnight to midnight in Unix milliseconds. It has 23 or 25 hours where the clocks change. */
export interface DayAxis {
  /** YYYY-MM-DD. */
  readonly date: string;
  readonly zone: Zone;
  readonly from: number;
  readonly to: number;
}

/** A full hour of the day's clock. */
export interface Tick {
  readonly at: number;
  readonly hour: number;
  readonly text: string;
}

const minuteMs = 60_000;
const dayMs = 86_400_000;
/** Clocks are at most this far from UTC, and so is a day from that of UTC. */
const farthestMs = 16 * 3_600_000;
/** Zones differ by multiples of a quarter hour, so that every full hour is one of these steps away from midnight. */
export const slotMs = 15 * minuteMs;

/** The date that lies this many days after another. */
export const shiftDate = (date: string, days: number) =>
  new Date(Date.parse(`${date}T00:00:00Z`) + days * dayMs).toISOString().slice(0, 10);

/** The axis of a local day. */
export const axisOf = (date: string, zone: Zone): DayAxis => ({
  date,
  zone,
  from: startOf(date, zone),
  to: startOf(shiftDate(date, 1), zone),
});

// The first minute of the date: where a clock change skips midnight, the day begins later.
function startOf(date: string, zone: Zone): number {
  const { ahead, timeZone } = clockOf(zone);
  const day = new Intl.DateTimeFormat('sv-SE', { timeZone }); // YYYY-MM-DD
  const middle = Date.parse(`${date}T00:00:00Z`);
  let [before, within] = [middle - farthestMs, middle + farthestMs];
  while (within - before > minuteMs) {
    const between = before + Math.floor((within - before) / 2 / minuteMs) * minuteMs;
    if (day.format(between + ahead) < date) before = between;
    else within = between;
  }
  return within;
}

/** The full hours of a day that are multiples of `every` by its clock, and the midnight that ends it. */
export function ticksOf({ zone, from, to }: DayAxis, every: number): Tick[] {
  const clock = formatIn(zone, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
  const text = formatIn(zone, { hour: 'numeric' });
  return [...slotsOf({ from, to }), to].flatMap((at) => {
    const [hour = '', minute] = clock(at).split(':');
    return minute === '00' && Number(hour) % every === 0 ? [{ at, hour: Number(hour), text: text(at) }] : [];
  });
}

/** The starts of the quarter hours of a day. */
export const slotsOf = ({ from, to }: Pick<DayAxis, 'from' | 'to'>) =>
  Array.from({ length: Math.ceil((to - from) / slotMs) }, (_, index) => from + index * slotMs);

/** The times of these instants by the day's clock. Where an hour comes twice, its second times say so. */
export function clockTexts(zone: Zone, instants: readonly number[]): string[] {
  const clock = formatIn(zone, { hour: 'numeric', minute: '2-digit' });
  const seen = new Set<string>();
  return instants.map((at) => {
    const text = clock(at);
    const isSecond = seen.has(text);
    seen.add(text);
    return isSecond ? `${text} (second time)` : text;
  });
}

/** What is unusual about the length of a day; empty for one of 24 hours. */
export function lengthText({ from, to }: Pick<DayAxis, 'from' | 'to'>): string {
  const hours = (to - from) / 3_600_000;
  if (hours === 24) return '';
  return `The clocks ${hours < 24 ? 'go forward' : 'go back'}: this day has ${hours} hours.`;
}

/** The month of a date, YYYY-MM. */
export const monthOf = (date: string) => date.slice(0, 7);

/** The first day of a month. */
export const firstOf = (month: string) => `${month}-01`;

/** The month that lies this many months after another. */
export function shiftMonth(month: string, months: number): string {
  const [year = 0, number = 1] = month.split('-').map(Number);
  return new Date(Date.UTC(year, number - 1 + months, 1)).toISOString().slice(0, 7);
}

/** All days of a month. */
export function daysOfMonth(month: string): string[] {
  const first = firstOf(month);
  return datesFrom(first, shiftDate(firstOf(shiftMonth(month, 1)), -1));
}

/** The days from one to another, both included. */
export function datesFrom(first: string, last: string): string[] {
  const count = Math.round((Date.parse(last) - Date.parse(first)) / dayMs) + 1;
  return Array.from({ length: Math.max(0, count) }, (_, index) => shiftDate(first, index));
}

/** The day of the week of a date, 0 for Monday. */
export const weekdayOf = (date: string) => (new Date(`${date}T00:00:00Z`).getUTCDay() + 6) % 7;

/** The days of the week of a date, from Monday on. */
export function daysOfWeek(date: string): string[] {
  const monday = shiftDate(date, -weekdayOf(date));
  return datesFrom(monday, shiftDate(monday, 6));
}
