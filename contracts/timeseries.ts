import { z } from 'zod';
import { action, contract } from '../domain/contract.ts';
import { ActivityDays, BodyFacts, Nights } from '../domain/facts.ts';
import { CursorParameter, limitUpTo, pageOf } from '../domain/page.ts';
import { StoreItem, StoreOutcome } from '../domain/records.ts';
import { CalendarDate, RangeEnd, RangeStart } from '../domain/time.ts';
import {
  OtherEventType,
  repeated,
  SeriesTypeName,
  SleepStages,
  SortOrder,
  Source,
  Timestamp,
  UserId,
  WorkoutTypeName,
} from '../domain/wire.ts';
import { ProviderName } from '../providers/all.ts';

const readers = ['api-key', 'developer', 'sdk'] as const;
const RecordId = z
  .uuid('must be a UUID')
  .transform((id) => id.toLowerCase())
  .describe('The `id` of an event, from the lists of events.');

/** What `resolution` may be; all but raw are bucket sizes. */
export const Resolution = z.enum(['raw', '1min', '5min', '15min', '1hour']).meta({
  id: 'Resolution',
  description: '`raw`: every sample. Other values: the length of a bucket. Each source has its own buckets.',
});

/** Which series are asked for. */
export const TypesParameter = repeated(SeriesTypeName, 100)
  .optional()
  .describe(
    'Series types. Default: all types that have samples. Several types: `types=a&types=b`, `types[]=a&types[]=b` or `types=a,b`.',
  );

/** One sample, or one bucket of one source with the bucket's start as its timestamp. */
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

/** A recorded activity; null where no provider sent a value. */
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

/** A workout by itself: whether its owner keeps it private at the provider, null where nobody said. */
export const SingleWorkout = Workout.extend({ private: z.boolean().nullable() }).meta({
  id: 'SingleWorkout',
  description:
    'A workout with `private`: whether the user keeps it private at the provider. Null if the provider sent no value.',
});

/** A night's sleep or a nap; `duration_seconds` is time asleep. */
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

/** Movement that a device found by itself, or where somebody stands in their cycle; `data` as the provider sent it. */
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

const eventRange = {
  user_id: UserId,
  start_date: RangeStart,
  end_date: RangeEnd,
  cursor: CursorParameter,
  limit: limitUpTo(100),
};

/** Local days from first to last, both included; a page begins behind `after` in the order of reading. */
const dayRange = {
  user_id: UserId,
  first_date: CalendarDate,
  last_date: CalendarDate,
  after: CalendarDate.nullable(),
  order: SortOrder,
};

/** Samples of [start, end), raw or in buckets. */
const sampleRange = {
  user_id: UserId,
  start_ms: z.int(),
  end_ms: z.int(),
  resolution: Resolution,
};

/** A workout by the key that its provider gave it. */
const oneWorkout = { user_id: UserId, provider: ProviderName, key: z.string().min(1).max(200) };

/** Which record was changed, null where there is none, and how many samples left their series with it. */
const WorkoutChange = z.object({ record_id: z.string().nullable(), samples_removed: z.int() });

/** All stored health data. */
export const timeseries = contract('timeseries', {
  samples: action({
    summary: 'Read samples, raw or in buckets',
    description:
      'Samples are sorted oldest first. Buckets are aligned to the UTC epoch, and the timestamp of a bucket is its start. The range is widened to whole buckets. Each source has its own buckets.',
    params: z.object({
      user_id: UserId,
      start_time: RangeStart,
      end_time: RangeEnd,
      types: TypesParameter,
      resolution: Resolution.default('raw'),
      cursor: CursorParameter,
      limit: limitUpTo(100),
    }),
    returns: pageOf(Sample).meta({ id: 'TimeseriesPage' }),
    http: { method: 'GET', path: '/users/:user_id/timeseries', access: readers, tag: 'Data' },
    idempotent: true,
  }),
  workouts: action({
    summary: 'List workouts, newest first',
    params: z.object({
      ...eventRange,
      record_type: WorkoutTypeName.optional().describe('Only workouts of this type.'),
    }),
    returns: pageOf(Workout).meta({ id: 'WorkoutPage' }),
    http: { method: 'GET', path: '/users/:user_id/events/workouts', access: readers, tag: 'Data' },
    idempotent: true,
  }),
  workout: action({
    summary: 'Get one workout',
    params: z.object({ user_id: UserId, event_id: RecordId }),
    returns: SingleWorkout,
    http: { method: 'GET', path: '/users/:user_id/events/workouts/:event_id', access: readers, tag: 'Data' },
    idempotent: true,
  }),
  sleeps: action({
    summary: 'List sleep sessions and naps, newest first',
    params: z.object(eventRange),
    returns: pageOf(SleepSession).meta({ id: 'SleepSessionPage' }),
    http: { method: 'GET', path: '/users/:user_id/events/sleep', access: readers, tag: 'Data' },
    idempotent: true,
  }),
  sleep: action({
    summary: 'Get one sleep session',
    params: z.object({ user_id: UserId, event_id: RecordId }),
    returns: SleepSession,
    http: { method: 'GET', path: '/users/:user_id/events/sleep/:event_id', access: readers, tag: 'Data' },
    idempotent: true,
  }),
  activityDays: action({
    summary: 'Read what is stored of the activity of local days, by provider',
    params: z.object({ ...dayRange, limit: z.int().min(1).max(401), parts: z.boolean().default(false) }),
    returns: ActivityDays,
    idempotent: true,
  }),
  nights: action({
    summary: 'Read what is stored of the sleep of local days, by provider',
    params: z.object({ ...dayRange, limit: z.int().min(1).max(101) }),
    returns: Nights,
    idempotent: true,
  }),
  bodyFacts: action({
    summary: 'Read what is known of a body at an instant, by provider',
    params: z.object({
      user_id: UserId,
      now_ms: z.int(),
      period_days: z.int().min(1).max(7),
      window_hours: z.int().min(1).max(24),
    }),
    returns: BodyFacts,
    idempotent: true,
  }),
  others: action({
    summary: 'List events that are neither workouts nor sleep, newest first',
    description:
      'Movement that a device detected by itself (`moveiq`) and the menstrual cycle (`mct`, one event per day). Neither is part of any total.',
    params: z.object({
      ...eventRange,
      type: OtherEventType.optional().describe('Only events of this type.'),
    }),
    returns: pageOf(OtherEvent).meta({ id: 'OtherEventPage' }),
    http: { method: 'GET', path: '/users/:user_id/events/other', access: readers, tag: 'Data' },
    idempotent: true,
  }),
  other: action({
    summary: 'Get one event that is neither a workout nor a sleep',
    params: z.object({ user_id: UserId, event_id: RecordId }),
    returns: OtherEvent,
    http: { method: 'GET', path: '/users/:user_id/events/other/:event_id', access: readers, tag: 'Data' },
    idempotent: true,
  }),
  /**
   * Stores normalised items of one user and provider in one transaction under the user's lock; outcomes in the
   * order of the items. At most 256 KB of JSON a call. @throws USER_ERASED (410) when the user was deleted.
   */
  store: action({
    summary: 'Store normalised items of one user',
    params: z.object({
      user_id: UserId,
      provider: ProviderName,
      items: z.array(StoreItem).min(1).max(1000),
    }),
    returns: z.array(StoreOutcome),
    idempotent: true,
    timeoutMs: 10_000,
  }),
  /** The next stored records of a kind, oldest first; `next` is null on the last page. */
  exportRecords: action({
    summary: 'Read stored records for an export',
    params: z.object({
      user_id: UserId,
      kind: z.enum(['workout', 'sleep', 'day', 'other']),
      after: z.object({ start_time: z.string(), id: z.uuid() }).nullable(),
      limit: z.int().min(1).max(500),
    }),
    returns: z.object({
      records: z.array(z.record(z.string(), z.unknown())),
      next: z.object({ start_time: z.string(), id: z.string() }).nullable(),
    }),
    idempotent: true,
    timeoutMs: 10_000,
  }),
  exportSeries: action({
    summary: 'List the series of a user for an export',
    params: z.object({ user_id: UserId }),
    returns: z.array(z.object({ series_id: z.int(), type: z.string(), unit: z.string(), source: Source })),
    idempotent: true,
  }),
  /** The next samples of one series behind `after`, as columns; times in microseconds since 1970. */
  exportSamples: action({
    summary: 'Read samples of a series for an export',
    params: z.object({
      user_id: UserId,
      series_id: z.int(),
      after: z.number(),
      limit: z.int().min(1).max(5000),
    }),
    returns: z.object({
      at: z.array(z.number()),
      values: z.array(z.number()),
      zone_offset_minutes: z.array(z.int()),
    }),
    idempotent: true,
    timeoutMs: 10_000,
  }),
  /** Those that have samples, or buckets, in [start, end); buckets widen the range to whole ones. */
  seriesInRange: action({
    summary: 'List the series that have samples in a range, for a download',
    params: z.object({ ...sampleRange, types: z.array(SeriesTypeName).max(100).nullable() }),
    returns: z.array(
      z.object({ series_id: z.int(), type: SeriesTypeName, unit: z.string(), source: Source }),
    ),
    idempotent: true,
    timeoutMs: 10_000,
  }),
  /**
   * The next samples or buckets of one series behind `after`, as columns; times in microseconds since 1970. There may
   * be fewer than `limit`; `next` is the `after` of the next call, and null where there are no more.
   */
  readSeries: action({
    summary: 'Read samples of a series in a range, for a download',
    params: z.object({
      ...sampleRange,
      series_id: z.int(),
      after: z.number().nullable(),
      limit: z.int().min(1).max(5000),
    }),
    returns: z.object({
      at: z.array(z.number()),
      values: z.array(z.number()),
      next: z.number().nullable(),
    }),
    idempotent: true,
    timeoutMs: 10_000,
  }),
  /**
   * Takes a provider's data of a user away, and refuses more of it until `reopen`. `version` names the request: one
   * that is not newer than the last does nothing, so that a late repetition harms no data that came since.
   */
  purge: action({
    summary: 'Erase the data of a user that came from one provider',
    params: z.object({ user_id: UserId, provider: ProviderName, version: z.int() }),
    returns: z.object({ purging: z.boolean() }),
    idempotent: true,
    timeoutMs: 10_000,
    on: ['connectionPurged'],
  }),
  /** The user connects anew: what comes from now on is stored again. */
  reopen: action({
    summary: 'Take data of a provider again after a purge',
    params: z.object({ user_id: UserId, provider: ProviderName, version: z.int() }),
    returns: z.object({ open: z.literal(true) }),
    idempotent: true,
    timeoutMs: 10_000,
  }),
  /**
   * The samples that came only from it are removed. By EVENT_DELETE the row is kept without its health data, or
   * removed. It leaves all lists, and its duplicate of another provider is listed again.
   */
  deleteWorkout: action({
    summary: 'Delete a workout that its provider deleted',
    params: z.object(oneWorkout),
    returns: WorkoutChange,
    idempotent: true,
    timeoutMs: 10_000,
  }),
  /** It and its samples leave all lists, series and days, and are kept: a read at the provider decides. */
  hideWorkout: action({
    summary: 'Hide a workout whose deletion is not confirmed',
    params: z.object(oneWorkout),
    returns: WorkoutChange,
    idempotent: true,
    timeoutMs: 10_000,
  }),
  restoreWorkout: action({
    summary: 'Show a workout again that was hidden',
    params: z.object(oneWorkout),
    returns: WorkoutChange,
    idempotent: true,
    timeoutMs: 10_000,
  }),
  /** Sets the tombstone under the user's lock before it answers, then erases everything behind it. */
  erase: action({
    summary: 'Erase all data of a user who is deleted',
    params: z.object({ user_id: UserId }),
    returns: z.object({ erasing: z.literal(true) }),
    idempotent: true,
    timeoutMs: 10_000,
    on: ['userErased'],
  }),
});

export type Sample = z.infer<typeof Sample>;
export type Workout = z.infer<typeof Workout>;
export type SleepSession = z.infer<typeof SleepSession>;
export type OtherEvent = z.infer<typeof OtherEvent>;
export type Resolution = z.infer<typeof Resolution>;
