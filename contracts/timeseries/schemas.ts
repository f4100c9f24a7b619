import { z } from 'zod';
import {
  OtherEventType,
  repeated,
  SeriesTypeName,
  SleepStages,
  Source,
  Timestamp,
  WorkoutTypeName,
} from '../../domain/wire.ts';

/** The id of an event in a path. */
export const RecordId = z
  .uuid('must be a UUID')
  .transform((id) => id.toLowerCase())
  .describe('The `id` of an event, from the lists of events.');

/** The resolutions: `raw`, or the length of a bucket. */
export const Resolution = z.enum(['raw', '1min', '5min', '15min', '1hour']).meta({
  id: 'Resolution',
  description: '`raw`: every sample. Other values: the length of a bucket. Each source has its own buckets.',
});

/** The series types to return. */
export const TypesParameter = repeated(SeriesTypeName, 100)
  .optional()
  .describe(
    'Series types. Default: all types that have samples. Several types: `types=a&types=b`, `types[]=a&types[]=b` or `types=a,b`.',
  );

/** One sample, or one bucket of one source. The timestamp of a bucket is its start. */
export const Sample = z
  .object({
    timestamp: Timestamp,
    type: SeriesTypeName,
    value: z.number(),
    unit: z.string(),
    source: Source,
  })
  .meta({
    id: 'Sample',
    description: 'One sample, or one bucket of one source. The timestamp of a bucket is its start.',
  });

/** A recorded activity; a field is null if no provider sent a value. */
export const Workout = z
  .object({
    id: z.string(),
    type: WorkoutTypeName,
    name: z.string(),
    start_time: Timestamp,
    end_time: Timestamp,
    duration_seconds: z.int(),
    source: Source,
    calories_kcal: z.number().nullable(),
    distance_meters: z.number().nullable(),
    avg_heart_rate_bpm: z.int().nullable(),
    max_heart_rate_bpm: z.int().nullable(),
    avg_pace_sec_per_km: z.number().nullable(),
    elevation_gain_meters: z.number().nullable(),
  })
  .meta({ id: 'Workout', description: 'A recorded activity. A field is null if no provider sent a value.' });

/** A workout with `private`: whether the user keeps it private at the provider; null if the provider sent no value. */
export const SingleWorkout = Workout.extend({ private: z.boolean().nullable() }).meta({
  id: 'SingleWorkout',
  description:
    'A workout with `private`: whether the user keeps it private at the provider. Null if the provider sent no value.',
});

/** A night's sleep or a nap. `duration_seconds` is the time asleep. */
export const SleepSession = z
  .object({
    id: z.string(),
    start_time: Timestamp,
    end_time: Timestamp,
    source: Source,
    duration_seconds: z.int(),
    efficiency_percent: z.number().nullable(),
    stages: SleepStages,
    is_nap: z.boolean(),
  })
  .meta({
    id: 'SleepSession',
    description: "A night's sleep or a nap. `duration_seconds` is the time asleep.",
  });

/** Movement that a device detected by itself, or a day of the menstrual cycle. `data` is unchanged from the provider. */
export const OtherEvent = z
  .object({
    id: z.string(),
    type: OtherEventType,
    start_time: Timestamp,
    end_time: Timestamp,
    source: Source,
    data: z.record(z.string(), z.unknown()),
  })
  .meta({
    id: 'OtherEvent',
    description:
      'Movement that a device detected by itself, or a day of the menstrual cycle. `data` has the form that the provider sent.',
  });
export type Sample = z.infer<typeof Sample>;
export type Workout = z.infer<typeof Workout>;
export type SleepSession = z.infer<typeof SleepSession>;
export type OtherEvent = z.infer<typeof OtherEvent>;
export type Resolution = z.infer<typeof Resolution>;
