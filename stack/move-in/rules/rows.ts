import { z } from 'zod';

/*
 * Rows of Open Wearables as the database client returns them. `numeric` is a text, and a number where it comes out of JSON; times are
 * dates, or texts of ISO 8601 with a zone. Columns that some versions lack may be missing.
 */

/** Its database takes ids of any version. */
const Id = z.guid();
const Text = z.string().nullish();
const Time = z.union([z.date(), z.string()]);
const Numeric = z.union([z.string(), z.number()]);
const Amount = Numeric.nullish();

/** A row of `series_type_definition`. */
export const SeriesDefinition = z.object({ id: z.int(), code: z.string(), unit: Text });

/** A row of `data_source`: a provider and a device of a user. */
export const SourceRow = z.object({
  id: Id,
  user_id: Id,
  provider: Text,
  device_model: Text,
  device_type: Text,
  source: Text,
  original_source_name: Text,
});

/** A row of `data_point_series`. */
export const SampleRow = z.object({
  recorded_at: Time,
  zone_offset: Text,
  value: Numeric.nullable(),
  series_type_definition_id: z.int(),
  /** True: a total of a day. */
  is_daily_total: z.boolean().nullish(),
});

/** A row of `data_point_series_archive`. Versions before `bucket_start_at` have a column `date`, here as YYYY-MM-DD. */
export const ArchiveRow = z.object({
  bucket_start_at: Time.nullish(),
  date: Text,
  /** `sum`, `avg`, `min` or `max`. Versions without the column keep the sum of a summed type, and the mean of another one. */
  aggregation_type: Text,
  value: Numeric.nullable(),
  series_type_definition_id: z.int(),
});

/** A row of `workout_details`. Distances are meters, speeds meters per second, energy is kcal. */
export const WorkoutDetailsRow = z.object({
  heart_rate_min: Amount,
  heart_rate_max: Amount,
  heart_rate_avg: Amount,
  energy_burned: Amount,
  distance: Amount,
  steps_count: Amount,
  moving_time_seconds: Amount,
  total_elevation_gain: Amount,
  elev_high: Amount,
  elev_low: Amount,
  average_speed: Amount,
  max_speed: Amount,
  average_watts: Amount,
  max_watts: Amount,
  average_cadence: Amount,
  entry_source: Text,
  segments: z.unknown().optional(),
  hr_zones: z.unknown().optional(),
  power_zones: z.unknown().optional(),
});

/** A row of `sleep_details`. */
export const SleepDetailsRow = z.object({
  sleep_total_duration_minutes: Amount,
  sleep_time_in_bed_minutes: Amount,
  sleep_efficiency_score: Amount,
  sleep_deep_minutes: Amount,
  sleep_rem_minutes: Amount,
  sleep_light_minutes: Amount,
  sleep_awake_minutes: Amount,
  is_nap: z.boolean().nullish(),
  sleep_stages: z.unknown().optional(),
});

/** A row of `menstrual_cycle_details`. */
export const CycleDetailsRow = z.object({
  day_in_cycle: Amount,
  current_phase: Amount,
  current_phase_type: Text,
  length_of_current_phase: Amount,
  days_until_next_phase: Amount,
  predicted_cycle_length: Amount,
  is_predicted_cycle: z.boolean().nullish(),
  cycle_length: Amount,
  last_updated_at: Time.nullish(),
  has_specified_cycle_length: z.boolean().nullish(),
  has_specified_period_length: z.boolean().nullish(),
  period_length: Amount,
  fertile_window_start: Amount,
  length_of_fertile_window: Amount,
  pregnancy_snapshot: z.unknown().optional(),
});

/** A row of `event_record` with the rows of its details, of which one at most is there. */
export const RecordRow = z.object({
  id: Id,
  external_id: Text,
  category: z.string(),
  type: Text,
  source_name: Text,
  start_datetime: Time,
  end_datetime: Time.nullish(),
  zone_offset: Text,
  duration_seconds: Amount,
  workout_details: WorkoutDetailsRow.nullish(),
  sleep_details: SleepDetailsRow.nullish(),
  menstrual_cycle_details: CycleDetailsRow.nullish(),
});

/** A row of `health_score`. `provider` is `internal` for those that Open Wearables computes. */
export const ScoreRow = z.object({
  id: Id,
  user_id: Id,
  data_source_id: Id.nullish(),
  provider: Text,
  category: z.string(),
  value: Amount,
  qualifier: Text,
  recorded_at: Time,
  zone_offset: Text,
  components: z.unknown().optional(),
});

export type SeriesDefinition = z.infer<typeof SeriesDefinition>;
export type SourceRow = z.infer<typeof SourceRow>;
export type SampleRow = z.infer<typeof SampleRow>;
export type ArchiveRow = z.infer<typeof ArchiveRow>;
export type WorkoutDetailsRow = z.infer<typeof WorkoutDetailsRow>;
export type SleepDetailsRow = z.infer<typeof SleepDetailsRow>;
export type CycleDetailsRow = z.infer<typeof CycleDetailsRow>;
export type RecordRow = z.infer<typeof RecordRow>;
export type ScoreRow = z.infer<typeof ScoreRow>;
