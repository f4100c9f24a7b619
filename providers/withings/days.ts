import {
  assumed,
  computed,
  decides,
  type FieldTable,
  kept,
  notKept,
} from '../../domain/provider/field-table.ts';
import type { Draft } from '../../domain/recipe/draft.ts';
import type { Item } from '../../domain/recipe/read-fields.ts';
import type { RecordType } from '../../domain/recipe/record-type.ts';
import { dateToMs, dayMs, isoTime } from '../../domain/time/time.ts';
import { midnightIn, offsetMinutesIn } from '../../domain/time/zone.ts';
import { importedDevice, ofDevice, onlyRead, rowDevice, textOf, unknownDevice, wholeWithin } from './rows.ts';

/** More is no time of a day, and no energy in kcal. */
const [mostSeconds, mostEnergy] = [100_000, 100_000];

const secondsOf = (seconds: unknown) => wholeWithin(seconds, 0, mostSeconds);

const zone = computed(
  (_, row) => {
    const zones = [row.hr_zone_0, row.hr_zone_1, row.hr_zone_2, row.hr_zone_3].map(secondsOf);
    return zones.every((seconds) => seconds === null) ? null : zones;
  },
  's',
  'day_values.heart_rate_zone_seconds',
);

const fields: FieldTable = {
  date: kept(null, 'date', 'key'),
  timezone: decides(null, 'zone_offset'),
  deviceid: decides(null, 'key'),
  brand: decides(null, 'source'),
  is_tracker: decides(null, 'source'),
  modified: notKept(onlyRead),
  steps: kept('count', 'day.steps'),
  distance: kept('m', 'day.distance_meters'),
  elevation: kept('floors', 'day.floors_climbed'),
  soft: computed(secondsOf, 's', 'day.active_seconds', 'day_values.light_activity_seconds'),
  moderate: computed(secondsOf, 's', 'day.active_seconds', 'day.moderate_seconds'),
  intense: computed(secondsOf, 's', 'day.active_seconds', 'day.vigorous_seconds'),
  calories: kept('kcal', 'day.active_calories_kcal', 'day.basal_calories_kcal'),
  totalcalories: kept('kcal', 'day.basal_calories_kcal'),
  hr_average: kept('bpm', 'day.avg_heart_rate_bpm'),
  hr_min: kept('bpm', 'day.min_heart_rate_bpm'),
  hr_max: kept('bpm', 'day.max_heart_rate_bpm'),
  ...{ hr_zone_0: zone, hr_zone_1: zone, hr_zone_2: zone, hr_zone_3: zone },
  ...rowDevice,
  ...assumed({ active: notKept('the sum of `moderate` and `intense`', 's'), modelid: notKept(ofDevice) }),
};

/** A day begins at midnight in its time zone. On a day on which the clocks change it has 23 or 25 hours. */
function ofDay(draft: Draft, row: Item): Draft | string {
  const { date, source = unknownDevice, day = {} } = draft;
  const start_time = date === undefined ? null : startOf(row, date);
  if (date === undefined || start_time === null) return 'unreadable';
  const endMs = startOf(row, isoTime(dateToMs(date) + dayMs).slice(0, 10)) ?? start_time + dayMs;
  const zone_offset = offsetMinutesIn(textOf(row.timezone) ?? '', start_time);
  const imported = isImported(row);
  const device = imported ? importedDevice : source;
  const { active_seconds: _, ...totals } = day;
  return {
    ...draft,
    key: `${date} ${textOf(row.deviceid) ?? device}`,
    source: device,
    start_time,
    // Of a provider's records of the same hours the longest counts. An imported row is shorter, so that it counts only on
    // days without any other.
    duration_seconds: Math.round((endMs - start_time) / 1000) - (imported ? 1 : 0),
    ...(zone_offset === null ? {} : { zone_offset }),
    day: { ...totals, basal_calories_kcal: basalOf(totals.active_calories_kcal ?? null, row.totalcalories) },
  };
}

function startOf({ timezone }: Item, date: string): number | null {
  const zone = textOf(timezone);
  return zone === null ? dateToMs(date) : midnightIn(zone, date);
}

// The total contains the active part.
function basalOf(active: number | null, total: unknown): number | null {
  return active === null || typeof total !== 'number' || total < active || total > mostEnergy
    ? null
    : total - active;
}

const importedBrand = 18;

// A row that was imported from another maker repeats data that its maker sends as well.
function isImported({ deviceid, brand, is_tracker }: Item): boolean {
  return textOf(deviceid) === null && (brand === importedBrand || is_tracker === false);
}

/** The totals of days. */
export const days: RecordType = { fields, device: unknownDevice, complete: ofDay };
