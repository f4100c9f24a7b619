import { noiseOf } from '../simulation/random.ts';
import { offsetMinutesAt } from '../simulation/zone.ts';
import { activeKilocalories, hundredths, seconds } from './counts.ts';
import type { SimulatedDay, Workout } from './day.ts';
import { heartRateEveryMs } from './heart-rate.ts';
import { type Position, routeFrom } from './route.ts';
import { sportOf } from './sports.ts';

/** The totals of a workout. Distance and climb are null if the sport has none. */
export interface WorkoutTotals {
  readonly title: string;
  readonly duration_seconds: number;
  readonly active_kilocalories: number;
  readonly meters: number | null;
  readonly climb_meters: number | null;
}

/** Computes the totals of a workout. */
export function totalsOf({ user }: SimulatedDay, workout: Workout): WorkoutTotals {
  const sport = sportOf(workout.plan.sport);
  const meters = workout.minutes.reduce((sum, one) => sum + one.meters, 0);
  const climbed = Math.round(workout.minutes.reduce((sum, one) => sum + one.climb_meters, 0));
  return {
    title: titleOf(user.traits.zone, workout, sport.noun),
    duration_seconds: seconds(workout.endMs - workout.startMs),
    active_kilocalories: activeKilocalories(user, workout.minutes),
    meters: meters === 0 ? null : meters,
    climb_meters: meters > 0 && sport.climb_m_per_km > 0 ? climbed : null,
  };
}

function titleOf(zone: string, { startMs }: Workout, noun: string): string {
  const hour = new Date(startMs + offsetMinutesAt(zone, startMs) * 60_000).getUTCHours();
  return `${hour < 11 ? 'Morning' : hour < 14 ? 'Midday' : hour < 17 ? 'Afternoon' : 'Evening'} ${noun}`;
}

/** One second of a workout. A value that the device does not measure is null. */
export interface WorkoutSample {
  readonly second: number;
  readonly heart_rate_bpm: number | null;
  readonly speed_m_per_s: number | null;
  readonly steps_per_minute: number | null;
  readonly cadence_rpm: number | null;
  readonly power_watts: number | null;
  readonly temperature_celsius: number;
  /** Where the person is; null indoors. */
  readonly position: Position | null;
}

/** The samples of a workout, one per second. The heart rates are those of the day. */
export function workoutSamples(day: SimulatedDay, workout: Workout): WorkoutSample[] {
  const { user, startMs, heart_rates: rates } = day;
  const { ride_watts } = user.traits;
  const sport = sportOf(workout.plan.sport);
  const noise = noiseOf(`${user.seed}/seconds`);
  const samples: WorkoutSample[] = [];
  const route = routeFrom(user, workout);
  for (let ms = Math.ceil(workout.startMs / 1000) * 1000; ms < workout.endMs; ms += 1000) {
    const minute = workout.minutes.find((one) => ms < one.startMs + 60_000) ?? workout.minutes.at(-1);
    const heart = rates[Math.floor((ms - startMs) / heartRateEveryMs)] ?? 0;
    if (minute === undefined) break;
    const quick = 1 + 0.06 * noise(ms, 7000);
    const speed = minute.meters > 0 ? Math.round((minute.meters / 60) * quick * 1000) / 1000 : null;
    samples.push({
      second: seconds(ms),
      heart_rate_bpm: heart > 0 ? heart : null,
      speed_m_per_s: speed,
      position: route?.(ms, speed ?? 0) ?? null,
      steps_per_minute: sport.on_foot ? Math.round(minute.steps * quick) : null,
      cadence_rpm: sport.cadence === undefined ? null : Math.round(sport.cadence.rpm * quick),
      power_watts:
        ride_watts !== null && sport.cadence?.of === 'crank'
          ? Math.round((ride_watts * quick * minute.met) / sport.met)
          : null,
      temperature_celsius: hundredths(17 + 6 * noise(ms, 7 * 86_400_000) + noise(ms, 1_800_000)),
    });
  }
  return samples;
}
