import { z } from 'zod';
import type { DayValues, DayValuesRecord } from '../../../domain/records/day-values.ts';
import { bareItem, type DayRecord, type StoreItem } from '../../../domain/records/records.ts';
import { CalendarDate, dateToMs, dayMs } from '../../../domain/time/time.ts';
import { midnightIn } from '../../../domain/time/zone.ts';
import { importedDevice, isImported } from './devices.ts';
import {
  beats,
  count,
  flag,
  isStorable,
  itemsOf,
  measure,
  type Normalised,
  offsetAt,
  text,
  withHash,
} from './fields.ts';

const seconds = count(0, 100_000);

const Day = z.object({
  date: CalendarDate,
  timezone: text(100),
  deviceid: text(100),
  model: text(100),
  brand: count(0, 100_000),
  is_tracker: flag,
  steps: count(0, 1_000_000),
  distance: measure(0, 10_000_000),
  elevation: count(0, 100_000),
  soft: seconds,
  moderate: seconds,
  intense: seconds,
  calories: measure(0, 100_000),
  totalcalories: measure(0, 100_000),
  hr_average: beats,
  hr_min: beats,
  hr_max: beats,
  hr_zone_0: seconds,
  hr_zone_1: seconds,
  hr_zone_2: seconds,
  hr_zone_3: seconds,
});

type Day = z.output<typeof Day>;

/** The totals of days. */
export function normaliseDays(records: readonly unknown[], nowMs: number): Normalised {
  return itemsOf(records, (record, skip) => {
    const day = Day.safeParse(record).data;
    const startMs = day === undefined ? null : startOf(day);
    if (day !== undefined && startMs !== null && isStorable(startMs, nowMs)) return itemOf(day, startMs);
    skip(startMs === null ? 'unreadable' : 'time_out_of_range');
    return null;
  });
}

function startOf({ date, timezone }: Day): number | null {
  return timezone === null ? dateToMs(date) : midnightIn(timezone, date);
}

function itemOf(fields: Day, startMs: number): StoreItem {
  const day = dayOf(fields, startMs);
  return withHash({
    ...bareItem,
    data_type: 'days',
    key: `${fields.date} ${fields.deviceid ?? day.device}`,
    supersede: 'latest',
    duration_seconds: day.duration_seconds,
    day,
    day_values: dayValuesOf(fields, day),
  });
}

function dayOf(fields: Day, startMs: number): DayRecord {
  const imported = isImported(fields);
  return {
    date: fields.date,
    start_ms: startMs,
    // Of a provider's records of the same hours the longest counts. An imported row is shorter, so that it counts only on
    // days without any other.
    duration_seconds: secondsOf(fields, startMs) - (imported ? 1 : 0),
    zone_offset_minutes: offsetAt(fields.timezone, startMs),
    device: imported ? importedDevice : (fields.model ?? 'unknown'),
    steps: fields.steps,
    distance_meters: fields.distance,
    floors_climbed: fields.elevation,
    active_seconds: sumOf([fields.soft, fields.moderate, fields.intense]),
    moderate_seconds: fields.moderate,
    vigorous_seconds: fields.intense,
    active_calories_kcal: fields.calories,
    basal_calories_kcal: basalOf(fields),
    avg_heart_rate_bpm: fields.hr_average,
    min_heart_rate_bpm: fields.hr_min,
    max_heart_rate_bpm: fields.hr_max,
    pushes: null,
    consumed_calories_kcal: null,
  };
}

// The parts of the day that its totals do not have. An imported row repeats those of another maker.
function dayValuesOf(fields: Day, day: DayRecord): DayValuesRecord | null {
  const zones = [fields.hr_zone_0, fields.hr_zone_1, fields.hr_zone_2, fields.hr_zone_3];
  const values: DayValues = {
    ...(fields.soft === null ? {} : { light_activity_seconds: fields.soft }),
    ...(zones.every((zone) => zone === null) ? {} : { heart_rate_zone_seconds: zones }),
  };
  if (Object.keys(values).length === 0) return null;
  const { date, start_ms, duration_seconds, zone_offset_minutes, device } = day;
  return { date, start_ms, duration_seconds, zone_offset_minutes, device, values, extra: null };
}

// A day on which the clocks change has 23 or 25 hours.
function secondsOf({ date, timezone }: Day, startMs: number): number {
  const next = new Date(dateToMs(date) + dayMs).toISOString().slice(0, 10);
  const endMs = timezone === null ? null : midnightIn(timezone, next);
  return Math.round(((endMs ?? startMs + dayMs) - startMs) / 1000);
}

function sumOf(parts: readonly (number | null)[]): number | null {
  const known = parts.filter((part) => part !== null);
  return known.length === 0 ? null : known.reduce((sum, part) => sum + part, 0);
}

// The total contains the active part.
function basalOf({ calories, totalcalories }: Day): number | null {
  if (calories === null || totalcalories === null || totalcalories < calories) return null;
  return totalcalories - calories;
}
