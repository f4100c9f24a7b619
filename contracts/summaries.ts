import { z } from 'zod';
import { action, contract } from '../domain/contract.ts';
import { CursorParameter, limitUpTo, pageOf } from '../domain/page.ts';
import { RangeEnd, RangeStart } from '../domain/time.ts';
import { SortOrder, Source, Timestamp, UserId } from '../domain/wire.ts';

const readers = ['api-key', 'developer', 'sdk'] as const;
const Count = z.int().nullable();
const Measure = z.number().nullable();
const LocalDate = z.string().meta({ format: 'date', description: 'A local day, YYYY-MM-DD.' });

/** One local day of activity; a field that nobody sent is null, never a made-up 0. */
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

/** The sleep that ended on a local day; all but the naps is null where there was no main sleep. */
export const SleepSummary = z.object({
  date: LocalDate,
  source: Source,
  start_time: Timestamp.nullable(),
  end_time: Timestamp.nullable(),
  duration_minutes: Count,
  time_in_bed_minutes: Count,
  efficiency_percent: Measure,
  stages: z.object({
    awake_minutes: Count,
    light_minutes: Count,
    deep_minutes: Count,
    rem_minutes: Count,
  }),
  interruptions_count: Count,
  nap_count: z.int(),
  nap_duration_minutes: z.int(),
  avg_heart_rate_bpm: Count,
  avg_hrv_sdnn_ms: Measure,
  avg_respiratory_rate: Measure,
  avg_spo2_percent: Measure,
});

/** Blood pressure readings within the window: pairs of one instant. */
export const BloodPressure = z.object({
  avg_systolic_mmhg: Measure,
  avg_diastolic_mmhg: Measure,
  max_systolic_mmhg: Measure,
  max_diastolic_mmhg: Measure,
  min_systolic_mmhg: Measure,
  min_diastolic_mmhg: Measure,
  reading_count: z.int(),
});

/** What is known of a body now; the sections are always there, their values may be null. */
export const BodySummary = z.object({
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
});

const days = {
  user_id: UserId,
  start_date: RangeStart.meta({
    description: 'First local day of the range (YYYY-MM-DD), or an instant on it.',
    example: '2026-01-01',
  }),
  end_date: RangeEnd.meta({
    description: 'Last local day of the range (YYYY-MM-DD), included, or an instant at which the range ends.',
    example: '2026-01-02',
  }),
  cursor: CursorParameter,
};
const rangeNote =
  'A date is a local day of the user; instants name the dates that the range touches in UTC. Days without any data are left out.';

/** Daily summaries, and that of a body. */
export const summaries = contract('summaries', {
  activity: action({
    summary: 'Summaries of activity, one a local day',
    description: `${rangeNote} Of several sources the largest value of a field that adds up is taken, never a sum.`,
    params: z.object({
      ...days,
      limit: limitUpTo(400),
      sort_order: SortOrder.default('asc').describe('`asc`: oldest day first; `desc`: newest day first.'),
    }),
    returns: pageOf(ActivitySummary),
    http: { method: 'GET', path: '/users/:user_id/summaries/activity', access: readers, tag: 'Data' },
    idempotent: true,
  }),
  sleep: action({
    summary: 'Summaries of sleep, one a local day of waking up',
    description: `Oldest first. ${rangeNote} One source tells a night; its main sessions are added up, naps are counted apart.`,
    params: z.object({ ...days, limit: limitUpTo(100) }),
    returns: pageOf(SleepSummary),
    http: { method: 'GET', path: '/users/:user_id/summaries/sleep', access: readers, tag: 'Data' },
    idempotent: true,
  }),
  body: action({
    summary: 'What is known of a body now; null when there is nothing',
    description:
      '`averaged` covers the last `average_period` local days, today included; `latest` holds readings of the last `latest_window_hours`.',
    params: z.object({
      user_id: UserId,
      average_period: limitUpTo(7, 7).describe(
        'Over how many local days `averaged` is computed, 1 to 7; 7 where it is left out.',
      ),
      latest_window_hours: limitUpTo(24, 4).describe(
        'How old a reading of `latest` may be in hours, 1 to 24; 4 where it is left out.',
      ),
    }),
    returns: BodySummary.nullable(),
    http: { method: 'GET', path: '/users/:user_id/summaries/body', access: readers, tag: 'Data' },
    idempotent: true,
  }),
  recovery: action({
    summary: 'Summaries of recovery: under development, answers 501',
    params: z.object({ ...days, limit: limitUpTo(100) }),
    returns: pageOf(z.object({ date: LocalDate, source: Source })),
    http: { method: 'GET', path: '/users/:user_id/summaries/recovery', access: readers, tag: 'Data' },
    idempotent: true,
  }),
});

export type ActivitySummary = z.infer<typeof ActivitySummary>;
export type SleepSummary = z.infer<typeof SleepSummary>;
export type BodySummary = z.infer<typeof BodySummary>;
