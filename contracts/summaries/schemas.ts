import { z } from 'zod';
import { DayValues } from '../../domain/records/day-values.ts';
import {
  ExtraFields,
  recordingMethod,
  SleepStages,
  Source,
  Timestamp,
  ZoneOffset,
} from '../../domain/wire.ts';
import { InsightInput, MeasureBaseline, Method } from '../insights/schemas.ts';
import { Score } from '../timeseries/scores.ts';

const Count = z.int().nullable();
const Measure = z.number().nullable();
const LocalDate = z.string().meta({ format: 'date', description: 'A local day, YYYY-MM-DD.' });

/** One local day of activity. A field is null, never 0, if no provider sent a value. */
export const ActivitySummary = z.object({
  date: LocalDate,
  source: Source,
  steps: Count,
  distance_meters: Measure,
  floors_climbed: Count,
  elevation_meters: Measure,
  active_calories_kcal: Measure,
  total_calories_kcal: Measure,
  active_minutes: Count,
  sedentary_minutes: Count,
  intensity_minutes: z.object({ light: Count, moderate: Count, vigorous: Count }),
  heart_rate: z.object({ avg_bpm: Count, max_bpm: Count, min_bpm: Count }),
});

/** A source that has a value of a field on a day, and how that value was used. */
export const ExplainedSource = z
  .object({
    source: Source,
    ...recordingMethod,
    origin: z
      .enum(['day_total', 'samples', 'intervals', 'workouts', 'epochs', 'computed'])
      .describe(
        "`day_total`: the provider's own record of the day; `samples`: the sum, or the heart rates, of a device's samples; `intervals`: what a device measured in intervals with a start and an end; `workouts`: workouts of the day; `epochs`: slots without movement; `computed`: derived from other fields.",
      ),
    value: Measure.describe(
      'In the unit of the field, before minutes are rounded down. Null for light minutes.',
    ),
    share: z
      .number()
      .min(0)
      .max(1)
      .nullable()
      .describe(
        'The part of the shown value that comes from this source: 0 where the source was not chosen. The shares of a field add up to 1. Null for light minutes, which are a difference.',
      ),
    rule: z
      .enum([
        'only_value',
        'sum',
        'precedence',
        'largest',
        'priority',
        'largest_device',
        'best_ranked',
        'fullest_device',
        'longest_record',
        'active_plus_basal',
        'remainder',
      ])
      .describe(
        'The rule that chose the source, or another one in its place. `only_value`: there is no other; `sum`: records of different hours, or workouts, are added up; `precedence`: of one provider the day total counts before intervals, intervals before samples, samples before workouts, and for `avg_bpm` samples before the day total; `largest`: of several providers the largest value; `priority`: of several providers the first in SOURCE_PRIORITY; `largest_device`: of several devices the largest value; `best_ranked`: of several sources of intervals the best-ranked one counts in each segment of time; `fullest_device`: of several devices the one with the most heart rates; `longest_record`: of records of the same hours with the field the longest, of their heart rates the mean of the longest and the lowest and highest of all; `active_plus_basal`: active and basal energy of one provider; `remainder`: active less moderate less vigorous minutes.',
      ),
  })
  .meta({
    id: 'ExplainedSource',
    description: 'A source that has a value of a field on a day, and how that value was used.',
  });

/** The fields of an activity summary that have a source, nested ones by their path. */
export const ExplainedField = z
  .enum([
    'steps',
    'distance_meters',
    'floors_climbed',
    'elevation_meters',
    'active_calories_kcal',
    'total_calories_kcal',
    'active_minutes',
    'sedentary_minutes',
    'intensity_minutes.light',
    'intensity_minutes.moderate',
    'intensity_minutes.vigorous',
    'heart_rate.avg_bpm',
    'heart_rate.max_bpm',
    'heart_rate.min_bpm',
  ])
  .meta({ id: 'ExplainedField' });

/** The sources of each field of an activity summary; an empty list if no provider sent a value. */
export const ActivityExplanation = z
  .record(ExplainedField, z.array(ExplainedSource))
  .meta({ id: 'ActivityExplanation' });

/** An activity summary, and on request the sources of its values. */
export const ExplainedActivitySummary = ActivitySummary.extend({
  explanation: ActivityExplanation.optional().describe(
    'With `explain=true` only: the sources of each field, nested ones by their path (`heart_rate.avg_bpm`).',
  ),
}).meta({
  id: 'ActivitySummary',
  description: 'The activity of one local day. A field is null if no provider sent a value.',
});

/** What one item of a provider contains of a day. */
const DayRecord = z
  .object({
    source: Source,
    data_type: z.string().describe("The provider's data type that contained the values."),
    start_time: Timestamp,
    end_time: Timestamp,
    zone_offset: ZoneOffset,
    values: DayValues,
    extra: ExtraFields,
  })
  .meta({ id: 'DayRecord', description: 'What one record of a provider contains of a day.' });

/** The values of a local day that neither a series nor a summary has. */
export const Day = z
  .object({ date: LocalDate, records: z.array(DayRecord) })
  .meta({ id: 'Day', description: 'The values of a local day that neither a series nor a summary has.' });

/** The sleep that ended on a local day. All fields except those of naps are null if there was no main sleep. */
export const SleepSummary = z
  .object({
    date: LocalDate,
    source: Source,
    start_time: Timestamp.nullable(),
    end_time: Timestamp.nullable(),
    duration_minutes: Count,
    time_in_bed_minutes: Count,
    efficiency_percent: Measure,
    stages: SleepStages,
    interruptions_count: Count,
    nap_count: z.int(),
    nap_duration_minutes: Count.describe(
      'The time asleep in naps, 0 without a nap. Null if it is not known of one of them, as of a nap of which the source sent its times only.',
    ),
    avg_heart_rate_bpm: Count,
    avg_hrv_sdnn_ms: Measure,
    avg_respiratory_rate: Measure,
    avg_spo2_percent: Measure,
  })
  .meta({
    id: 'SleepSummary',
    description:
      'The sleep that ended on a local day. The values, except those of naps, are null if there was no main sleep.',
  });

/** Blood pressure readings in the time window: pairs of the same instant. */
const BloodPressure = z
  .object({
    avg_systolic_mmhg: Measure,
    avg_diastolic_mmhg: Measure,
    max_systolic_mmhg: Measure,
    max_diastolic_mmhg: Measure,
    min_systolic_mmhg: Measure,
    min_diastolic_mmhg: Measure,
    reading_count: z.int(),
  })
  .meta({
    id: 'BloodPressure',
    description: 'Blood pressure readings of the time window: pairs of the same instant.',
  });

/** The current values of a body. All sections are present; their values may be null. */
export const BodySummary = z
  .object({
    source: Source,
    slow_changing: z.object({
      weight_kg: Measure,
      height_cm: Measure,
      body_fat_percent: Measure,
      muscle_mass_kg: Measure,
      bmi: Measure,
      age: Count,
    }),
    averaged: z.object({
      period_days: z.int(),
      resting_heart_rate_bpm: Count,
      avg_hrv_sdnn_ms: Measure,
      period_start: Timestamp,
      period_end: Timestamp,
    }),
    latest: z.object({
      body_temperature_celsius: Measure,
      body_temperature_measured_at: Timestamp.nullable(),
      skin_temperature_celsius: Measure,
      skin_temperature_measured_at: Timestamp.nullable(),
      blood_pressure: BloodPressure.nullable(),
      blood_pressure_measured_at: Timestamp.nullable(),
    }),
  })
  .meta({
    id: 'BodySummary',
    description: 'The current values of a body. All sections are present; their values may be null.',
  });

/** What the night says about a local day, against what is usual for the user. */
export const RecoverySummary = z
  .object({
    date: LocalDate,
    source: Source.nullable().describe(
      'The source of the resting heart rate, otherwise of the first measure with a value. Null if only days before have values.',
    ),
    measures: z
      .array(MeasureBaseline)
      .describe(
        'Resting heart rate, heart rate variability, breathing rate, skin temperature and duration of the sleep against the baseline of the 28 days before. Measures without any value are omitted.',
      ),
    scores: z
      .array(Score)
      .describe('Scores of readiness, recovery and recharge of the day, as providers sent them.'),
    methods: z.array(Method),
    inputs: z.array(InsightInput).optional().describe('What the values were computed from, with `explain`.'),
  })
  .meta({ id: 'RecoverySummary' });

export type ActivitySummary = z.infer<typeof ActivitySummary>;
export type ExplainedActivitySummary = z.infer<typeof ExplainedActivitySummary>;
export type ActivityExplanation = z.infer<typeof ActivityExplanation>;
export type ExplainedSource = z.infer<typeof ExplainedSource>;
export type Day = z.infer<typeof Day>;
export type SleepSummary = z.infer<typeof SleepSummary>;
export type BodySummary = z.infer<typeof BodySummary>;
export type RecoverySummary = z.infer<typeof RecoverySummary>;
