import { z } from 'zod';
import { bareItem, type OtherRecord } from '../../../domain/records/records.ts';
import { CalendarDate, dateToMs, dayMs, earliestMs, localDate } from '../../../domain/time/time.ts';
import { contentHash } from './content-hash.ts';
import { count, isObject, measure, type Normaliser, readItem, refused, text } from './item.ts';
import { wholeItem, wholeReason } from './whole-item.ts';

const date = CalendarDate.nullable().default(null);
const seconds = measure(earliestMs / 1000, 253_402_300_799);

const Cycle = z.object({
  calendarDate: date,
  periodStartDate: date,
  dayInCycle: count(1, 1000),
  startTimeInSeconds: seconds,
  lastUpdatedTimeInSeconds: seconds,
  deviceName: text(100),
});

type Cycle = z.output<typeof Cycle>;

// A forecast may begin after the end of a pregnancy.
const farthestMs = 400 * dayMs;

/**
 * A day of the menstrual cycle: an event of that UTC day, stored as sent. The later delivery replaces the earlier one.
 * Its values must never appear in a log, so a problem names the field only.
 */
export const normaliseCycle: Normaliser = (item, nowMs) => {
  const read = readItem(Cycle, [], item);
  if (!read.ok) return read;
  const day = dayOf(read.fields);
  if (day === null) return refused('periodStartDate', 'is required: nothing else tells a day');
  const startMs = dateToMs(day);
  if (!(startMs >= earliestMs && startMs <= nowMs + farthestMs))
    return refused('periodStartDate', 'is before 1990 or too far ahead');
  const hash = isObject(item) ? contentHash(item) : null;
  if (!isObject(item) || hash === null) return refused('', 'is nested too deeply');
  const data = wholeItem(item);
  if (data === null) return refused('', wholeReason);
  const other: OtherRecord = {
    type: 'mct',
    start_ms: startMs,
    end_ms: startMs + dayMs,
    zone_offset_minutes: null,
    date: day,
    device: read.fields.deviceName ?? 'unknown',
    data,
  };
  const record = { data_type: 'mct', key: day, hash, supersede: 'latest' as const, duration_seconds: 86_400 };
  return { ok: true, item: { ...bareItem, ...record, other }, problems: read.problems };
};

/** The day of an item: its own date, otherwise computed from the day in the cycle, otherwise the day of a time. */
function dayOf(fields: Cycle): string | null {
  const { calendarDate, periodStartDate, dayInCycle } = fields;
  if (calendarDate !== null) return calendarDate;
  if (periodStartDate !== null)
    return localDate(dateToMs(periodStartDate) + ((dayInCycle ?? 1) - 1) * dayMs, 0);
  const reported = fields.startTimeInSeconds ?? fields.lastUpdatedTimeInSeconds;
  return reported === null ? null : localDate(reported * 1000, 0);
}
