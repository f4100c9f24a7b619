import { z } from 'zod';
import { seriesTypes } from '../../domain/records/series.ts';
import {
  ExtraFields,
  OtherEventType,
  recordingMethod,
  repeated,
  SeriesTypeName,
  SleepStageName,
  SleepStages,
  Source,
  Timestamp,
  WorkoutTypeName,
  ZoneOffset,
} from '../../domain/wire.ts';
import { LapRecord, WorkoutDetails, WorkoutSplit } from '../../domain/workouts/details.ts';

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

/** The most series types that a request names: each type of the catalogue once. */
export const mostTypes = Math.max(100, seriesTypes.length);

/** The series types to return. */
export const TypesParameter = repeated(SeriesTypeName, mostTypes)
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
    ...recordingMethod,
    zone_offset: z
      .string()
      .nullable()
      .optional()
      .describe(
        'With `include=zone` only: the offset of the local clock by which the local day of the sample is determined. It is the one that the provider sent, otherwise that of its records around the sample, of the `time_zone` of the user, or the nearest known one. Null for buckets, and if none is known.',
      ),
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
    zone_offset: ZoneOffset,
  })
  .meta({ id: 'Workout', description: 'A recorded activity. A field is null if no provider sent a value.' });

/** A lap of a workout. */
const WorkoutLap = LapRecord.omit({ start_ms: true, end_ms: true })
  .extend({ start_time: Timestamp, end_time: Timestamp.nullable() })
  .meta({
    id: 'WorkoutLap',
    description: 'A lap of a workout. A field is null if no provider sent a value.',
  });

/** A part of a multisport activity, which is a workout of its own. */
const WorkoutSegment = Workout.pick({
  id: true,
  type: true,
  name: true,
  start_time: true,
  end_time: true,
  duration_seconds: true,
  distance_meters: true,
}).meta({
  id: 'WorkoutSegment',
  description: 'A part of a multisport activity, which is a workout of its own.',
});

/** A workout with all that its provider sent, except its streams. */
export const SingleWorkout = Workout.extend({
  private: z.boolean().nullable().describe('Whether the user keeps it private at the provider.'),
  details: WorkoutDetails,
  laps: z.array(WorkoutLap).nullable().describe('In order. Null if the provider sent none.'),
  splits: z.array(WorkoutSplit).nullable().describe('In order. Null if the provider sent none.'),
  segments: z
    .array(WorkoutSegment)
    .nullable()
    .describe(
      'All parts of the multisport activity that the workout is, or belongs to. Null for other workouts.',
    ),
  extra: ExtraFields,
}).meta({
  id: 'SingleWorkout',
  description:
    'A workout with its details, laps, splits, the parts of its multisport activity, and further fields. A field is null if the provider sent no value.',
});
/** A night's sleep or a nap. `duration_seconds` is the time asleep, null if it is not known. */
export const SleepSession = z
  .object({
    id: z.string(),
    start_time: Timestamp,
    end_time: Timestamp,
    source: Source,
    duration_seconds: z.int().nullable(),
    efficiency_percent: z.number().nullable(),
    stages: SleepStages,
    is_nap: z.boolean(),
    zone_offset: ZoneOffset,
  })
  .meta({
    id: 'SleepSession',
    description: "A night's sleep or a nap. `duration_seconds` is the time asleep, null if it is not known.",
  });

/** A time that was spent in one stage. */
export const StageInterval = z
  .object({ stage: SleepStageName, start_time: Timestamp, end_time: Timestamp })
  .meta({ id: 'StageInterval', description: 'A time that was spent in one stage of sleep.' });

/** The score of a sleep with its parts. */
export const SleepScore = z
  .object({
    value: z.int().nullable().describe('0 to 100.'),
    qualifier: z.string().nullable().describe("The provider's word for it."),
    components: z
      .array(
        z
          .object({ name: z.string(), value: z.number().nullable(), qualifier: z.string().nullable() })
          .meta({ id: 'SleepScoreComponent' }),
      )
      .describe("The parts of the score, by the provider's own names."),
  })
  .meta({
    id: 'SleepScore',
    description:
      'The score of a sleep as its provider sent it. A value or a qualifier is null if it sent none.',
  });

const sleepDetails = {
  unmeasurable_seconds: z
    .int()
    .nullable()
    .describe('The time in which the device could not measure. Null if the provider sends no such time.'),
  latency_seconds: z.int().nullable().describe('The time before falling asleep.'),
  interruptions_count: z.int().nullable(),
  validation: z
    .string()
    .nullable()
    .describe("The state of the record by the provider's own name, such as `ENHANCED_FINAL`."),
  score: SleepScore.nullable(),
  stages_timeline: z
    .array(StageInterval)
    .nullable()
    .describe('Sorted by start, unchanged from the provider: they may have gaps. Null if it sent none.'),
  extra: ExtraFields,
};

/** A sleep session with its score, validation and stages as intervals; a field is null if it was not measured. */
export const SingleSleepSession = SleepSession.extend(sleepDetails).meta({
  id: 'SingleSleepSession',
  description:
    'A sleep session with its score, validation and stages as intervals. A field is null if it was not measured.',
});

/** A session of a list. */
export const ListedSleepSession = SleepSession.extend(z.object(sleepDetails).partial().shape).meta({
  id: 'ListedSleepSession',
  description:
    'A sleep session of a list. Only with `include=timeline` it has the fields of a single session, from `unmeasurable_seconds` on.',
});

/** What a list of samples adds to its items. */
export const SampleInclude = z.enum(['zone']).meta({ id: 'SampleInclude' });

/** What a list of sleep sessions adds to its items. */
export const SleepInclude = z.enum(['timeline']).meta({ id: 'SleepInclude' });

/** An event that is neither a workout nor a sleep. `data` of `moveiq` and `mct` is unchanged from the provider. */
export const OtherEvent = z
  .object({
    id: z.string(),
    type: OtherEventType,
    start_time: Timestamp,
    end_time: Timestamp,
    source: Source,
    data: z.record(z.string(), z.unknown()),
    zone_offset: ZoneOffset,
  })
  .meta({
    id: 'OtherEvent',
    description:
      'An event that is neither a workout nor a sleep. `data` of `moveiq` and `mct` has the form that the provider sent; that of the other types has normalised fields.',
  });
export type Sample = z.infer<typeof Sample>;
export type Workout = z.infer<typeof Workout>;
export type SingleSleepSession = z.infer<typeof SingleSleepSession>;
export type ListedSleepSession = z.infer<typeof ListedSleepSession>;
export type SleepScore = z.infer<typeof SleepScore>;
export type SingleWorkout = z.infer<typeof SingleWorkout>;
export type SleepSession = z.infer<typeof SleepSession>;
export type OtherEvent = z.infer<typeof OtherEvent>;
export type Resolution = z.infer<typeof Resolution>;
