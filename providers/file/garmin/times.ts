import { numberOf } from '../../../domain/recipe/read-fields.ts';
import { CalendarDate, minuteMs, parseInstant } from '../../../domain/time/time.ts';

// Times of an account export have five shapes: milliseconds since 1970, ISO 8601 without a zone, a date, a list
// `[year, month, day, hour, minute, second, nanosecond]` that ends with its last part that is not 0, and no time at all. The
// name of a field says whether it is UTC (`…Gmt`, `…GMT`) or the clock of the user (`…Local`); no value has a mark.

/** The milliseconds of a time of any shape, as if it were UTC; null if it is none. */
export function timeMs(value: unknown): number | null {
  if (Array.isArray(value)) return listedMs(value);
  if (typeof value === 'string' && !/^\d+$/.test(value)) return parseInstant(value)?.ms ?? null;
  return numberOf(value);
}

function listedMs(parts: readonly unknown[]): number | null {
  const [year, month, day, hour, minute, second, nanosecond] = parts.map(numberOf);
  if (year == null || month == null || day == null) return null;
  const milliseconds = Math.floor((nanosecond ?? 0) / 1_000_000);
  return Date.UTC(year, month - 1, day, hour ?? 0, minute ?? 0, second ?? 0, milliseconds);
}

/** The calendar date of a time of the user's clock; null if it is none. */
export function dateOf(value: unknown): string | null {
  const ms = timeMs(value);
  if (ms === null || Number.isNaN(new Date(ms).getTime())) return null;
  return CalendarDate.safeParse(new Date(ms).toISOString().slice(0, 10)).data ?? null;
}

/** The minutes from UTC to the user's clock, a whole number of quarters of an hour; null if the times name none. */
export function offsetBetween(local: unknown, utc: unknown): number | null {
  const [localMs, utcMs] = [timeMs(local), timeMs(utc)];
  if (localMs === null || utcMs === null) return null;
  const minutes = Math.round((localMs - utcMs) / (15 * minuteMs)) * 15;
  return Math.abs(minutes) <= 14 * 60 ? minutes : null;
}
