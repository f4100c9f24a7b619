import { z } from 'zod';
import { action } from '../../domain/contract.ts';
import { CalendarDate } from '../../domain/time/time.ts';
import { SeriesTypeName, UserId } from '../../domain/wire.ts';

const Measure = z.number().nullable();
const Origin = { date: z.string(), provider: z.string(), device: z.string() };

/** The mean of a series over a local day, or over the sleep of a night. */
const MeanOfDay = z.object({ ...Origin, type: SeriesTypeName, n: z.number(), mean: z.number() });

/** A sleep session. Its time asleep is null where it is not known. `awake`: seconds after its start, from and to; null if its source sent no stages. */
const SessionFacts = z.object({
  ...Origin,
  start_ms: z.number(),
  end_ms: z.number(),
  zone_offset_minutes: z.int(),
  is_nap: z.boolean(),
  asleep_seconds: Measure,
  deep_seconds: Measure,
  rem_seconds: Measure,
  awake: z.array(z.tuple([z.number(), z.number()])).nullable(),
});

/** A listed workout. `heart`: how many seconds each heart rate held, in whole beats per minute. */
const WorkoutFacts = z.object({
  ...Origin,
  type: z.string(),
  duration_seconds: z.number(),
  distance_meters: Measure,
  elevation_gain_meters: Measure,
  heart: z.array(z.tuple([z.number(), z.number()])),
});

/** The minutes of a day with known steps, and the highest of them. */
const StepMinutes = z.object({ ...Origin, minutes: z.int(), top: z.array(z.number()) });

/** What insights of local days are computed from, by source. */
export const StoredDayFacts = z.object({
  sessions: z.array(SessionFacts),
  night_means: z.array(MeanOfDay),
  day_means: z.array(MeanOfDay),
  workouts: z.array(WorkoutFacts),
  step_minutes: z.array(StepMinutes),
});

const ofUser = { user_id: UserId };

/** What the service `insights` reads of users. */
export const insightFactActions = {
  /** The range has at most 100 days. */
  dayFacts: action({
    summary: 'Read what insights of local days are computed from, by source',
    params: z.object({ ...ofUser, first_date: CalendarDate, last_date: CalendarDate }),
    returns: StoredDayFacts,
    idempotent: true,
    timeoutMs: 15_000,
  }),
  daySpan: action({
    summary: 'Get the first and the last local day of a range with data of a user',
    params: z.object({ ...ofUser, first_date: CalendarDate, last_date: CalendarDate }),
    returns: z.object({ first_date: z.string().nullable(), last_date: z.string().nullable() }),
    idempotent: true,
  }),
  /** Of the provider and device with the most values. `values`: mg/dL and the minute of the local day. */
  glucoseValues: action({
    summary: 'Read the glucose values of local days',
    params: z.object({ ...ofUser, first_date: CalendarDate, last_date: CalendarDate }),
    returns: z.object({
      source: z.object({ provider: z.string(), device: z.string() }).nullable(),
      every_minutes: z.number().nullable(),
      values: z.array(z.tuple([z.number(), z.int()])),
    }),
    idempotent: true,
  }),
};

export type StoredDayFacts = z.infer<typeof StoredDayFacts>;
