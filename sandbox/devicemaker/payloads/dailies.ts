import { activeKilocalories, countedMinutes, footMeters, hundredths, stepsIn } from '../../life/counts.ts';
import type { DayLife } from '../../life/day.ts';
import { heartRateEveryMs } from '../../life/heart-rate.ts';
import type { Minute } from '../../life/minutes.ts';
import type { Span } from '../../life/plan.ts';
import { strainEveryMs, stressAt } from '../../life/strain.ts';
import { headOf, mapOf } from './head.ts';

/** The record of a day as it stands at an instant: sent again and again, each longer than the one before. */
export function dailyOf(day: DayLife, untilMs: number) {
  const endMs = Math.min(untilMs, day.endMs);
  const counted = countedMinutes(day, endMs);
  return {
    ...headOf(day.person, { startMs: day.startMs, endMs }),
    calendarDate: day.date,
    activityType: 'WALKING',
    steps: stepsIn(counted),
    distanceInMeters: hundredths(footMeters(counted)),
    activeTimeInSeconds: 60 * counted.filter(({ state }) => state === 'walk' || state === 'workout').length,
    activeKilocalories: activeKilocalories(day.person, counted),
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

/** The daily record of a time of synchronising; none in the first quarter of an hour. */
export function dailies(day: DayLife, sync: Span): Daily[] {
  return sync.endMs - day.startMs < 900_000 ? [] : [dailyOf(day, sync.endMs)];
}

// Mifflin and St Jeor, halfway between their two constants.
function basalPerDay({ person: { traits } }: DayLife): number {
  return 10 * traits.weight_kg + 6.25 * traits.height_cm - 5 * traits.age_years - 78;
}

function isHard({ state, met }: Minute, from: number, below: number): boolean {
  return (state === 'walk' || state === 'workout') && met >= from && met < below;
}

function floorsIn(minutes: readonly Minute[]): number {
  return Math.floor(minutes.reduce((sum, one) => sum + (one.on_foot ? one.climb_meters : 0), 0) / 3);
}

// A device that was off all day has no heart rate, and so no field of it.
function heartOf(day: DayLife, endMs: number) {
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

/** Stress comes every three minutes; -1 as its mean says that there is none. */
function stressOf(day: DayLife, endMs: number) {
  const levels = day.minutes
    .filter(({ startMs }) => startMs < endMs && (startMs - day.startMs) % strainEveryMs === 0)
    .map((one) => stressAt(day.person, one));
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
