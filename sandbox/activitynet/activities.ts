import { formatInstant } from '../../domain/time/time.ts';
import { hundredths } from '../day-simulation/counts.ts';
import type { SimulatedDay, Workout } from '../day-simulation/day.ts';
import { type PlannedWorkout, planOf, type Span } from '../day-simulation/plan.ts';
import type { Position } from '../day-simulation/route.ts';
import { type SportName, sportOf } from '../day-simulation/sports.ts';
import { totalsOf, type WorkoutSample, workoutSamples } from '../day-simulation/workout.ts';
import { datesIn, simulatedDay } from '../simulation/days.ts';
import { hashOf } from '../simulation/random.ts';
import type { SimulatedUser } from '../simulation/simulated-users.ts';
import { dateAt, offsetMinutesAt } from '../simulation/zone.ts';

/** An activity before its day is made: enough to list, page and choose. */
export interface Uploaded {
  readonly id: number;
  readonly startMs: number;
  /** When the platform has it: some minutes after its end. */
  readonly uploadedMs: number;
  readonly plan: PlannedWorkout;
}

const sportTypes: Record<SportName, string> = {
  run: 'Run',
  intervals: 'Run',
  ride: 'Ride',
  indoor_ride: 'VirtualRide',
  swim: 'Swim',
  hike: 'Hike',
  walk: 'Walk',
  strength: 'WeightTraining',
  yoga: 'Yoga',
  row: 'Rowing',
};

/** Activities that began in a span, oldest first; made from plans alone, which are cheap. */
export function uploadsIn(user: SimulatedUser, span: Span): Uploaded[] {
  return datesIn(user, span)
    .flatMap((date) => planOf(user, date).workouts)
    .map((plan) => uploadOf(user, plan))
    .filter(({ startMs }) => startMs >= span.startMs && startMs < span.endMs)
    .toSorted((a, b) => a.startMs - b.startMs);
}

// The start differs by some seconds from what another provider reports of the same workout, as it does in reality.
function uploadOf({ seed }: SimulatedUser, plan: PlannedWorkout): Uploaded {
  const chance = hashOf(`${seed}/${plan.startMs}/upload`);
  return {
    id: 2 ** 34 + chance,
    startMs: Math.floor(plan.startMs / 1000) * 1000 + (chance % 70) * 1000,
    uploadedMs: plan.endMs + 120_000 + (chance % 180) * 1000,
    plan,
  };
}

/** An activity with its day. */
export interface Activity {
  readonly upload: Uploaded;
  readonly day: SimulatedDay;
  readonly workout: Workout;
}

/** The day and workout behind an upload. */
export function activityOf(user: SimulatedUser, upload: Uploaded): Activity | null {
  const day = simulatedDay(user, dateAt(user.traits.zone, upload.plan.startMs));
  const workout = day.workouts.find(({ startMs }) => startMs === upload.plan.startMs);
  return workout === undefined ? null : { upload, day, workout };
}

/** The API's answer for one activity. */
export function detailedOf({ upload, day, workout }: Activity, title: string | undefined) {
  const { traits } = day.user;
  const { duration_seconds: elapsed, ...totals } = totalsOf(day, workout);
  const moving = elapsed - (upload.id % 45);
  const distance = hundredths(totals.meters ?? 0);
  return {
    id: upload.id,
    name: title ?? totals.title,
    ...timesOf(traits.zone, upload.startMs),
    sport_type: sportTypes[workout.plan.sport],
    type: sportTypes[workout.plan.sport],
    elapsed_time: elapsed,
    moving_time: moving,
    distance,
    total_elevation_gain: totals.climb_meters ?? 0,
    average_speed: Math.round((distance / moving) * 1000) / 1000,
    has_heartrate: workout.avg_heart_rate_bpm !== null,
    ...(workout.avg_heart_rate_bpm === null
      ? {}
      : { average_heartrate: workout.avg_heart_rate_bpm + 0.4, max_heartrate: workout.max_heart_rate_bpm }),
    ...(traits.ride_watts !== null && /Ride/.test(sportTypes[workout.plan.sport])
      ? { average_watts: traits.ride_watts, kilojoules: Math.round((traits.ride_watts * moving) / 100) / 10 }
      : {}),
    calories: totals.active_kilocalories,
    device_name: traits.device,
    manual: false,
    private: false,
    visibility: 'everyone',
  };
}

/** The API's answer for one activity. */
export type Detailed = ReturnType<typeof detailedOf>;

/** The shorter form of the list: what costs an answer of its own is left out. */
export function summaryOf({ calories, device_name, ...rest }: Detailed) {
  return rest;
}

function timesOf(zone: string, startMs: number) {
  const offset = offsetMinutesAt(zone, startMs);
  const sign = offset < 0 ? '-' : '+';
  const clock = [Math.floor(Math.abs(offset) / 60), Math.abs(offset) % 60];
  return {
    start_date: formatInstant(startMs),
    start_date_local: formatInstant(startMs + offset * 60_000),
    timezone: `(GMT${sign}${clock.map((part) => String(part).padStart(2, '0')).join(':')}) ${zone}`,
    utc_offset: offset * 60,
  };
}

/** Parallel lists by second: what was measured, and the way if the workout was outdoors. */
export function streamsOf(activity: Activity): Record<string, (number | Position | null)[]> {
  const samples = workoutSamples(activity.day, activity.workout);
  const latlng = samples.map(({ position }) => position);
  const values = measuredStreams(activity, samples);
  return latlng.some((one) => one !== null) ? { ...values, latlng } : values;
}

/** The lists of measured values. Where nothing was measured there is null, and a list may end early. */
export function measuredStreams(
  { upload, day, workout }: Activity,
  samples = workoutSamples(day, workout),
): Record<string, (number | null)[]> {
  const first = samples[0]?.second ?? 0;
  const streams = {
    time: samples.map(({ second }) => second - first),
    heartrate: samples.map(({ heart_rate_bpm }) => heart_rate_bpm),
    cadence: samples.map((one) => cadenceOf(one, workout)),
    watts: samples.map(({ power_watts }) => power_watts),
    velocity_smooth: samples.map(({ speed_m_per_s }) => speed_m_per_s),
    temp: samples
      .map(({ temperature_celsius }) => temperature_celsius)
      .slice(0, upload.id % 3 === 0 ? -5 : undefined),
  };
  return Object.fromEntries(
    Object.entries(streams).filter(([, values]) => values.some((value) => value !== null)),
  );
}

// Turns of the crank, or steps of one foot; swimming has no cadence here.
function cadenceOf({ cadence_rpm, steps_per_minute }: WorkoutSample, { plan }: Workout): number | null {
  if (sportOf(plan.sport).cadence?.of === 'crank') return cadence_rpm;
  return steps_per_minute === null ? null : steps_per_minute / 2;
}
