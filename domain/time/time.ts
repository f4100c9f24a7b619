import { z } from 'zod';
import { ServiceError } from '../errors.ts';

/** Milliseconds of a day, hour and minute. */
export const dayMs = 86_400_000;
export const hourMs = 3_600_000;
export const minuteMs = 60_000;

/** Earlier instants are not stored, because device clocks that are not set start at 1970 or 1980. */
export const earliestMs = Date.UTC(1990, 0, 1);

/** An instant of a parameter. `dateOnly`: the day that begins at `ms`. */
export interface Instant {
  readonly ms: number;
  readonly dateOnly: boolean;
}

/** A resolved range [startMs, endMs). */
export interface Range {
  readonly startMs: number;
  readonly endMs: number;
}

const dateOnly = /^\d{4}-\d{2}-\d{2}$/;
const dateTime =
  /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?)\s*(Z|[ +-]\d{2}(?::?\d{2})?)?$/i;
const unixTime = /^-?\d{1,16}$/;
const unixMillisecondsFrom = 1e11;
const latestMs = Date.UTC(10_000, 0, 1);

/** The last instant of a range. ISO 8601 and PostgreSQL do not read years of five digits in the same form. */
export const lastMs = latestMs - 1;

/**
 * Reads ISO 8601 with a zone (also with a blank that was decoded from `+`) or without one (UTC), a date, or Unix time in
 * seconds (from 1e11 in milliseconds). Returns null if the text has none of these forms or is not in the calendar.
 */
export function parseInstant(text: string): Instant | null {
  const trimmed = text.trim();
  if (unixTime.test(trimmed)) return fromUnix(Number(trimmed));
  if (dateOnly.test(trimmed)) return bounded(isoToMs(`${trimmed}T00:00:00Z`, trimmed), true);
  const match = dateTime.exec(text.trimStart());
  if (match === null) return null;
  const [, date = '', clock = '', zone = 'Z'] = match;
  return bounded(isoToMs(`${date}T${clock.replace(',', '.')}${isoZone(zone)}`, date), false);
}

function fromUnix(value: number): Instant | null {
  return bounded(Math.abs(value) >= unixMillisecondsFrom ? value : value * 1000, false);
}

function isoZone(zone: string): string {
  if (zone.toUpperCase() === 'Z') return 'Z';
  const digits = zone.slice(1).replace(':', '').padEnd(4, '0');
  return `${zone.startsWith('-') ? '-' : '+'}${digits.slice(0, 2)}:${digits.slice(2)}`;
}

// Date.parse reads 30 February as 2 March, so the result must have the given day.
function isoToMs(iso: string, date: string): number {
  if (date !== lastDate && !isInCalendar(date)) return Number.NaN;
  lastDate = date;
  return Date.parse(iso);
}

// Most instants of a list are of one day.
let lastDate = '';

function isInCalendar(date: string): boolean {
  const midnight = new Date(`${date}T00:00:00Z`);
  return !Number.isNaN(midnight.getTime()) && midnight.toISOString().slice(0, 10) === date;
}

function bounded(ms: number, isDate: boolean): Instant | null {
  return Number.isFinite(ms) && ms >= 0 && ms < latestMs ? { ms: Math.trunc(ms), dateOnly: isDate } : null;
}

/** A time parameter of a query. */
export const TimeParameter = z
  .union([z.string().max(64), z.number()])
  .transform((value, context): Instant => {
    const instant = parseInstant(String(value));
    if (instant !== null) return instant;
    context.addIssue(
      'must be an ISO 8601 time, a date (YYYY-MM-DD) or a Unix timestamp between 1970 and 9999',
    );
    return z.NEVER;
  })
  .meta({ description: 'ISO 8601 with or without a zone (UTC), a date, or a Unix timestamp.' });

const timeForms = 'ISO 8601 with or without a zone (UTC), a date (YYYY-MM-DD), or a Unix timestamp';

/** The start of a range, as a parameter. */
export const RangeStart = TimeParameter.meta({
  description: `Start of the range, included: ${timeForms}.`,
  example: '2026-01-01',
});

/** The end of a range, as a parameter. */
export const RangeEnd = TimeParameter.meta({
  description: `End of the range, excluded: ${timeForms}. A date is included: the range ends with that day.`,
  example: '2026-01-02',
});

const dateReason = 'must be a date, YYYY-MM-DD';

/** A calendar date without a zone, YYYY-MM-DD. */
export const CalendarDate = z
  .string(dateReason)
  .refine((text) => dateOnly.test(text) && parseInstant(text) !== null, dateReason);

/**
 * The range [start, end) of two parameters. A date as the end means the end of that day.
 * @throws RANGE_INVALID (422) if the range is empty
 */
export function resolveRange(
  start: Instant,
  end: Instant,
  names: readonly [start: string, end: string] = ['start_date', 'end_date'],
): Range {
  const endMs = end.dateOnly ? Math.min(end.ms + dayMs, lastMs) : end.ms;
  if (start.ms < endMs) return { startMs: start.ms, endMs };
  throw rangeInvalid(names[0], `must be before ${names[1]}`);
}

/** The error of a parameter that makes no range. */
export function rangeInvalid(field: string, reason: string): ServiceError {
  const message = `${field} ${reason}`;
  return new ServiceError('RANGE_INVALID', `${message}.`, { errors: [{ field, message }] });
}

/**
 * The first and the last date of a range of local days. Instants stand for the UTC dates that [start, end) touches.
 * @throws RANGE_INVALID (422) if the range is empty
 */
export function datesOf({
  start_date,
  end_date,
}: {
  readonly start_date: Instant;
  readonly end_date: Instant;
}): {
  firstDate: string;
  lastDate: string;
} {
  const { startMs, endMs } = resolveRange(start_date, end_date);
  return { firstDate: localDate(startMs, 0), lastDate: localDate(endMs - 1, 0) };
}

/** An instant in the form of the API: `2026-01-01T06:30:00Z`, with milliseconds only if they are not 0. */
export function formatInstant(ms: number): string {
  const whole = Math.trunc(ms);
  const day = Math.floor(whole / dayMs);
  const second = Math.floor((whole - day * dayMs) / 1000);
  const minute = Math.floor(second / 60);
  const hour = Math.floor(minute / 60);
  const time = `${dateOfDay(day)}T${twoDigits[hour]}:${twoDigits[minute - hour * 60]}:${twoDigits[second - minute * 60]}`;
  const milliseconds = whole - day * dayMs - second * 1000;
  return milliseconds === 0 ? `${time}Z` : `${time}.${String(milliseconds).padStart(3, '0')}Z`;
}

// Most instants of a page are of one day. A Date for each of them takes seven times as long.
let lastDay = { number: Number.NaN, text: '' };

function dateOfDay(day: number): string {
  if (day !== lastDay.number)
    lastDay = { number: day, text: new Date(day * dayMs).toISOString().slice(0, 10) };
  return lastDay.text;
}

const twoDigits = Array.from({ length: 60 }, (_, number) => String(number).padStart(2, '0'));

/** A date of the database in the form of the API; null if there is none. */
export function instantOrNull(date: Date | null): string | null {
  return date === null ? null : formatInstant(date.getTime());
}

/** An instant in ISO 8601 with milliseconds, as PostgreSQL and provider APIs take it. */
export function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}

/** As `isoTime`; null if there is no instant. */
export function isoTimeOrNull(ms: number | null): string | null {
  return ms === null ? null : isoTime(ms);
}

/** The day, YYYY-MM-DD, that a clock `offsetMinutes` ahead of UTC shows at an instant; the nearest one from 1970 to 9999. */
export function localDate(ms: number, offsetMinutes: number): string {
  const day = Math.floor((ms + offsetMinutes * minuteMs) / dayMs);
  return dateOfDay(Math.max(0, Math.min(day, newestDay)));
}
const newestDay = Math.floor(lastMs / dayMs);

/** As `localDate`; null if the offset is unknown. */
export function knownLocalDate(ms: number, offsetMinutes: number | null): string | null {
  return offsetMinutes === null ? null : localDate(ms, offsetMinutes);
}

/** An offset from UTC in the form of the API: `+02:00`. Null if it is unknown. */
export function formatOffset(minutes: number | null): string | null {
  if (minutes === null) return null;
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
  const two = (value: number) => String(value).padStart(2, '0');
  return `${minutes < 0 ? '-' : '+'}${two(hours)}:${two(rest)}`;
}

/** An instant on a local clock, `2026-01-01T08:30:00+02:00`; in UTC if the clock is unknown. */
export function localTime(ms: number, zone: number | null): string {
  if (zone === null) return formatInstant(ms);
  return `${formatInstant(ms + zone * minuteMs).slice(0, -1)}${formatOffset(zone)}`;
}

/** UTC midnight of a date, in milliseconds. */
export function dateToMs(date: string): number {
  return Date.parse(`${date}T00:00:00Z`);
}

/** Noon in UTC of a date, for a value of a day without a time: it belongs to that day for nearly every offset. */
export function noonOf(date: string): number {
  return dateToMs(date) + 12 * hourMs;
}

/** Whole minutes of a number of seconds, rounded down. */
export function wholeMinutes(seconds: number | null): number | null {
  return seconds === null ? null : Math.floor(seconds / 60);
}
