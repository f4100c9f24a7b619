import { z } from 'zod';
import { Extra } from '../provider/extra.ts';
import { CalendarDate } from '../time/time.ts';
import { OtherEventType, SeriesTypeName, SleepStageName, WorkoutTypeName } from '../wire.ts';
import { WorkoutExtras } from '../workouts/details.ts';
import { TrackChunk } from '../workouts/track.ts';
import { DayValuesRecord } from './day-values.ts';
import { ScoreRecord } from './scores.ts';

/**
 * The normalised form of one item of a provider, before it is stored. Times are UTC milliseconds; the local time is the
 * time plus `zone_offset_minutes`, null if the item does not contain it. A missing value is null, never 0.
 */
const Milliseconds = z.int();
const Seconds = z.int().nonnegative();
const Device = z.string().min(1).max(100);
const Offset = z.int().min(-1080).max(1080).nullable();
const Measure = z.number().nullable();
const Count = z.int().nullable();
/** A local day; null if the item has neither the day nor its offset: then the user's time zone decides. */
const LocalDate = CalendarDate.nullable();

/** Samples of one series, as two columns: `at` counts milliseconds from `base_ms`. */
export const SampleBlock = z
  .object({
    type: SeriesTypeName,
    device: Device,
    zone_offset_minutes: Offset,
    base_ms: Milliseconds,
    at: z.array(z.int()),
    values: z.array(z.number()),
  })
  .refine(({ at, values }) => at.length === values.length, 'at and values must be of one length');

/** The most pauses of an activity. */
export const mostPauses = 500;

/** A recorded activity. `moving_seconds` excludes pauses; `parent_id` is the multisport activity that it is part of. */
export const WorkoutRecord = z.object({
  type: WorkoutTypeName,
  raw_type: z.string().max(100),
  name: z.string().max(500),
  /** The name was derived from the type; another item of the same workout may contain the real name. */
  plain_name: z.boolean().optional(),
  start_ms: Milliseconds,
  end_ms: Milliseconds,
  zone_offset_minutes: Offset,
  duration_seconds: Seconds,
  moving_seconds: Count,
  device: Device,
  calories_kcal: Measure,
  distance_meters: Measure,
  avg_heart_rate_bpm: Count,
  max_heart_rate_bpm: Count,
  avg_pace_sec_per_km: Measure,
  elevation_gain_meters: Measure,
  steps: Count,
  manual: z.boolean().nullable(),
  web_upload: z.boolean().nullable(),
  private: z.boolean().nullable(),
  /** A multisport activity as a whole. It is stored but not listed; its parts are listed. */
  is_parent: z.boolean(),
  parent_id: z.string().max(100).nullable(),
  /** When pauses began and how long they were, in milliseconds. Omitted: the item does not say. */
  pauses: z
    .array(z.tuple([Milliseconds, Milliseconds]))
    .max(mostPauses)
    .optional(),
});

/** The validity of a sleep as the provider reports it, as stored codes; the store orders them. */
export const sleepRanks = { unknown: 0, tentative: 1, final: 2 } as const;

/** The most stage intervals of a session. */
export const mostStageSpans = 2000;

/** A time in one stage: seconds after the start of the session, from and to. */
export const StageSpan = z.tuple([SleepStageName, z.int(), z.int()]);

const ShortText = z.string().max(60);

/** A part of the score of a sleep, by the provider's own name: a number, a word for it, or both. */
export const SleepScorePart = z.object({
  name: ShortText,
  value: Measure,
  qualifier: ShortText.nullable(),
});

/** What a provider reports of a sleep beside its times and stages. */
export const SleepDetails = z.object({
  /** The state of the record, by the provider's own name. */
  validation: ShortText.nullable(),
  score_qualifier: ShortText.nullable(),
  score_parts: z.array(SleepScorePart).max(30),
  /** The time between going to bed and falling asleep. */
  latency_seconds: Count,
  extra: Extra,
});

/** A night's main sleep or a nap. `date` is the local day of waking up; durations are seconds. */
export const SleepRecord = z.object({
  start_ms: Milliseconds,
  end_ms: Milliseconds,
  zone_offset_minutes: Offset,
  date: LocalDate,
  device: Device,
  is_nap: z.boolean(),
  rank: z.int().min(0).max(2),
  /** Time asleep: deep + light + rem if there are any, otherwise the session less its time awake. Null if neither is known. */
  asleep_seconds: Count,
  deep_seconds: Count,
  light_seconds: Count,
  rem_seconds: Count,
  awake_seconds: Count,
  unmeasurable_seconds: Count,
  interruptions: Count,
  score: Count,
  /** Sorted by start; null if the provider sent none. */
  stage_intervals: z.array(StageSpan).max(mostStageSpans).nullable(),
  /** Null if the provider reports none of it. */
  details: SleepDetails.nullable(),
});

/** A provider's own totals of one local day. They are never stored as samples. */
export const DayRecord = z.object({
  date: LocalDate,
  start_ms: Milliseconds,
  duration_seconds: Seconds,
  zone_offset_minutes: Offset,
  device: Device,
  steps: Count,
  distance_meters: Measure,
  floors_climbed: Count,
  active_seconds: Count,
  moderate_seconds: Count,
  vigorous_seconds: Count,
  active_calories_kcal: Measure,
  basal_calories_kcal: Measure,
  avg_heart_rate_bpm: Count,
  min_heart_rate_bpm: Count,
  max_heart_rate_bpm: Count,
  pushes: Count,
  consumed_calories_kcal: Measure,
});

/**
 * The part of a time slot that belongs to one activity type. The samples of a slot are computed from its parts: values of
 * types with the bucket function `sum` are added up, others are averaged with `active_seconds` as the weight. Parts whose
 * active times exceed the length of the slot are versions of each other.
 */
export const EpochRecord = z.object({
  start_ms: Milliseconds,
  /** The length of the slot. */
  slot_seconds: Count,
  zone_offset_minutes: Offset,
  device: Device,
  activity_type: z.string().max(100),
  active_seconds: Count,
  /** The sedentary time of the part; null if the item contains no intensity. */
  sedentary_seconds: Count,
  values: z.partialRecord(SeriesTypeName, z.number()),
});

/** An event that is neither a workout nor a sleep; `date` is its local day. `domain/provider/event-data.ts` has the forms of normalised `data`. */
export const OtherRecord = z.object({
  type: OtherEventType,
  start_ms: Milliseconds,
  end_ms: Milliseconds,
  zone_offset_minutes: Offset,
  date: LocalDate,
  device: Device,
  data: z.record(z.string(), z.unknown()),
});

/**
 * The rule that decides between a new version of an item and the stored one. `longest` keeps the longer one (a record that
 * grows through the day), `latest` the one delivered later (an activity, a night that the provider computed again); `sleep` decides by
 * overlap, validity, length and time of delivery; `moved` replaces only what was moved in before: the version of the provider counts.
 */
export const Supersede = z.enum(['longest', 'latest', 'sleep', 'moved']);

/** The beginning of the hash of an item that was moved in from another service. */
export const movedHash = 'moved ';

const areOfDistinctKinds = (scores: readonly ScoreRecord[]) =>
  new Set(scores.map(({ kind }) => kind)).size === scores.length;

/**
 * A normalised item of a provider. It is stored as a whole or not at all. `key` identifies it within its data type (it is
 * never the provider's summary id, which changes as the record grows); `hash` identifies its content.
 */
export const StoreItem = z.object({
  data_type: z.string().max(40),
  key: z.string().max(200),
  hash: z.string().max(64),
  supersede: Supersede,
  duration_seconds: Seconds,
  /** Another part of the same item follows in another call. Only the last part marks the item as stored. */
  more: z.boolean().default(false),
  /** Part 0 contains the records. A later part is stale if a newer version of the item was stored meanwhile. */
  part: z.int().min(0).default(0),
  workout: WorkoutRecord.nullable().default(null),
  sleeps: z.array(SleepRecord).max(50).default([]),
  day: DayRecord.nullable().default(null),
  /** Values of a day that `day` and the samples do not have. */
  day_values: DayValuesRecord.nullable().default(null),
  epoch: EpochRecord.nullable().default(null),
  other: OtherRecord.nullable().default(null),
  /** At most one of each kind. */
  scores: z
    .array(ScoreRecord)
    .max(10)
    .refine(areOfDistinctKinds, 'must have at most one score of each kind')
    .default([]),
  samples: z.array(SampleBlock).default([]),
  /** The item contains no samples, and those of the stored version are kept, with its track. */
  samples_kept: z.boolean().default(false),
  extras: WorkoutExtras.nullable().default(null),
  /** The track of the workout, in order, over all parts of the item. */
  track: z.array(TrackChunk).max(50).default([]),
  /** The version of the user's route privacy that the track was cut by. Another version stores no positions. */
  route_version: z.int().nullable().default(null),
  /** All times without an offset are those of the user's clock. The store turns them into UTC. */
  is_local: z.boolean().default(false),
  /** Parts without an offset have the clock, and the day, of the item of this data type with the same key. */
  clock_of: z.string().max(40).nullable().default(null),
  /** The id of the record in the service that it is moved from. A new record has it, unless another record has it already. */
  record_id: z.uuid().nullable().default(null),
});

/**
 * The outcome of storing an item. `saved`: new; `replaced`: replaced an older version and kept its ids; `duplicate`: was
 * already stored; `stale`: older than the stored version, nothing was changed.
 */
export const StoreOutcome = z.object({
  status: z.enum(['saved', 'replaced', 'duplicate', 'stale']),
  record_ids: z.array(z.string()),
  samples_written: z.int(),
});

export type SampleBlock = z.infer<typeof SampleBlock>;
export type WorkoutRecord = z.infer<typeof WorkoutRecord>;
export type SleepRecord = z.infer<typeof SleepRecord>;
export type SleepDetails = z.infer<typeof SleepDetails>;
export type SleepScorePart = z.infer<typeof SleepScorePart>;
export type StageSpan = z.infer<typeof StageSpan>;
export type DayRecord = z.infer<typeof DayRecord>;
export type EpochRecord = z.infer<typeof EpochRecord>;
export type OtherRecord = z.infer<typeof OtherRecord>;
export type Supersede = z.infer<typeof Supersede>;
export type StoreItem = z.infer<typeof StoreItem>;
export type StoreOutcome = z.infer<typeof StoreOutcome>;

/** Defaults for the parts of a store item that its data does not have. */
export const bareItem: Pick<
  StoreItem,
  | 'more'
  | 'part'
  | 'workout'
  | 'sleeps'
  | 'day'
  | 'day_values'
  | 'epoch'
  | 'other'
  | 'scores'
  | 'samples'
  | 'samples_kept'
  | 'extras'
  | 'track'
  | 'route_version'
  | 'is_local'
  | 'clock_of'
  | 'record_id'
> = {
  more: false,
  part: 0,
  workout: null,
  sleeps: [],
  day: null,
  day_values: null,
  epoch: null,
  other: null,
  scores: [],
  samples: [],
  samples_kept: false,
  extras: null,
  track: [],
  route_version: null,
  is_local: false,
  clock_of: null,
  record_id: null,
};
