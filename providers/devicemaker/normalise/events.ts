import { storableJson } from '../../../domain/json/json.ts';
import type { FieldTable } from '../../../domain/provider/field-table.ts';
import { type Item, isItem } from '../../../domain/recipe/read-fields.ts';
import { dateToMs, dayMs, earliestMs, localDate } from '../../../domain/time/time.ts';
import { dateOf, fieldReader, numberIn, textOf } from './checks.ts';
import { contentHash } from './content-hash.ts';
import { type Normaliser, type Problem, type Refused, refused } from './item.ts';
import { normalisedOf } from './item-type.ts';
import type { ReadItem } from './read-item.ts';

/** An item is stored in one call over the bus. Typical items of these types have some hundred bytes. */
const mostBytes = 64 * 1024;
const tooLarge = refused('', `is larger than ${mostBytes} bytes`);
const notContent = new Set(['userId', 'userAccessToken']);

/**
 * All fields of an item except those that identify the user, without NUL and unpaired surrogates, which PostgreSQL rejects.
 * Null if it is too large for its type. The hash has bounded its nesting.
 */
function wholeItem(item: Item): Record<string, unknown> | null {
  const fields = Object.entries(item).filter(([name]) => !notContent.has(name));
  const whole = storableJson(Object.fromEntries(fields));
  return isItem(whole) && Buffer.byteLength(JSON.stringify(whole)) <= mostBytes ? whole : null;
}

/**
 * Movement that a device detected automatically: an event of its own. The totals of days and epochs already contain it, so it is
 * not a workout and is added to no total.
 */
export function withMovement(read: ReadItem): ReadItem | Refused {
  const { draft, startMs } = read;
  const { duration_seconds = 0 } = draft;
  const data = wholeItem(read.item);
  if (data === null) return tooLarge;
  const event = { type: 'moveiq' as const, data };
  return { ...read, endMs: startMs + duration_seconds * 1000, draft: { ...draft, duration_seconds, event } };
}

const seconds = numberIn({ least: earliestMs / 1000, most: 253_402_300_799 });
// A forecast may begin after the end of a pregnancy.
const farthestMs = 400 * dayMs;

/**
 * A day of the menstrual cycle: an event of that UTC day, stored as sent. The later delivery replaces the earlier one. Its values
 * must never appear in a log, so a problem names the field only.
 */
export function cycleType(name: string, fields: FieldTable) {
  const normalise: Normaliser = (item, nowMs) => {
    if (!isItem(item)) return refused('', 'must be an object');
    const problems: Problem[] = [];
    const field = fieldReader(item, problems);
    const date = cycleDay(field);
    const device = field('deviceName', textOf(100)) ?? 'unknown';
    if (date === null) return refused('periodStartDate', 'is required: nothing else tells a day');
    const startMs = dateToMs(date);
    if (!(startMs >= earliestMs && startMs <= nowMs + farthestMs))
      return refused('periodStartDate', 'is before 1990 or too far ahead');
    const hash = contentHash(item);
    if (hash === null) return refused('', 'is nested too deeply');
    const data = wholeItem(item);
    if (data === null) return tooLarge;
    const draft = { key: date, date, duration_seconds: dayMs / 1000, event: { type: 'mct' as const, data } };
    const placed = { startMs, endMs: startMs + dayMs, offset: null, device, nowMs, hash };
    const read = { ok: true as const, item, pass: '', draft, readings: [], problems, ...placed };
    return normalisedOf(name, { fields, supersede: 'latest' }, read);
  };
  return { name, fields, normalise };
}

/** The day of an item: its own date, otherwise computed from the day in the cycle, otherwise the day of a time. */
function cycleDay(field: ReturnType<typeof fieldReader>): string | null {
  const [date, period] = [field('calendarDate', dateOf), field('periodStartDate', dateOf)];
  const day = field('dayInCycle', numberIn({ least: 1, most: 1000 }, 1, true)) ?? 1;
  const [start, updated] = [field('startTimeInSeconds', seconds), field('lastUpdatedTimeInSeconds', seconds)];
  if (date !== null) return date;
  if (period !== null) return localDate(dateToMs(period) + (day - 1) * dayMs, 0);
  const reported = start ?? updated;
  return reported === null ? null : localDate(reported * 1000, 0);
}
