import { dateToMs, dayMs, localDate, minuteMs } from '../domain/time.ts';

/** Clocks on walls: from a zone's date and hour to the instant, and back, over changes of daylight saving. */
const formats = new Map<string, Intl.DateTimeFormat>();
const offsetName = /^GMT(?:([+-])(\d{2}):(\d{2}))?/;

/** Minutes that the clocks of a zone (IANA name) are ahead of UTC at an instant. */
export function offsetMinutesAt(zone: string, ms: number): number {
  const parts = formatOf(zone).formatToParts(ms);
  const name = parts.find((part) => part.type === 'timeZoneName')?.value ?? '';
  const [, sign, hours = '0', minutes = '0'] = offsetName.exec(name) ?? [];
  const ahead = Number(hours) * 60 + Number(minutes);
  return sign === '-' ? -ahead : ahead;
}

function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone);
  if (known !== undefined) return known;
  const made = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' });
  formats.set(zone, made);
  return made;
}

/**
 * The instant at which clocks show `minutes` after midnight of a date; negative minutes are the evening before.
 * An hour that comes twice means its first time, one that is left out the time as late after the change.
 */
export function instantOf(zone: string, date: string, minutes: number): number {
  const wall = dateToMs(date) + minutes * minuteMs;
  const before = offsetMinutesAt(zone, wall - dayMs);
  const after = offsetMinutesAt(zone, wall + dayMs);
  const fits = [before, after].find((offset) => offsetMinutesAt(zone, wall - offset * minuteMs) === offset);
  return wall - (fits ?? before) * minuteMs;
}

/** The date on a zone's calendars at an instant. */
export function dateAt(zone: string, ms: number): string {
  return localDate(ms, offsetMinutesAt(zone, ms));
}

/** The date some days later, or earlier. */
export function addDays(date: string, days: number): string {
  return localDate(dateToMs(date) + days * dayMs, 0);
}

/** Days since 1970: what counts through a rota without an end. */
export function dayNumber(date: string): number {
  return Math.floor(dateToMs(date) / dayMs);
}

/** 0 for Monday to 6 for Sunday. */
export function weekdayOf(date: string): number {
  return (dayNumber(date) + 3) % 7;
}
