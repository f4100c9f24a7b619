import { z } from 'zod';
import { CalendarDate } from './time.ts';
import { OtherEventType, SeriesTypeName, WorkoutTypeName } from './wire.ts';

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

/** A recorded activity. `moving_seconds` leaves pauses out; `parent_id` names the multisport set that it is part of. */
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
  /** A multisport set as a whole: kept, but its children are listed. */
  is_parent: z.boolean(),
  parent_id: z.string().max(100).nullable(),
});

/** What a provider says of a sleep's validity, as stored codes; `services/timeseries/versions.ts` has their order. */
export const sleepRanks = { unknown: 0, tentative: 1, final: 2 } as const;

/** A night's main sleep or a nap. `date` is the local day of waking up; durations are seconds. */
export const SleepRecord = z.object({
  start_ms: Milliseconds,
  end_ms: Milliseconds,
  zone_offset_minutes: Offset,
  date: LocalDate,
  device: Device,
  is_nap: z.boolean(),
  rank: z.int().min(0).max(2),
  /** Time asleep: deep + light + rem where there are any, else the session less its awake time. */
  asleep_seconds: Seconds,
  deep_seconds: Count,
  light_seconds: Count,
  rem_seconds: Count,
  awake_seconds: Count,
  unmeasurable_seconds: Count,
  interruptions: Count,
  score: Count,
});

/** A provider's own totals of one local day; they never enter the samples. */
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
 * A part of a slot of time, one an activity type. The slot's samples are made of its parts: values of a type whose
 * buckets are sums are added up, others averaged with `active_seconds` as their weight. Parts that are together active
 * for longer than the slot are versions of each other.
 */
export const EpochRecord = z.object({
  start_ms: Milliseconds,
  /** The length of the slot; a process of the version before does not send it. */
  slot_seconds: Count.default(null),
  zone_offset_minutes: Offset,
  device: Device,
  activity_type: z.string().max(100),
  active_seconds: Count,
  /** Of the part's time; null if the item contains no intensity. */
  sedentary_seconds: Count,
  values: z.partialRecord(SeriesTypeName, z.number()),
});

/** An event that is neither a workout nor a sleep, kept as it was sent; `date` is its local day. */
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
 * How a later version of an item stands to the stored one: `longest` keeps the one of longer duration (a record
 * that grows through the day), `latest` takes the later delivery (an activity), `sleep` decides by overlap,
 * validity, length, then delivery.
 */
export const Supersede = z.enum(['longest', 'latest', 'sleep']);

/**
 * One item of a provider, normalised: the unit that is stored whole or not at all. `key` identifies it among its
 * data type (never a provider's summary id, which changes as the record grows), `hash` its content.
 */
export const StoreItem = z.object({
  data_type: z.string().max(40),
  key: z.string().max(200),
  hash: z.string().max(64),
  supersede: Supersede,
  duration_seconds: Seconds,
  /** A later part of the same item follows in another call: only the last part marks the item as stored. */
  more: z.boolean().default(false),
  /** 0 is the first part and carries the records; a later one whose version was overtaken meanwhile is stale. */
  part: z.int().min(0).default(0),
  workout: WorkoutRecord.nullable().default(null),
  sleeps: z.array(SleepRecord).max(50).default([]),
  day: DayRecord.nullable().default(null),
  epoch: EpochRecord.nullable().default(null),
  other: OtherRecord.nullable().default(null),
  samples: z.array(SampleBlock).default([]),
  /** The item brings no samples because those of the stored version still hold: they stay. */
  samples_kept: z.boolean().default(false),
});

/**
 * The outcome of storing an item: `saved` is new, `replaced` replaced an older version under the same ids,
 * `duplicate` was stored already, `stale` is older than what is stored and changed nothing.
 */
export const StoreOutcome = z.object({
  status: z.enum(['saved', 'replaced', 'duplicate', 'stale']),
  record_ids: z.array(z.string()),
  samples_written: z.int(),
});

export type SampleBlock = z.infer<typeof SampleBlock>;
export type WorkoutRecord = z.infer<typeof WorkoutRecord>;
export type SleepRecord = z.infer<typeof SleepRecord>;
export type DayRecord = z.infer<typeof DayRecord>;
export type EpochRecord = z.infer<typeof EpochRecord>;
export type OtherRecord = z.infer<typeof OtherRecord>;
export type Supersede = z.infer<typeof Supersede>;
export type StoreItem = z.infer<typeof StoreItem>;
export type StoreOutcome = z.infer<typeof StoreOutcome>;
