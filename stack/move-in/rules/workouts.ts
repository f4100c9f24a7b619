import { z } from 'zod';
import { mostExtraBytes } from '../../../domain/provider/extra.ts';
import { bareWorkout } from '../../../domain/recipe/item-of-record.ts';
import { bareItem, type StoreItem, type WorkoutRecord } from '../../../domain/records/records.ts';
import type { WorkoutType } from '../../../domain/records/workout-types.ts';
import {
  hasExtras,
  type LapRecord,
  mostLaps,
  noFigures,
  sentDetails,
  type WorkoutSplit,
} from '../../../domain/workouts/details.ts';
import { workoutTypeNamed } from '../../../domain/workouts/sport-names.ts';
import { columnOf, jsonOf, textOf, wholeOf } from './cells.ts';
import { type Counter, movedItem, type Placed, recordIdOf } from './mapped.ts';
import type { RecordRow, WorkoutDetailsRow } from './rows.ts';

/** Names of theirs that the table of sports takes for another sport. */
const others: ReadonlySet<string> = new Set(['mountaineering']);

/** The workout type of one of theirs. */
const workoutTypeOf = (type: string): WorkoutType => workoutTypeNamed(type, others);

/** A workout with its details. */
export function workoutItem(row: RecordRow, placed: Placed, changed: Counter): StoreItem {
  const { name, device, start_ms, end_ms, offset } = placed;
  const details = row.workout_details ?? {};
  const raw_type = textOf(row.type, 100) ?? 'other';
  const duration_seconds =
    wholeOf('duration_seconds', row.duration_seconds) || Math.round((end_ms - start_ms) / 1000);
  const speed = columnOf('avg_speed_meters_per_second', details.average_speed);
  const workout: WorkoutRecord = {
    ...bareWorkout,
    type: workoutTypeOf(raw_type),
    raw_type,
    name: plainName(raw_type),
    plain_name: true,
    start_ms,
    end_ms,
    zone_offset_minutes: offset,
    duration_seconds,
    moving_seconds: wholeOf('moving_seconds', details.moving_time_seconds),
    device,
    calories_kcal: columnOf('calories_kcal', details.energy_burned),
    distance_meters: columnOf('distance_meters', details.distance),
    avg_heart_rate_bpm: wholeOf('avg_heart_rate_bpm', details.heart_rate_avg),
    max_heart_rate_bpm: wholeOf('max_heart_rate_bpm', details.heart_rate_max),
    avg_pace_sec_per_km: speed !== null && speed > 0 ? columnOf('avg_pace_sec_per_km', 1000 / speed) : null,
    elevation_gain_meters: columnOf('elevation_gain_meters', details.total_elevation_gain),
    steps: wholeOf('steps', details.steps_count),
    manual: details.entry_source == null ? null : /manual/i.test(details.entry_source),
  };
  return movedItem({
    ...bareItem,
    ...name,
    supersede: 'moved',
    duration_seconds,
    workout,
    extras: extrasOf(details, workout, changed),
    record_id: recordIdOf(row),
  });
}

// `trail_running` is shown as "Trail running".
function plainName(type: string): string {
  const words = type
    .toLowerCase()
    .replace(/[_\s-]+/g, ' ')
    .trim();
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}` || 'Workout';
}

function extrasOf(row: WorkoutDetailsRow, workout: WorkoutRecord, changed: Counter): StoreItem['extras'] {
  const isRide = workout.type === 'cycling';
  const cadence = columnOf('avg_cadence_rpm', row.average_cadence);
  const details = sentDetails({
    min_heart_rate_bpm: wholeOf('min_heart_rate_bpm', row.heart_rate_min),
    avg_speed_meters_per_second: columnOf('avg_speed_meters_per_second', row.average_speed),
    max_speed_meters_per_second: columnOf('max_speed_meters_per_second', row.max_speed),
    avg_power_watts: columnOf('avg_power_watts', row.average_watts),
    max_power_watts: columnOf('max_power_watts', row.max_watts),
    avg_cadence_rpm: isRide ? cadence : null,
    elevation_high_meters: columnOf('elevation_high_meters', row.elev_high),
    elevation_low_meters: columnOf('elevation_low_meters', row.elev_low),
  });
  const segments = Segments.safeParse(row.segments).data ?? [];
  const { laps, splits, rest } = partsOf(segments, workout);
  // Whether a cadence on foot counts one foot or both is not known.
  const kept = {
    ...(isRide || cadence === null ? {} : { average_cadence: cadence }),
    ...given('hr_zones', row.hr_zones),
    ...given('power_zones', row.power_zones),
    ...given('segments', rest.length === 0 ? null : rest),
  };
  const extra = bounded(kept, changed);
  const extras = { details, laps, splits, extra };
  return hasExtras(extras) ? extras : null;
}

const given = (name: string, value: unknown) => (value == null ? {} : { [name]: value });

/** Extra fields in the order of their names, as many as are stored. */
function bounded(
  fields: Readonly<Record<string, unknown>>,
  changed: Counter,
): Record<string, unknown> | null {
  const kept: Record<string, unknown> = {};
  let bytes = 0;
  for (const [name, value] of Object.entries(fields).toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    const json = jsonOf(value, mostExtraBytes - bytes - name.length - 4);
    if (json === undefined) changed.add(name, 'it is too large for the extra fields of a workout');
    else {
      bytes += Buffer.byteLength(JSON.stringify([name, json]));
      kept[name] = json;
    }
  }
  return Object.keys(kept).length === 0 ? null : kept;
}

/** No figure of a part of a workout is larger. */
const mostOfPart = 10_000_000;
const Figure = z.number().nonnegative().max(mostOfPart).nullish().catch(null);
const Segment = z.looseObject({
  kind: z.string(),
  index: z.int().catch(0),
  distance_meters: Figure,
  duration_seconds: Figure,
  moving_time_seconds: Figure,
  average_speed: Figure,
  average_heartrate: Figure,
  max_heartrate: Figure,
  average_cadence: Figure,
  average_watts: Figure,
  total_elevation_gain: Figure,
});
const Segments = z.array(Segment).max(mostLaps);
type Segment = z.infer<typeof Segment>;

/**
 * Laps, and splits of a kilometer, a mile or a length of a pool. They follow each other from the start of the workout; without the
 * durations of all the starts are unknown, and they stay as they are.
 */
function partsOf(segments: readonly Segment[], workout: WorkoutRecord) {
  const ordered = segments.toSorted((a, b) => a.index - b.index);
  const [laps, rows] = [ordered.filter(isLap), ordered.filter((one) => !isLap(one))];
  const splits = rows.flatMap((one): WorkoutSplit[] => splitOf(one));
  const isTimed = laps.every(({ duration_seconds }) => duration_seconds != null);
  return {
    laps: laps.length > 0 && isTimed ? lapsOf(laps, workout.start_ms) : null,
    splits: splits.length > 0 ? splits : null,
    rest: [...(isTimed ? [] : laps), ...rows.filter((one) => splitOf(one).length === 0)],
  };
}

const isLap = ({ kind }: Segment): boolean => /^laps?$/i.test(kind);

function lapsOf(laps: readonly Segment[], startMs: number): LapRecord[] {
  let start_ms = startMs;
  return laps.map((lap) => {
    const end_ms = start_ms + Math.round((lap.duration_seconds ?? 0) * 1000);
    const record: LapRecord = {
      ...noFigures,
      start_ms,
      end_ms,
      duration_seconds: lap.duration_seconds ?? null,
      moving_seconds: lap.moving_time_seconds ?? null,
      distance_meters: lap.distance_meters ?? null,
      avg_speed_meters_per_second: lap.average_speed ?? null,
      avg_heart_rate_bpm: lap.average_heartrate ?? null,
      max_heart_rate_bpm: lap.max_heartrate ?? null,
      avg_power_watts: lap.average_watts ?? null,
      elevation_gain_meters: lap.total_elevation_gain ?? null,
    };
    start_ms = end_ms;
    return record;
  });
}

const kilometer = 1000;
const mile = 1609.344;

function unitOf({ kind, distance_meters }: Segment): WorkoutSplit['unit'] | null {
  if (/pool|length/i.test(kind)) return 'pool_length';
  if (/mile/i.test(kind)) return 'mile';
  if (/kilomet/i.test(kind)) return 'kilometer';
  if (!/split/i.test(kind) || distance_meters == null) return null;
  // The last split of a workout is shorter.
  return distance_meters <= kilometer * 1.1 ? 'kilometer' : distance_meters <= mile * 1.1 ? 'mile' : null;
}

function splitOf(segment: Segment): WorkoutSplit[] {
  const unit = unitOf(segment);
  if (unit === null) return [];
  return [
    {
      unit,
      split: segment.index,
      distance_meters: segment.distance_meters ?? null,
      duration_seconds: segment.duration_seconds ?? null,
      moving_seconds: segment.moving_time_seconds ?? null,
      avg_speed_meters_per_second: segment.average_speed ?? null,
      grade_adjusted_speed_meters_per_second: null,
      avg_heart_rate_bpm: segment.average_heartrate ?? null,
      elevation_difference_meters: null,
      pace_zone: null,
    },
  ];
}
