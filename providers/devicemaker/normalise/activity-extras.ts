import { z } from 'zod';
import { extraOf } from '../../../domain/provider/extra-fields.ts';
import { sentDetails, type WorkoutExtras } from '../../../domain/workouts/details.ts';
import { activities } from '../fields/activities.ts';
import { cleanText } from './item.ts';

/** An invalid field counts as absent: what is shown of it does not decide whether the activity is stored. */
const measure = (least: number, most: number) =>
  z.number().min(least).max(most).nullable().default(null).catch(null);
const count = (least: number, most: number) =>
  z.number().transform(Math.round).pipe(z.int().min(least).max(most)).nullable().default(null).catch(null);
const text = (most: number) =>
  z
    .string()
    .transform((value) => cleanText(value, most) || null)
    .nullable()
    .default(null)
    .catch(null);
const cadence = measure(0, 300);
const steps = measure(0, 600);
const speed = measure(0, 150);
const watts = measure(0, 5000);
const altitude = measure(-1000, 50_000);

const Extras = z.object({
  averageBikeCadenceInRoundsPerMinute: cadence,
  maxBikeCadenceInRoundsPerMinute: cadence,
  averageRunCadenceInStepsPerMinute: steps,
  maxRunCadenceInStepsPerMinute: steps,
  averageSwimCadenceInStrokesPerMinute: cadence,
  maxSwimCadenceInStrokesPerMinute: cadence,
  averagePushCadenceInPushesPerMinute: cadence,
  maxPushCadenceInPushesPerMinute: cadence,
  averageSpeedInMetersPerSecond: speed,
  maxSpeedInMetersPerSecond: speed,
  maxPaceInMinutesPerKilometer: measure(0, 1000),
  averagePowerInWatts: watts,
  maxPowerInWatts: watts,
  normalizedPowerInWatts: watts,
  totalElevationLossInMeters: measure(0, 100_000),
  maxElevationInMeters: altitude,
  minElevationInMeters: altitude,
  numberOfActiveLengths: count(0, 100_000),
  totalNumberOfStrokes: count(0, 1_000_000),
  poolLengthInMeters: measure(0, 1000),
  pushes: count(0, 1_000_000),
  activityDescription: text(5000),
  description: text(5000),
  activityType: text(100),
});

type Extras = z.output<typeof Extras>;

/** The details and extra fields of an activity. The positions of its start and end are not read. */
export function extrasOf(fields: Readonly<Record<string, unknown>>): WorkoutExtras {
  return {
    details: detailsOf(Extras.parse(fields)),
    laps: null,
    splits: null,
    extra: extraOf(fields, activities),
  };
}

function detailsOf(read: Extras): WorkoutExtras['details'] {
  const pace = read.maxPaceInMinutesPerKilometer;
  return sentDetails({
    avg_cadence_rpm: read.averageBikeCadenceInRoundsPerMinute ?? half(read.averageRunCadenceInStepsPerMinute),
    max_cadence_rpm: read.maxBikeCadenceInRoundsPerMinute ?? half(read.maxRunCadenceInStepsPerMinute),
    avg_speed_meters_per_second: read.averageSpeedInMetersPerSecond,
    max_speed_meters_per_second: read.maxSpeedInMetersPerSecond,
    max_pace_sec_per_km: pace === null || pace === 0 ? null : pace * 60,
    avg_power_watts: read.averagePowerInWatts,
    max_power_watts: read.maxPowerInWatts,
    weighted_power_watts: read.normalizedPowerInWatts,
    elevation_loss_meters: read.totalElevationLossInMeters,
    elevation_high_meters: read.maxElevationInMeters,
    elevation_low_meters: read.minElevationInMeters,
    swim_lengths: read.numberOfActiveLengths,
    swim_strokes: read.totalNumberOfStrokes,
    pool_length_meters: read.poolLengthInMeters,
    avg_swim_cadence_strokes_per_minute: read.averageSwimCadenceInStrokesPerMinute,
    max_swim_cadence_strokes_per_minute: read.maxSwimCadenceInStrokesPerMinute,
    pushes: read.pushes,
    avg_push_cadence_per_minute: read.averagePushCadenceInPushesPerMinute,
    max_push_cadence_per_minute: read.maxPushCadenceInPushesPerMinute,
    description: read.activityDescription ?? read.description,
    indoor: isIndoor(read.activityType),
  });
}

// A step is half a revolution of one foot.
function half(stepsPerMinute: number | null): number | null {
  return stepsPerMinute === null ? null : stepsPerMinute / 2;
}

const indoorType = /^(INDOOR|TREADMILL|VIRTUAL|LAP_SWIMMING|STAIR_CLIMBING|ELLIPTICAL)/;

// Only the types that name it: others may be done anywhere.
function isIndoor(type: string | null): boolean | null {
  const name = type?.toUpperCase().replaceAll(/[ -]/g, '_') ?? '';
  return indoorType.test(name) ? true : null;
}
