import { z } from 'zod';
import { Extra } from '../provider/extra.ts';

const Measure = z.number().nullable();
const Count = z.int().nullable();
const Flag = z.boolean().nullable();
const Name = (most: number) => z.string().max(most).nullable();
const Milliseconds = z.int();

/** The fields of a workout beside those of its list. Cadence counts one foot, as the series `cadence` does. */
const figures = {
  moving_seconds: Count,
  steps: Count,
  avg_cadence_rpm: Measure,
  max_cadence_rpm: Measure,
  avg_speed_meters_per_second: Measure,
  max_speed_meters_per_second: Measure,
  max_pace_sec_per_km: Measure,
  avg_power_watts: Measure,
  max_power_watts: Measure,
  weighted_power_watts: Measure,
  work_kilojoules: Measure,
  elevation_loss_meters: Measure,
  elevation_high_meters: Measure,
  elevation_low_meters: Measure,
  avg_temperature_celsius: Measure,
  min_heart_rate_bpm: Count,
  swim_lengths: Count,
  swim_strokes: Count,
  pool_length_meters: Measure,
  avg_swim_cadence_strokes_per_minute: Measure,
  max_swim_cadence_strokes_per_minute: Measure,
  pushes: Count,
  avg_push_cadence_per_minute: Measure,
  max_push_cadence_per_minute: Measure,
  gear_id: Name(100),
  gear_name: Name(300),
  description: Name(5000),
  perceived_exertion: Measure,
  manual: Flag,
  commute: Flag,
  indoor: Flag,
  web_upload: Flag,
  /** Ids at the provider and of the file that the device uploaded. */
  activity_id: Name(200),
  external_id: Name(300),
  upload_id: Name(100),
};

/** All details of a workout. A field is null if no provider sent a value. */
export const WorkoutDetails = z.object(figures).meta({
  id: 'WorkoutDetails',
  description:
    'What a provider sent of a workout beside the fields of the list. A field is null if no provider sent a value. Cadence counts one foot.',
});
export type WorkoutDetails = z.infer<typeof WorkoutDetails>;

/** The details that a data type contains: fields without a value are left out. */
export const GivenDetails = WorkoutDetails.partial();
export type GivenDetails = z.infer<typeof GivenDetails>;

/** The figures of a part of a workout. */
const partFigures = {
  duration_seconds: Measure,
  moving_seconds: Measure,
  distance_meters: Measure,
  avg_speed_meters_per_second: Measure,
  max_speed_meters_per_second: Measure,
  avg_heart_rate_bpm: Measure,
  max_heart_rate_bpm: Measure,
  avg_cadence_rpm: Measure,
  max_cadence_rpm: Measure,
  avg_power_watts: Measure,
  elevation_gain_meters: Measure,
};

/** A lap: from one press of the lap button, or of the device itself, to the next. */
export const LapRecord = z.object({
  start_ms: Milliseconds,
  end_ms: Milliseconds.nullable(),
  ...partFigures,
});
export type LapRecord = z.infer<typeof LapRecord>;

/** A part of a fixed length. `unit` tells kilometers from miles. */
export const WorkoutSplit = z
  .object({
    unit: z.enum(['kilometer', 'mile', 'pool_length']),
    split: z.int(),
    distance_meters: Measure,
    duration_seconds: Measure,
    moving_seconds: Measure,
    avg_speed_meters_per_second: Measure,
    grade_adjusted_speed_meters_per_second: Measure,
    avg_heart_rate_bpm: Measure,
    elevation_difference_meters: Measure,
    pace_zone: Count,
  })
  .meta({ id: 'WorkoutSplit', description: 'A part of a workout of a fixed length, a kilometer or a mile.' });
export type WorkoutSplit = z.infer<typeof WorkoutSplit>;

/** The most laps, and the most splits, of a workout. */
export const mostLaps = 500;

/** What one data type contains of a workout beside its fields. */
export const WorkoutExtras = z.object({
  details: GivenDetails,
  laps: z.array(LapRecord).max(mostLaps).nullable(),
  splits: z.array(WorkoutSplit).max(mostLaps).nullable(),
  /** Processes and rows of the previous version do not have it. */
  extra: Extra.default(null),
});
export type WorkoutExtras = z.infer<typeof WorkoutExtras>;

/** Values for all figures of a lap that its provider does not send. */
export const noFigures = {
  duration_seconds: null,
  moving_seconds: null,
  distance_meters: null,
  avg_speed_meters_per_second: null,
  max_speed_meters_per_second: null,
  avg_heart_rate_bpm: null,
  max_heart_rate_bpm: null,
  avg_cadence_rpm: null,
  max_cadence_rpm: null,
  avg_power_watts: null,
  elevation_gain_meters: null,
};

/** The given details without those that are null. */
export function sentDetails(details: GivenDetails): GivenDetails {
  return GivenDetails.parse(
    Object.fromEntries(Object.entries(details).filter(([, value]) => value !== null)),
  );
}

/** Whether there is anything to store. */
export function hasExtras({ details, laps, splits, extra }: WorkoutExtras): boolean {
  return Object.keys(details).length > 0 || laps !== null || splits !== null || extra !== null;
}

const noDetails: WorkoutDetails = WorkoutDetails.parse(
  Object.fromEntries(Object.keys(figures).map((name) => [name, null])),
);

/** The details and extra fields of several data types. Of two that contain a field, the first one counts. */
export function mergeExtras(parts: readonly (Omit<WorkoutExtras, 'extra'> & { extra?: Extra })[]): Omit<
  WorkoutExtras,
  'details'
> & {
  details: WorkoutDetails;
} {
  const merged = parts.toReversed();
  const extra: Record<string, unknown> = Object.assign({}, ...merged.map((part) => part.extra));
  return {
    details: Object.assign({}, noDetails, ...merged.map(({ details }) => details)),
    laps: parts.find(({ laps }) => laps !== null)?.laps ?? null,
    splits: parts.find(({ splits }) => splits !== null)?.splits ?? null,
    extra: Object.keys(extra).length === 0 ? null : extra,
  };
}
