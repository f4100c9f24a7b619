import {
  activeKilocalories,
  countedMinutes,
  footMeters,
  hundredths,
  stepsIn,
} from '../../day-simulation/counts.ts';
import type { SimulatedDay } from '../../day-simulation/day.ts';
import { heartRateEveryMs } from '../../day-simulation/heart-rate.ts';
import type { Minute } from '../../day-simulation/minutes.ts';
import type { Span } from '../../day-simulation/plan.ts';
import { strainEveryMs, stressAt } from '../../day-simulation/strain.ts';
import { headOf, mapOf } from './head.ts';

/** The record of a day until an instant. It is sent several times, each time longer. */
export function dailyOf(day: SimulatedDay, untilMs: number) {
  const endMs = Math.min(untilMs, day.endMs);
  const counted = countedMinutes(day, endMs);
  return {
    ...headOf(day.user, { startMs: day.startMs, endMs }),
    calendarDate: day.date,
    activityType: 'WALKING',
    steps: stepsIn(counted),
    distanceInMeters: hundredths(footMeters(counted)),
    activeTimeInSeconds: 60 * counted.filter(({ state }) => state === 'walk' || state === 'workout').length,
    activeKilocalories: activeKilocalories(day.user, counted),
    bmrKilocalories: Math.floor((basalPerDay(day) * (endMs - day.startMs)) / 86_400_000),
    moderateIntensityDurationInSeconds: 60 * counted.filter((one) => isHard(one, 3.2, 6)).length,
    vigorousIntensityDurationInSeconds: 60 * counted.filter((one) => isHard(one, 6, 30)).length,
    floorsClimbed: floorsIn(counted),
    stepsGoal: 8000,
    floorsClimbedGoal: 10,
    intensityDurationGoalInSeconds: 9000,
    ...heartOf(day, endMs),
    ...stressOf(day, endMs),
  };
}

/** A daily record, as the device maker sends it. */
export type Daily = ReturnType<typeof dailyOf>;

/** The daily record of a synchronisation; none in the first quarter of an hour. */
export function dailies(day: SimulatedDay, sync: Span): Daily[] {
  return sync.endMs - day.startMs < 900_000 ? [] : [dailyOf(day, sync.endMs)];
}

// The formula of Mifflin and St Jeor, with the mean of its two constants.
function basalPerDay({ user: { traits } }: SimulatedDay): number {
  return 10 * traits.weight_kg + 6.25 * traits.height_cm - 5 * traits.age_years - 78;
}

function isHard({ state, met }: Minute, from: number, below: number): boolean {
  return (state === 'walk' || state === 'workout') && met >= from && met < below;
}

function floorsIn(minutes: readonly Minute[]): number {
  return Math.floor(minutes.reduce((sum, one) => sum + (one.on_foot ? one.climb_meters : 0), 0) / 3);
}

// The heart rate fields are omitted if the device was not worn all day.
function heartOf(day: SimulatedDay, endMs: number) {
  const rates = day.heart_rates
    .slice(0, Math.floor((endMs - day.startMs) / heartRateEveryMs))
    .map((rate, tick) => [day.startMs + tick * heartRateEveryMs, rate] as const)
    .filter(([, rate]) => rate > 0);
  if (rates.length === 0) return {};
  const values = rates.map(([, rate]) => rate);
  return {
    minHeartRateInBeatsPerMinute: Math.min(...values),
    averageHeartRateInBeatsPerMinute: Math.round(values.reduce((sum, rate) => sum + rate, 0) / values.length),
    maxHeartRateInBeatsPerMinute: Math.max(...values),
    restingHeartRateInBeatsPerMinute: day.resting_heart_rate_bpm,
    timeOffsetHeartRateSamples: mapOf(day.startMs, rates),
  };
}

/** Stress is sampled every three minutes. A mean of -1 means that there is none. */
function stressOf(day: SimulatedDay, endMs: number) {
  const levels = day.minutes
    .filter(({ startMs }) => startMs < endMs && (startMs - day.startMs) % strainEveryMs === 0)
    .map((one) => stressAt(day.user, one));
  const between = (from: number, to: number) =>
    (strainEveryMs / 1000) * levels.filter((level) => level >= from && level <= to).length;
  const real = levels.filter((level) => level > 0);
  return {
    averageStressLevel:
      real.length === 0 ? -1 : Math.round(real.reduce((sum, one) => sum + one, 0) / real.length),
    maxStressLevel: Math.max(-1, ...real),
    stressDurationInSeconds: between(26, 100),
    restStressDurationInSeconds: between(1, 25),
    activityStressDurationInSeconds: between(-2, -2),
    lowStressDurationInSeconds: between(26, 50),
    mediumStressDurationInSeconds: between(51, 75),
    highStressDurationInSeconds: between(76, 100),
  };
}
