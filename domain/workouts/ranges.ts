import type { WorkoutRecord } from '../records/records.ts';
import type { GivenDetails, LapRecord } from './details.ts';

/** What a figure of a workout can be. */
export interface FigureRange {
  readonly min: number;
  readonly max: number;
  /** No one reaches more in a minute. A workout of seconds is counted as one minute. */
  readonly perMinute?: number;
}

const days = 31 * 86_400;
const seconds = { min: 0, max: days };
const heartRate = { min: 1, max: 300 };
const cadence = { min: 0, max: 300 };
const power = { min: 0, max: 5000 };
const speed = { min: 0, max: 150 };
const distance = { min: 0, max: 10_000_000, perMinute: 9000 };
const climb = { min: 0, max: 100_000, perMinute: 600 };
const altitude = { min: -1000, max: 50_000 };

/**
 * The ranges of the figures of a workout and of its laps, by their names. They exclude what a writer counts in another unit (calories
 * in place of kilocalories) or fills in for a missing value, and nothing that people do. Those of what is measured along a workout are
 * those of the streams.
 */
export const figureRanges = {
  duration_seconds: seconds,
  moving_seconds: seconds,
  calories_kcal: { min: 0, max: 50_000, perMinute: 100 },
  distance_meters: distance,
  avg_heart_rate_bpm: heartRate,
  max_heart_rate_bpm: heartRate,
  min_heart_rate_bpm: heartRate,
  avg_pace_sec_per_km: { min: 0, max: 360_000 },
  elevation_gain_meters: climb,
  elevation_loss_meters: climb,
  elevation_high_meters: altitude,
  elevation_low_meters: altitude,
  steps: { min: 0, max: 1_000_000, perMinute: 600 },
  avg_cadence_rpm: cadence,
  max_cadence_rpm: cadence,
  avg_speed_meters_per_second: speed,
  max_speed_meters_per_second: speed,
  max_pace_sec_per_km: { min: 0, max: 360_000 },
  avg_power_watts: power,
  max_power_watts: power,
  weighted_power_watts: power,
  work_kilojoules: { min: 0, max: 200_000 },
  avg_temperature_celsius: { min: -100, max: 100 },
  swim_lengths: { min: 0, max: 100_000 },
  swim_strokes: { min: 0, max: 1_000_000 },
  pool_length_meters: { min: 0, max: 1000 },
  avg_swim_cadence_strokes_per_minute: cadence,
  max_swim_cadence_strokes_per_minute: cadence,
  pushes: { min: 0, max: 1_000_000 },
  avg_push_cadence_per_minute: cadence,
  max_push_cadence_per_minute: cadence,
  perceived_exertion: { min: 0, max: 100 },
} as const satisfies Readonly<Partial<Record<keyof (WorkoutRecord & GivenDetails & LapRecord), FigureRange>>>;

const ranges: ReadonlyMap<string, FigureRange> = new Map(Object.entries(figureRanges));

/** The names of figures that are out of their ranges. A heart rate of 0 is how writers say that they have none, so it is not named. */
export interface RefusedFigures<T> {
  readonly kept: T;
  readonly refused: readonly string[];
}

/** The record with null in place of each figure that is out of its range. `durationSeconds`: for what has a bound in a minute. */
export function withinRanges<T extends object>(record: T, durationSeconds: number): RefusedFigures<T> {
  const refused: string[] = [];
  const kept = { ...record };
  for (const [name, value] of Object.entries(record)) {
    const range = ranges.get(name);
    if (range === undefined || typeof value !== 'number') continue;
    const most = Math.min(range.max, (range.perMinute ?? Infinity) * Math.max(1, durationSeconds / 60));
    if (value >= range.min && value <= most) continue;
    Object.assign(kept, { [name]: null });
    if (!(value === 0 && range === heartRate)) refused.push(name);
  }
  return { kept, refused };
}
