import { hundredths, stepsIn } from '../../day-simulation/counts.ts';
import type { SimulatedDay, Workout } from '../../day-simulation/day.ts';
import type { Span } from '../../day-simulation/plan.ts';
import { type Sport, type SportName, sportOf } from '../../day-simulation/sports.ts';
import {
  totalsOf,
  type WorkoutSample,
  type WorkoutTotals,
  workoutSamples,
} from '../../day-simulation/workout.ts';
import { hashOf } from '../../simulation/random.ts';
import { headOf } from './head.ts';

/** The workouts that ended since the last synchronisation. */
export function activities(day: SimulatedDay, sync: Span): Activity[] {
  return finished(day, sync).map((workout) => activityOf(day, workout));
}

/** The same workouts with one sample per second. */
export function activityDetails(day: SimulatedDay, sync: Span) {
  return finished(day, sync).map((workout) => {
    const { cadence } = sportOf(workout.plan.sport);
    const { userId, summaryId, activityId, ...summary } = activityOf(day, workout);
    return {
      userId,
      summaryId: `${summaryId}-detail`,
      activityId,
      summary: { activityId, ...summary },
      samples: workoutSamples(day, workout).map((one) => itemOf(one, cadence)),
      laps: [{ startTimeInSeconds: summary.startTimeInSeconds }],
    };
  });
}

function finished(day: SimulatedDay, sync: Span): readonly Workout[] {
  return day.workouts.filter(({ endMs }) => endMs > sync.startMs && endMs <= sync.endMs);
}

/** An activity item of a workout. */
function activityOf(day: SimulatedDay, workout: Workout) {
  const { user } = day;
  const totals = totalsOf(day, workout);
  const activityId = 2 ** 33 + hashOf(`${user.seed}/${workout.startMs}`);
  return {
    ...headOf(user, workout),
    summaryId: String(activityId),
    activityId,
    activityName: totals.title,
    activityType: activityTypes[workout.plan.sport],
    deviceName: user.traits.device,
    manual: false,
    isWebUpload: false,
    activeKilocalories: totals.active_kilocalories,
    ...(sportOf(workout.plan.sport).steps_per_minute > 0 ? { steps: stepsIn(workout.minutes) } : {}),
    ...heartOf(workout),
    ...distanceOf(workout, totals),
  };
}

/** An activity item. */
export type Activity = ReturnType<typeof activityOf>;

/** The provider's names of the sports. */
export const activityTypes: Readonly<Record<SportName, string>> = {
  run: 'RUNNING',
  intervals: 'TRACK_RUNNING',
  ride: 'ROAD_BIKING',
  indoor_ride: 'INDOOR_CYCLING',
  swim: 'LAP_SWIMMING',
  hike: 'HIKING',
  walk: 'WALKING',
  strength: 'STRENGTH_TRAINING',
  yoga: 'YOGA',
  row: 'INDOOR_ROWING',
};

interface Heart {
  readonly averageHeartRateInBeatsPerMinute?: number;
  readonly maxHeartRateInBeatsPerMinute?: number;
}

function heartOf({ avg_heart_rate_bpm: mean, max_heart_rate_bpm: most }: Workout): Heart {
  if (mean === null || most === null) return {};
  return { averageHeartRateInBeatsPerMinute: mean, maxHeartRateInBeatsPerMinute: most };
}

interface Distance {
  readonly distanceInMeters?: number;
  readonly averageSpeedInMetersPerSecond?: number;
  readonly averagePaceInMinutesPerKilometer?: number;
  readonly totalElevationGainInMeters?: number;
  readonly totalElevationLossInMeters?: number;
}

function distanceOf({ plan }: Workout, { meters, climb_meters, duration_seconds }: WorkoutTotals): Distance {
  if (meters === null) return {};
  return {
    distanceInMeters: hundredths(meters),
    averageSpeedInMetersPerSecond: Math.round((meters / duration_seconds) * 1000) / 1000,
    ...(sportOf(plan.sport).on_foot
      ? { averagePaceInMinutesPerKilometer: hundredths(duration_seconds / 60 / (meters / 1000)) }
      : {}),
    ...(climb_meters === null
      ? {}
      : { totalElevationGainInMeters: climb_meters, totalElevationLossInMeters: climb_meters }),
  };
}

/** An item omits values that were not measured. A ride contains 0 steps. */
function itemOf(sample: WorkoutSample, cadence: Sport['cadence']): Record<string, number> {
  const isRide = cadence?.of === 'crank';
  const fields = {
    startTimeInSeconds: sample.second,
    heartRate: sample.heart_rate_bpm,
    speedMetersPerSecond: sample.speed_m_per_s,
    latitudeInDegree: sample.position?.[0] ?? null,
    longitudeInDegree: sample.position?.[1] ?? null,
    stepsPerMinute: isRide ? 0 : sample.steps_per_minute,
    bikeCadenceInRPM: isRide ? sample.cadence_rpm : null,
    swimCadenceInStrokesPerMinute: cadence?.of === 'arm' ? sample.cadence_rpm : null,
    powerInWatts: sample.power_watts,
    airTemperatureCelcius: sample.temperature_celsius,
  };
  const measured = Object.entries(fields).filter((one): one is [string, number] => one[1] !== null);
  return Object.fromEntries(measured);
}
