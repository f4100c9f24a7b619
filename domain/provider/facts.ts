import { z } from 'zod';
import { DayValues } from '../records/day-values.ts';
import { SeriesTypeName } from '../wire.ts';
import { Extra } from './extra.ts';

/**
 * The stored data of a day, a night or a body, per provider, before a source is chosen: the input of summaries. Durations
 * are seconds; a value that no provider sent is null, never 0.
 */
const Measure = z.number().nullable();
const Milliseconds = z.number();
/** An index into `devices` of the answer, because a name may have 300 bytes and hundreds of rows refer to it. */
const Device = z.int().min(0);

/** A provider's own totals of a day. */
export const DayTotal = z.object({
  device: Device,
  steps: Measure,
  distance_meters: Measure,
  floors_climbed: Measure,
  active_seconds: Measure,
  moderate_seconds: Measure,
  vigorous_seconds: Measure,
  active_calories_kcal: Measure,
  basal_calories_kcal: Measure,
  avg_bpm: Measure,
  min_bpm: Measure,
  max_bpm: Measure,
});

/**
 * The aggregated samples of a day. Of several devices the largest value counts; heart rates are those of the device with
 * the most samples.
 */
export const DaySamples = z.object({
  /** The device of the first field that has a value. */
  device: Device,
  steps: Measure,
  distance_meters: Measure,
  floors_climbed: Measure,
  active_seconds: Measure,
  active_calories_kcal: Measure,
  basal_calories_kcal: Measure,
  avg_bpm: Measure,
  min_bpm: Measure,
  max_bpm: Measure,
});

/**
 * What counts of a provider's intervals on a day: in each segment of time the best-ranked source of all providers counts,
 * so the values of all providers are added up. The device is that with the largest part of the first field.
 */
export const DayIntervals = z.object({
  device: Device,
  steps: Measure,
  distance_meters: Measure,
  floors_climbed: Measure,
  active_seconds: Measure,
  active_calories_kcal: Measure,
  basal_calories_kcal: Measure,
});

/** The aggregated workouts of a day. */
export const DayWorkouts = z.object({
  device: Device,
  steps: Measure,
  distance_meters: Measure,
  elevation_meters: Measure,
  active_seconds: Measure,
  active_calories_kcal: Measure,
});

/**
 * The values of one record, one device's samples or one workout of a provider on a day, before values are chosen or added
 * up. The longest record of a day comes first.
 */
export const DayPart = z.object({
  ...DayTotal.shape,
  ...DayWorkouts.shape,
  /** `intervals`: what counts of a device; `measured`: what its intervals contain. */
  origin: z.enum(['total', 'samples', 'intervals', 'measured', 'workouts']),
  /** Of daily records, the figures that no longer record of the same hours has. Otherwise true: the part counts for all its figures. */
  counts: z.union([z.boolean(), z.array(z.string())]),
  /** The number of heart rates in the mean; set for samples only. */
  beats: Measure,
});

/** One provider's part of a day. */
export const DaySource = z.object({
  provider: z.string(),
  total: DayTotal.nullable(),
  samples: DaySamples.nullable(),
  intervals: DayIntervals.nullable(),
  workouts: DayWorkouts.nullable(),
  sedentary_seconds: Measure,
  /** The inputs of the other fields, if they were requested. */
  parts: z.array(DayPart).optional(),
});

/** A page of local days with activity, in the requested order, with the total number in the range. */
export const ActivityDays = z.object({
  total: z.int(),
  devices: z.array(z.string()),
  days: z.array(z.object({ date: z.string(), sources: z.array(DaySource) })),
});

/** The day values of one item of a provider. */
export const DayValueRecord = z.object({
  provider: z.string(),
  device: z.string(),
  data_type: z.string(),
  start_ms: Milliseconds,
  end_ms: Milliseconds,
  zone_offset_minutes: z.int().nullable(),
  values: DayValues,
  extra: Extra,
});

/** A page of local days with day values. `fitting` days of it fit into an answer; it has more only to show that others follow. */
export const DayValueDays = z.object({
  total: z.int(),
  fitting: z.int(),
  days: z.array(z.object({ date: z.string(), records: z.array(DayValueRecord) })),
});

/** Means over a night's main sleep. */
export const NightMeans = z.object({
  heart_rate: Measure,
  heart_rate_variability_sdnn: Measure,
  respiratory_rate: Measure,
  oxygen_saturation: Measure,
});

/** One provider's main sessions of a night, added up. */
export const NightSleep = z.object({
  sessions: z.int(),
  start_ms: Milliseconds,
  end_ms: Milliseconds,
  in_bed_seconds: z.number(),
  /** Null if that of a session is not known. */
  asleep_seconds: Measure,
  deep_seconds: Measure,
  light_seconds: Measure,
  rem_seconds: Measure,
  awake_seconds: Measure,
  /** Interruptions within sessions. The time between two sessions is not counted. */
  interruptions: Measure,
  /** Whether each session has a measured stage. */
  is_staged: z.boolean(),
  means: NightMeans,
});

/** One provider's part of a night. `device` is that of its longest main session, or of its longest nap. */
export const NightSource = z.object({
  provider: z.string(),
  device: Device,
  main: NightSleep.nullable(),
  nap_count: z.int(),
  /** The time asleep in naps; null if that of a nap is not known. */
  nap_seconds: Measure,
});

/** A page of local days on which a night ended, in the requested order. */
export const Nights = z.object({
  total: z.int(),
  devices: z.array(z.string()),
  nights: z.array(z.object({ date: z.string(), sources: z.array(NightSource) })),
});

const Origin = { provider: z.string(), device: z.string() };

/** The newest value of a type that one provider sent. */
export const LatestValue = z.object({
  ...Origin,
  type: SeriesTypeName,
  value: z.number(),
  at_ms: Milliseconds,
});

/** The mean of a type over local days, from the device with the most samples. `at_ms` is the time of the newest one. */
export const PeriodMean = z.object({
  ...Origin,
  type: SeriesTypeName,
  mean: z.number(),
  at_ms: Milliseconds,
});

/** Blood pressure readings in the time window. `device` and `at_ms` are those of the newest one. */
export const PressureReadings = z.object({
  ...Origin,
  at_ms: Milliseconds,
  reading_count: z.int(),
  avg_systolic: z.number(),
  avg_diastolic: z.number(),
  max_systolic: z.number(),
  max_diastolic: z.number(),
  min_systolic: z.number(),
  min_diastolic: z.number(),
});

/** The stored data of a body. The period [start, end) consists of local days of the user. */
export const BodyFacts = z.object({
  period_start_ms: Milliseconds,
  period_end_ms: Milliseconds,
  slow: z.array(LatestValue),
  means: z.array(PeriodMean),
  readings: z.array(LatestValue),
  pressures: z.array(PressureReadings),
});

export type DayTotal = z.infer<typeof DayTotal>;
export type DaySamples = z.infer<typeof DaySamples>;
export type DayIntervals = z.infer<typeof DayIntervals>;
export type DayWorkouts = z.infer<typeof DayWorkouts>;
export type DayPart = z.infer<typeof DayPart>;
export type DaySource = z.infer<typeof DaySource>;
export type ActivityDays = z.infer<typeof ActivityDays>;
export type DayValueRecord = z.infer<typeof DayValueRecord>;
export type DayValueDays = z.infer<typeof DayValueDays>;
export type NightMeans = z.infer<typeof NightMeans>;
export type NightSleep = z.infer<typeof NightSleep>;
export type NightSource = z.infer<typeof NightSource>;
export type Nights = z.infer<typeof Nights>;
export type LatestValue = z.infer<typeof LatestValue>;
export type PeriodMean = z.infer<typeof PeriodMean>;
export type PressureReadings = z.infer<typeof PressureReadings>;
export type BodyFacts = z.infer<typeof BodyFacts>;
