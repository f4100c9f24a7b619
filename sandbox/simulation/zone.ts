import { dateToMs, dayMs, localDate, minuteMs } from '../../domain/time/time.ts';

/** Converts between local times of a zone and instants, also across changes of daylight saving time. */
const formats = new Map<string, Intl.DateTimeFormat>();
const offsetName = /^GMT(?:([+-])(\d{2}):(\d{2}))?/;

/** Offsets by zone and quarter of an hour, of which zones change theirs at the beginning. A format takes 10 µs. */
const offsets = new Map<string, number>();
const mostOffsets = 50_000;

/** The offset of a zone (IANA name) from UTC at an instant, in minutes. */
export function offsetMinutesAt(zone: string, ms: number): number {
  const key = `${zone} ${Math.floor(ms / (15 * minuteMs))}`;
  const known = offsets.get(key);
  if (known !== undefined) return known;
  if (offsets.size >= mostOffsets) offsets.clear();
  const offset = formattedOffset(zone, ms);
  offsets.set(key, offset);
  return offset;
}

function formattedOffset(zone: string, ms: number): number {
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
 * The instant of `minutes` after local midnight of a date; negative minutes are on the previous day.
 * Of a local time that occurs twice, the first is returned. A skipped local time is returned as the time after the change.
 */
export function instantOf(zone: string, date: string, minutes: number): number {
  const wall = dateToMs(date) + minutes * minuteMs;
  const before = offsetMinutesAt(zone, wall - dayMs);
  const after = offsetMinutesAt(zone, wall + dayMs);
  const fits = [before, after].find((offset) => offsetMinutesAt(zone, wall - offset * minuteMs) === offset);
  return wall - (fits ?? before) * minuteMs;
}

/** The local date of a zone at an instant. */
export function dateAt(zone: string, ms: number): string {
  return localDate(ms, offsetMinutesAt(zone, ms));
}

/** The date a number of days later; a negative number is earlier. */
export function addDays(date: string, days: number): string {
  return localDate(dateToMs(date) + days * dayMs, 0);
}

/** The number of days since 1970. */
export function dayNumber(date: string): number {
  return Math.floor(dateToMs(date) / dayMs);
}

/** 0 for Monday to 6 for Sunday. */
export function weekdayOf(date: string): number {
  return (dayNumber(date) + 3) % 7;
}
