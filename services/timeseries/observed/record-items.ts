import type { Observed } from '../../../contracts/timeseries/observed.ts';
import { shortId } from '../../../domain/fhir/ids.ts';
import { dayMeasures, keysOf, sleepStages, workoutMeasures } from '../../../domain/fhir/observed.ts';
import type { Settings } from '../settings.ts';
import type { ObservedScope } from './observed-scope.ts';
import type { ObservedRecord } from './queries/select-observed-records.ts';

/** The observations of a record: one of a sleep, one or more of a workout, one for each total of a day. */
export function itemsOfRecord(record: ObservedRecord, scope: ObservedScope, settings: Settings): Observed[] {
  const shared = sharedOf(record, settings);
  if (record.kind === 'sleep') return [sleepItem(record, shared)];
  return record.kind === 'workout' ? workoutItems(record, shared, scope) : dayItems(record, shared, scope);
}

type Shared = Omit<Observed, 'name' | 'key'>;

function sharedOf(
  { date, start_ms, end_ms, zone_offset_minutes, provider, device }: ObservedRecord,
  settings: Settings,
): Shared {
  const source = { provider: settings.shownAs(provider), device };
  return { date, start_ms, end_ms, zone_offset_minutes, source, value: null, raster: null, fields: null };
}

function sleepItem({ id, columns }: ObservedRecord, shared: Shared): Observed {
  const stages = keysOf(sleepStages).map((name) => [name, columns[sleepStages[name]] ?? null] as const);
  const fields = { ...Object.fromEntries(stages), sleep_is_nap: columns.is_nap ?? null };
  return {
    ...shared,
    name: 'sleep',
    key: `n.${shortId(id)}`,
    value: numberOf(columns.asleep_seconds),
    fields,
  };
}

function workoutItems(
  { id, columns }: ObservedRecord,
  shared: Shared,
  { workouts }: ObservedScope,
): Observed[] {
  const keyOf = (name: keyof typeof suffixes) => `w.${shortId(id)}.${suffixes[name]}`;
  const measures = keysOf(workoutMeasures).filter((name) => columns[workoutMeasures[name]] !== null);
  const members = ['workout_activity' as const, ...measures].map((name) => [name, keyOf(name)]);
  const kind = { type: columns.type ?? null, name: columns.name ?? null };
  const of = {
    workout: { fields: Object.fromEntries(members) },
    workout_activity: { fields: kind },
  };
  return [
    ...(['workout', 'workout_activity'] as const).map((name) => ({
      ...shared,
      name,
      key: keyOf(name),
      ...of[name],
    })),
    ...measures.map((name) => ({
      ...shared,
      name,
      key: keyOf(name),
      value: numberOf(columns[workoutMeasures[name]]),
    })),
  ].filter(({ name }) => workouts.some((one) => one === name));
}

/** The end of a key. A name keeps its number for ever. */
const suffixes = {
  workout: 0,
  workout_activity: 1,
  workout_duration: 2,
  workout_calories: 3,
  workout_avg_heart_rate: 4,
  workout_max_heart_rate: 5,
  workout_steps: 6,
  workout_distance: 7,
  workout_elevation_gain: 8,
} as const;

function dayItems({ id, columns }: ObservedRecord, shared: Shared, { days }: ObservedScope): Observed[] {
  return days
    .filter((name) => columns[dayMeasures[name]] !== null)
    .map((name) => {
      const key = `t.${shortId(id)}.${daySuffixes[name]}`;
      return { ...shared, name, key, value: numberOf(columns[dayMeasures[name]]) };
    });
}

const daySuffixes = {
  day_steps: 0,
  day_distance: 1,
  day_floors: 2,
  day_active_time: 3,
  day_moderate_time: 4,
  day_vigorous_time: 5,
  day_active_calories: 6,
  day_basal_calories: 7,
  day_avg_heart_rate: 8,
  day_min_heart_rate: 9,
  day_max_heart_rate: 10,
  day_pushes: 11,
  day_consumed_calories: 12,
} as const satisfies Record<keyof typeof dayMeasures, number>;

const numberOf = (value: unknown) => (typeof value === 'number' ? value : null);
