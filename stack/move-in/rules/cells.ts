import { storableJson } from '../../../domain/json/json.ts';
import { rangeOf } from '../../../domain/recipe/units.ts';
import { dateToMs, dayMs, earliestMs, localDate, minuteMs, parseInstant } from '../../../domain/time/time.ts';

/** Milliseconds of an instant; a text without a zone is in UTC. Null: there is none. */
export function instantOf(value: Date | string | null | undefined): number | null {
  if (value == null) return null;
  if (typeof value === 'string') return parseInstant(value)?.ms ?? null;
  const ms = value.getTime();
  return Number.isFinite(ms) ? ms : null;
}

/** Why an instant is not moved; null if it is. */
export function instantProblem(ms: number | null, nowMs: number): string | null {
  if (ms === null) return 'has no valid time';
  if (ms < earliestMs) return 'is before 1990';
  return ms > nowMs + dayMs ? 'is more than a day ahead' : null;
}

/** A number of a cell. Null: there is none. */
export function numberOf(value: string | number | null | undefined): number | null {
  if (value == null || value === '') return null;
  const number = Number(value);
  return Number.isFinite(number) ? number : null;
}

/** The value of a column of a record. One that is out of its range counts as absent, as in what providers send. */
export function columnOf(column: string, value: string | number | null | undefined): number | null {
  const number = numberOf(value);
  const [least, most] = rangeOf(column);
  return number !== null && number >= least && number <= most ? number : null;
}

/** As `columnOf`, of a column of whole numbers. */
export function wholeOf(column: string, value: string | number | null | undefined): number | null {
  const number = columnOf(column, value);
  return number === null ? null : Math.round(number);
}

/** Seconds of a number of minutes. */
export function secondsOf(minutes: string | number | null | undefined): number | null {
  const number = numberOf(minutes);
  return number === null ? null : wholeOf('seconds', number * 60);
}

/** The most bytes of JSON of a record that is kept whole. */
const mostBytes = 64 * 1024;
const deepest = 20;

/** A value of JSON as it can be stored. Undefined: it is too large, or nested too deeply. */
export function jsonOf(value: unknown, most = mostBytes): unknown {
  if (!isWithin(value, deepest)) return undefined;
  const storable = storableJson(value);
  return Buffer.byteLength(JSON.stringify(storable)) <= most ? storable : undefined;
}

const isWithin = (value: unknown, levels: number): boolean =>
  typeof value !== 'object' ||
  value === null ||
  (levels > 0 && Object.values(value).every((one) => isWithin(one, levels - 1)));

const offsets = new Map<string, number | null>();
const mostOffsets = 500;
const offsetText = /^([+-])(\d\d):?(\d\d)(?::?\d\d)?$/;
const farthestMinutes = 18 * 60;

/** The minutes of an offset such as `+02:00` or `-0330`. Null: there is none. */
export function offsetOf(text: string | null | undefined): number | null {
  if (text == null) return null;
  const known = offsets.get(text);
  if (known !== undefined) return known;
  const minutes = readOffset(text.trim());
  if (offsets.size < mostOffsets) offsets.set(text, minutes);
  return minutes;
}

function readOffset(text: string): number | null {
  if (/^(z|utc|gmt)$/i.test(text)) return 0;
  const [, sign, hours, minutes] = offsetText.exec(text) ?? [];
  if (hours === undefined || minutes === undefined || Number(minutes) > 59) return null;
  const total = (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
  return Math.abs(total) <= farthestMinutes ? total : null;
}

/** Whether an offset is given but cannot be read. */
export const isMalformed = (text: string | null | undefined): boolean =>
  text != null && text.trim() !== '' && offsetOf(text) === null;

/** The reason that counts rows whose offset cannot be read. */
export const malformedOffset = 'the zone offset cannot be read: placed by the clock of the user';

/** The span of a local day that an instant stands for. */
export interface DayPlace {
  /** Null: the clock of the user decides. */
  readonly date: string | null;
  readonly startMs: number;
}

const halfMinuteMs = minuteMs / 2;

/**
 * The local day of a total, whose time is the midnight before it, or half a minute before the midnight after it. Without an offset, a
 * time at midnight or noon in UTC stands for the date.
 */
export function dayPlaceOf(ms: number, offset: number | null): DayPlace {
  if (offset !== null) {
    const date = localDate(ms, offset);
    return { date, startMs: dateToMs(date) - offset * minuteMs };
  }
  const sinceMidnight = ms % dayMs;
  const isDate = sinceMidnight === 0 || sinceMidnight === dayMs / 2 || sinceMidnight === dayMs - halfMinuteMs;
  if (isDate) return { date: localDate(ms, 0), startMs: ms - sinceMidnight };
  const isEnd = ms % minuteMs === halfMinuteMs;
  return { date: null, startMs: isEnd ? ms + halfMinuteMs - dayMs : ms };
}

/** A text as it can be stored. Null: there is none. */
export function textOf(value: unknown, most: number): string | null {
  if (typeof value !== 'string') return null;
  return value.replaceAll('\0', '').trim().slice(0, most).toWellFormed() || null;
}
