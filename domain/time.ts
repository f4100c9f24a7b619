import { z } from 'zod';
import { ServiceError } from './errors.ts';

/** Milliseconds of a day, hour and minute. */
export const dayMs = 86_400_000;
export const hourMs = 3_600_000;
export const minuteMs = 60_000;

/** Earlier instants are not stored: unset device clocks start at 1970 or 1980. */
export const earliestMs = Date.UTC(1990, 0, 1);

/** An instant from a parameter; `dateOnly`: a whole day that begins at `ms`. */
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

/** The last instant that a range reaches: neither ISO 8601 nor PostgreSQL reads a year of five digits as it is. */
export const lastMs = latestMs - 1;

/**
 * Reads ISO 8601 with a zone (a blank where a `+` was decoded too), without one (UTC), a date, or Unix time
 * (seconds; milliseconds from 1e11). Returns null where the text is none of these or no date of the calendar.
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

// Date.parse takes 30 February for 2 March: the day must come back as it was given.
function isoToMs(iso: string, date: string): number {
  const midnight = new Date(`${date}T00:00:00Z`);
  if (Number.isNaN(midnight.getTime()) || midnight.toISOString().slice(0, 10) !== date) return Number.NaN;
  return Date.parse(iso);
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
 * The range that two parameters name: [start, end), a date as an end being the end of that day.
 * @throws RANGE_INVALID (422) when nothing lies between them.
 */
export function resolveRange(
  start: Instant,
  end: Instant,
  names: readonly [start: string, end: string] = ['start_date', 'end_date'],
): Range {
  const endMs = end.dateOnly ? Math.min(end.ms + dayMs, lastMs) : end.ms;
  if (start.ms < endMs) return { startMs: start.ms, endMs };
  const message = `${names[0]} must be before ${names[1]}`;
  throw new ServiceError('RANGE_INVALID', `${message}.`, { errors: [{ field: names[0], message }] });
}

/** An instant as the wire has it: `2026-01-01T06:30:00Z`, with milliseconds only where there are any. */
export function formatInstant(ms: number): string {
  const iso = new Date(ms).toISOString();
  return iso.endsWith('.000Z') ? `${iso.slice(0, 19)}Z` : iso;
}

/** A date of the database in the wire's form; null where there is none. */
export function instantOrNull(date: Date | null): string | null {
  return date === null ? null : formatInstant(date.getTime());
}

/** The day, YYYY-MM-DD, that a clock `offsetMinutes` ahead of UTC shows at an instant. */
export function localDate(ms: number, offsetMinutes: number): string {
  return new Date(ms + offsetMinutes * minuteMs).toISOString().slice(0, 10);
}

/** As `localDate`; null where the offset is not known. */
export function knownLocalDate(ms: number, offsetMinutes: number | null): string | null {
  return offsetMinutes === null ? null : localDate(ms, offsetMinutes);
}

/** UTC midnight of a date, in milliseconds. */
export function dateToMs(date: string): number {
  return Date.parse(`${date}T00:00:00Z`);
}

/** Whole minutes of a number of seconds, rounded down. */
export function wholeMinutes(seconds: number | null): number | null {
  return seconds === null ? null : Math.floor(seconds / 60);
}
