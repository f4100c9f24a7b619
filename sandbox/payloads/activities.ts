import type { DayLife, Workout } from '../life/day.ts';
import { heartRateEveryMs } from '../life/heart-rate.ts';
import type { Span } from '../life/plan.ts';
import { sportOf } from '../life/sports.ts';
import { hashOf, noiseOf } from '../random.ts';
import { offsetMinutesAt } from '../zone.ts';
import { activeKilocalories, headOf, hundredths, seconds, stepsIn } from './head.ts';

/** The sessions that ended since the last time of synchronising. */
export function activities(day: DayLife, sync: Span): Activity[] {
  return finished(day, sync).map((workout) => activityOf(day, workout));
}

/** The same sessions, second by second. */
export function activityDetails(day: DayLife, sync: Span) {
  return finished(day, sync).map((workout) => {
    const { userId, summaryId, activityId, ...summary } = activityOf(day, workout);
    return {
      userId,
      summaryId: `${summaryId}-detail`,
      activityId,
      summary: { activityId, ...summary },
      samples: secondsOf(day, workout),
      laps: [{ startTimeInSeconds: summary.startTimeInSeconds }],
    };
  });
}

function finished(day: DayLife, sync: Span): readonly Workout[] {
  return day.workouts.filter(({ endMs }) => endMs > sync.startMs && endMs <= sync.endMs);
}

/** A session, as the device maker sends it. */
export function activityOf({ person }: DayLife, workout: Workout) {
  const sport = sportOf(workout.plan.sport);
  const activityId = 2 ** 33 + hashOf(`${person.seed}/${workout.startMs}`);
  return {
    ...headOf(person, workout),
    summaryId: String(activityId),
    activityId,
    activityName: nameOf(person.traits.zone, workout, sport.noun),
    activityType: sport.activity_type,
    deviceName: person.traits.device,
    manual: false,
    isWebUpload: false,
    activeKilocalories: activeKilocalories(person, workout.minutes),
    ...(sport.steps_per_minute > 0 ? { steps: stepsIn(workout.minutes) } : {}),
    ...heartOf(workout),
    ...wayOf(workout),
  };
}

/** An activity item. */
export type Activity = ReturnType<typeof activityOf>;

function nameOf(zone: string, { startMs }: Workout, noun: string): string {
  const hour = new Date(startMs + offsetMinutesAt(zone, startMs) * 60_000).getUTCHours();
  return `${hour < 11 ? 'Morning' : hour < 14 ? 'Midday' : hour < 17 ? 'Afternoon' : 'Evening'} ${noun}`;
}

interface Heart {
  readonly averageHeartRateInBeatsPerMinute?: number;
  readonly maxHeartRateInBeatsPerMinute?: number;
}

function heartOf({ avg_heart_rate_bpm: mean, max_heart_rate_bpm: most }: Workout): Heart {
  if (mean === null || most === null) return {};
  return { averageHeartRateInBeatsPerMinute: mean, maxHeartRateInBeatsPerMinute: most };
}

interface Way {
  readonly distanceInMeters?: number;
  readonly averageSpeedInMetersPerSecond?: number;
  readonly averagePaceInMinutesPerKilometer?: number;
  readonly totalElevationGainInMeters?: number;
  readonly totalElevationLossInMeters?: number;
}

function wayOf(workout: Workout): Way {
  const sport = sportOf(workout.plan.sport);
  const meters = workout.minutes.reduce((sum, one) => sum + one.meters, 0);
  if (meters === 0) return {};
  const duration = seconds(workout.endMs - workout.startMs);
  const climbed = Math.round(workout.minutes.reduce((sum, one) => sum + one.climb_meters, 0));
  return {
    distanceInMeters: hundredths(meters),
    averageSpeedInMetersPerSecond: Math.round((meters / duration) * 1000) / 1000,
    ...(sport.on_foot
      ? { averagePaceInMinutesPerKilometer: hundredths(duration / 60 / (meters / 1000)) }
      : {}),
    ...(sport.climb_m_per_km > 0
      ? { totalElevationGainInMeters: climbed, totalElevationLossInMeters: climbed }
      : {}),
  };
}

/** One sample a second, between the heart rates that the day has too. */
function secondsOf(day: DayLife, workout: Workout): Record<string, number>[] {
  const { person, startMs, heart_rates: rates } = day;
  const { traits } = person;
  const sport = sportOf(workout.plan.sport);
  const noise = noiseOf(`${person.seed}/seconds`);
  const isRide = sport.cadence?.field === 'bikeCadenceInRPM';
  const samples: Record<string, number>[] = [];
  for (let ms = Math.ceil(workout.startMs / 1000) * 1000; ms < workout.endMs; ms += 1000) {
    const minute = workout.minutes.find((one) => ms < one.startMs + 60_000) ?? workout.minutes.at(-1);
    const heart = rates[Math.floor((ms - startMs) / heartRateEveryMs)] ?? 0;
    if (minute === undefined) break;
    const quick = 1 + 0.06 * noise(ms, 7000);
    samples.push({
      startTimeInSeconds: seconds(ms),
      ...(heart > 0 ? { heartRate: heart } : {}),
      ...(minute.meters > 0
        ? { speedMetersPerSecond: Math.round((minute.meters / 60) * quick * 1000) / 1000 }
        : {}),
      ...(sport.on_foot ? { stepsPerMinute: Math.round(minute.steps * quick) } : {}),
      ...(isRide ? { stepsPerMinute: 0 } : {}),
      ...(sport.cadence ? { [sport.cadence.field]: Math.round(sport.cadence.rpm * quick) } : {}),
      ...(traits.ride_watts !== null && isRide
        ? { powerInWatts: Math.round((traits.ride_watts * quick * minute.met) / sport.met) }
        : {}),
      airTemperatureCelcius: hundredths(17 + 6 * noise(ms, 7 * 86_400_000) + noise(ms, 1_800_000)),
    });
  }
  return samples;
}
