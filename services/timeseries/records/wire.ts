import type {
  SingleSleepSession,
  SleepScore,
  SleepSession,
  Workout,
} from '../../../contracts/timeseries/schemas.ts';
import { formatInstant, formatOffset, wholeMinutes } from '../../../domain/time/time.ts';
import type { WorkoutRow } from '../queries/select-workouts.ts';
import type { Settings } from '../settings.ts';
import type { DetailedSleepRow, SleepRow } from './queries/select-sleeps.ts';
import { intervalsToWire } from './sleep-stages.ts';

/** The wire form of a workout, with heart rates if the provider sent them. */
export function workoutToWire(row: WorkoutRow, { shownAs }: Settings): Workout {
  return {
    id: row.id,
    type: row.type,
    name: row.name,
    start_time: formatInstant(row.start_ms),
    end_time: formatInstant(row.end_ms),
    duration_seconds: row.duration_seconds,
    source: { provider: shownAs(row.provider), device: row.device },
    calories_kcal: row.calories_kcal,
    distance_meters: row.distance_meters,
    avg_heart_rate_bpm: row.avg_heart_rate_bpm,
    max_heart_rate_bpm: row.max_heart_rate_bpm,
    avg_pace_sec_per_km: row.avg_pace_sec_per_km,
    elevation_gain_meters: row.elevation_gain_meters,
    zone_offset: formatOffset(row.zone_offset_minutes),
  };
}

/** The wire form of a sleep session, in whole minutes, rounded down. */
export function sleepToWire(row: SleepRow, { shownAs }: Settings): SleepSession {
  return {
    id: row.id,
    start_time: formatInstant(row.start_ms),
    end_time: formatInstant(row.end_ms),
    source: { provider: shownAs(row.provider), device: row.device },
    duration_seconds: row.asleep_seconds,
    efficiency_percent: efficiency(row),
    stages: {
      awake_minutes: wholeMinutes(row.awake_seconds),
      light_minutes: wholeMinutes(row.light_seconds),
      deep_minutes: wholeMinutes(row.deep_seconds),
      rem_minutes: wholeMinutes(row.rem_seconds),
    },
    is_nap: row.is_nap,
    zone_offset: formatOffset(row.zone_offset_minutes),
  };
}

/** The wire form of a sleep session with its details. */
export function detailedSleepToWire(row: DetailedSleepRow, settings: Settings): SingleSleepSession {
  const { details } = row;
  return {
    ...sleepToWire(row, settings),
    unmeasurable_seconds: row.unmeasurable_seconds,
    latency_seconds: details?.latency_seconds ?? null,
    interruptions_count: row.interruptions,
    validation: details?.validation ?? null,
    score: scoreOf(row),
    stages_timeline: intervalsToWire(row.stage_intervals, row.start_ms),
    extra: details?.extra ?? null,
  };
}

function scoreOf({ score: value, details }: DetailedSleepRow): SleepScore | null {
  const qualifier = details?.score_qualifier ?? null;
  const components = details?.score_parts ?? [];
  return value === null && qualifier === null && components.length === 0
    ? null
    : { value, qualifier, components };
}

/**
 * Time asleep as a share of the time in bed, to a hundredth of a percent. Null for a session without duration,
 * without a known time asleep, or without a measured stage.
 */
function efficiency(row: SleepRow): number | null {
  const { asleep_seconds, start_ms, end_ms } = row;
  const staged = [row.deep_seconds, row.light_seconds, row.rem_seconds, row.awake_seconds];
  if (asleep_seconds === null || end_ms <= start_ms || !staged.some((seconds) => (seconds ?? 0) > 0))
    return null;
  const percent = (asleep_seconds * 1000 * 100) / (end_ms - start_ms);
  return Math.min(100, Math.round(percent * 100) / 100);
}
