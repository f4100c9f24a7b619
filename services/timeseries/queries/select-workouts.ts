import type { WorkoutType } from '../../../domain/records/workout-types.ts';
import type { EventRow, EventTable } from './select-events.ts';

/** The columns of a workout that the API shows. */
export interface WorkoutRow extends EventRow {
  type: WorkoutType;
  name: string;
  duration_seconds: number;
  calories_kcal: number | null;
  distance_meters: number | null;
  avg_heart_rate_bpm: number | null;
  max_heart_rate_bpm: number | null;
  avg_pace_sec_per_km: number | null;
  elevation_gain_meters: number | null;
  private: boolean | null;
}

/** Workouts. Parents of several workouts and duplicates of a listed workout are not listed. */
export const workoutTable: EventTable = {
  name: 'workouts',
  table: 'timeseries.workout',
  columns: `type, name, duration_seconds, calories_kcal, distance_meters, avg_heart_rate_bpm, max_heart_rate_bpm,
    avg_pace_sec_per_km, elevation_gain_meters, private`,
  listed: 'deleted_at is null and duplicate_of is null and not is_parent',
  single: 'deleted_at is null',
};

/** A workout as its own route returns it. */
export interface SingleWorkoutRow extends WorkoutRow {
  key: string;
  moving_seconds: number | null;
  steps: number | null;
  manual: boolean | null;
  web_upload: boolean | null;
  is_parent: boolean;
  parent_id: string | null;
}

/** Single workouts, listed or not. */
export const singleWorkoutTable: EventTable = {
  ...workoutTable,
  name: 'single-workouts',
  columns: `${workoutTable.columns}, key, moving_seconds, steps, manual, web_upload, is_parent, parent_id`,
};
