import { hash } from 'node:crypto';
import {
  assumed,
  computed,
  type FieldReader,
  type FieldTable,
  kept,
  notKept,
} from '../../../domain/provider/field-table.ts';
import type { Draft } from '../../../domain/recipe/draft.ts';
import { type Item, numberOf } from '../../../domain/recipe/read-fields.ts';
import type { RecordType } from '../../../domain/recipe/record-type.ts';
import type { StoreItem, WorkoutRecord } from '../../../domain/records/records.ts';
import { elementReader, itemEntry, measured } from '../elements.ts';
import { type Entry, workoutDataType } from '../entry.ts';
import type { Recording } from '../recording.ts';
import { device } from './entries.ts';
import { offsetBetween } from './times.ts';

/** The energy of an activity is in kJ, of 4.19 to a kcal. That of a day is in kcal. */
const kilojoulesPerKilocalorie = 4.19;
/** Speeds are in units of 10 m/s. */
const tens: FieldReader = (value) => {
  const number = numberOf(value);
  return number === null || number <= 0 ? null : number * 10;
};
const whole: FieldReader = (value) => {
  const number = numberOf(measured(value, {}));
  return number === null ? null : Math.round(number);
};
const secondsOf: FieldReader = (value) => {
  const number = numberOf(measured(value, {}));
  return number === null ? null : number / 1000;
};
const idOf: FieldReader = (value) => (numberOf(value) === null ? null : String(value));

/** An activity of `*_summarizedActivities.json`. */
export const activityFields: FieldTable = {
  activityId: computed(idOf, null, 'key', 'details.activity_id'),
  startTimeGmt: kept('ms', 'start_time'),
  beginTimestamp: kept('ms', 'start_time'),
  startTimeLocal: computed(
    (local, { startTimeGmt, beginTimestamp }) => offsetBetween(local, startTimeGmt ?? beginTimestamp),
    'ms',
    'zone_offset',
  ),
  elapsedDuration: kept('ms', 'duration_seconds'),
  movingDuration: computed(secondsOf, 'ms', 'workout.moving_seconds'),
  duration: computed(secondsOf, 'ms', 'duration_seconds', 'workout.moving_seconds'),
  distance: kept('cm', 'workout.distance_meters'),
  elevationGain: kept('cm', 'workout.elevation_gain_meters'),
  avgSpeed: computed(tens, '10 m/s', 'details.avg_speed_meters_per_second'),
  maxSpeed: computed(tens, '10 m/s', 'details.max_speed_meters_per_second'),
  calories: computed(
    (value) => (numberOf(measured(value, {})) ?? Number.NaN) / kilojoulesPerKilocalorie,
    'kJ',
    'workout.calories_kcal',
  ),
  avgHr: computed(whole, 'bpm', 'workout.avg_heart_rate_bpm'),
  maxHr: computed(whole, 'bpm', 'workout.max_heart_rate_bpm'),
  avgPower: computed(measured, 'W', 'details.avg_power_watts'),
  steps: kept('count', 'workout.steps'),
  activityType: kept(null, 'workout.raw_type', 'workout.type'),
  name: kept(null, 'workout.name'),
  parent: notKept('a container of legs, which are activities of their own'),
  ...assumed({
    elevationLoss: kept('cm', 'details.elevation_loss_meters'),
    maxPower: computed(measured, 'W', 'details.max_power_watts'),
    normPower: computed(measured, 'W', 'details.weighted_power_watts'),
    sportType: notKept('the activity type says more'),
    parentId: notKept('the container of a leg is not kept'),
    deviceId: notKept('the id of a device without its name'),
    startLatitude: notKept('location data: the route is that of the recording', 'degrees'),
    startLongitude: notKept('location data: the route is that of the recording', 'degrees'),
    locationName: notKept('location data'),
    userProfileId: notKept('the account'),
    timeZoneId: notKept('a number without a description'),
    splits: notKept('the laps are those of the recording'),
  }),
};

function withWorkout(draft: Draft, item: Item): Draft | string {
  if (isContainer(item)) return 'The activity is a container of legs, which are read themselves.';
  if (draft.key === undefined || draft.start_time === undefined) return 'The activity has no id or no time.';
  return draft;
}

const isContainer = ({ parent, activityType }: Item) => parent === true || activityType === 'multi_sport';

const activity: RecordType = { device, fields: activityFields, complete: withWorkout };

/** Reads an activity without its recording. */
export const readActivity = elementReader(workoutDataType, 'workouts', activity);

/** Activities with the energy of a recording by which the unit of the list is measured. */
const fewestMeasured = 3;

/** A recording and its activity begin within so many milliseconds. */
const nearMs = 5000;
const slotOf = (ms: number) => Math.floor(ms / nearMs);

type WorkoutItem = StoreItem & { readonly workout: WorkoutRecord };

/**
 * The activities of an archive. The list has what the user edited, the recordings have the track. Each recording is completed by the
 * activity that began with it, and an activity without a recording is a workout of its own. The key of both is the id of the
 * activity, which a connection has too.
 */
export class Activities {
  readonly #byId = new Map<string, WorkoutItem>();
  readonly #leftOut: Entry[] = [];
  readonly #recorded = new Set<string>();
  /** The energy of the list in kJ to that of the recording in kcal, of each activity that has both. */
  readonly #energyRatios: number[] = [];
  #bySlot: Map<number, WorkoutItem[]> | null = null;

  /** Adds an activity of the list. */
  add(element: unknown, nowMs: number): void {
    for (const entry of readActivity(element, nowMs)) {
      const workout = entry.kind === 'item' ? entry.item.workout : null;
      if (entry.kind !== 'item' || workout === null) this.#leftOut.push(entry);
      else this.#byId.set(entry.item.key, { ...entry.item, workout });
    }
    this.#bySlot = null;
  }

  /** A recording with what the list says of it. */
  completed(recording: Recording): Recording {
    const listed = this.#nearest(recording.start_ms);
    if (listed === undefined) return recording;
    this.#recorded.add(listed.key);
    const { workout } = listed;
    const { calories_kcal: measured = null } = recording.totals;
    if (workout.calories_kcal !== null && measured !== null && measured > 0)
      this.#energyRatios.push((workout.calories_kcal * kilojoulesPerKilocalorie) / measured);
    const edited = editedTotals.flatMap((name) => (workout[name] === null ? [] : [[name, workout[name]]]));
    return {
      ...recording,
      key: listed.key,
      name: workout.plain_name === true ? recording.name : workout.name,
      sport: workout.type === 'other' ? recording.sport : workout.raw_type,
      zone_offset_minutes: recording.zone_offset_minutes ?? workout.zone_offset_minutes,
      totals: {
        calories_kcal: workout.calories_kcal,
        ...recording.totals,
        ...Object.fromEntries(edited),
      },
      details: { ...recording.details, ...listed.extras?.details },
    };
  }

  /** What the list has and no recording: to be called when all recordings are read. */
  withoutRecording(): Entry[] {
    const isInKilocalories = this.#isInKilocalories();
    const left = [...this.#listed().values()].flat().filter(({ key }) => !this.#recorded.has(key));
    return [
      ...left.map((item) => itemEntry(isInKilocalories ? inKilocalories(item) : item, 'workouts')),
      ...this.#leftOut,
    ];
  }

  // The list has one unit. Without enough recordings to measure it by, it is taken for kJ.
  #isInKilocalories(): boolean {
    const sorted = this.#energyRatios.toSorted((a, b) => a - b);
    const median = sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
    return sorted.length >= fewestMeasured && median < Math.sqrt(kilojoulesPerKilocalorie);
  }

  #nearest(startMs: number): WorkoutItem | undefined {
    const listed = this.#listed();
    const slot = slotOf(startMs);
    const distance = ({ workout }: WorkoutItem) => Math.abs(workout.start_ms - startMs);
    return [slot - 1, slot, slot + 1]
      .flatMap((one) => listed.get(one) ?? [])
      .filter((one) => distance(one) <= nearMs)
      .toSorted((a, b) => distance(a) - distance(b))[0];
  }

  // Of a recording that is listed under two ids the lower one counts, which was there first.
  #listed(): Map<number, WorkoutItem[]> {
    if (this.#bySlot !== null) return this.#bySlot;
    const starts = new Set<number>();
    const bySlot = new Map<number, WorkoutItem[]>();
    for (const item of [...this.#byId.values()].toSorted((a, b) => Number(a.key) - Number(b.key))) {
      const second = Math.floor(item.workout.start_ms / 1000);
      if (starts.has(second)) continue;
      starts.add(second);
      const slot = slotOf(item.workout.start_ms);
      bySlot.set(slot, [...(bySlot.get(slot) ?? []), item]);
    }
    this.#bySlot = bySlot;
    return bySlot;
  }
}

/** The totals that the list decides where it has them: users edit them, such as the distance of a treadmill. */
const editedTotals = [
  'distance_meters',
  'moving_seconds',
  'avg_heart_rate_bpm',
  'max_heart_rate_bpm',
  'elevation_gain_meters',
  'steps',
] as const satisfies readonly (keyof WorkoutRecord)[];

function inKilocalories(item: WorkoutItem): StoreItem {
  const { calories_kcal } = item.workout;
  if (calories_kcal === null) return item;
  const workout = { ...item.workout, calories_kcal: calories_kcal * kilojoulesPerKilocalorie };
  return { ...item, workout, hash: hash('sha256', `${item.hash} kcal`, 'base64url') };
}
