import { z } from 'zod';
import { action } from '../../domain/contract.ts';
import { StoreItem, StoreOutcome } from '../../domain/records/records.ts';
import { seriesTypes } from '../../domain/records/series.ts';
import { SeriesTypeName, UserId } from '../../domain/wire.ts';
import { ProviderName } from '../../providers/all.ts';

/** The version of the normaliser that made the items. Processes of the previous version do not send it. */
const NormaliserVersion = z.int().min(1).max(32_767).nullable().default(null);
/** When the delivery of the items arrived. Null: they came in no delivery, so none can be processed again. */
const ReceivedMs = z.int().nullable().default(null);

/** An item by the names that its provider and its kind of data give it. */
const ItemName = z.object({ data_type: z.string().max(40), key: z.string().max(200) });
/** The span of a stored item of a user. */
const StoredSpan = z.object({ user_id: UserId, ...ItemName.shape, start_ms: z.number(), end_ms: z.number() });
export type StoredSpan = z.infer<typeof StoredSpan>;

/** Longer than a statement may take: on a slow machine the work of a store waits for its turn, and must not be done twice. */
const localTimeoutMs = 60_000;

/** Storing and erasing health data. */
export const writeActions = {
  /**
   * Stores normalised items of one user and provider in one transaction under the user's lock. Outcomes are returned in
   * the order of the items. With `reprocess` the items come from a kept delivery that is processed again: what the stored
   * version of an item made is replaced, and an older version changes nothing. A call takes at most 256 KB of JSON. @throws USER_ERASED (410) if the user was deleted
   */
  store: action({
    summary: 'Store normalised items of one user',
    params: z.object({
      user_id: UserId,
      provider: ProviderName,
      items: z.array(StoreItem).min(1).max(1000),
      normaliser_version: NormaliserVersion,
      received_ms: ReceivedMs,
      reprocess: z.boolean().default(false),
    }),
    returns: z.array(StoreOutcome),
    idempotent: true,
    timeoutMs: 10_000,
    localTimeoutMs,
  }),
  /**
   * As `store`, for a span that was read again: what it contained before and the items do not contain is deleted, in the same
   * transaction: samples of the series (only of `devices`, if given), samples of the types `together` at the same instants and devices, and records that
   * start in [start_ms, end_ms).
   */
  replace: action({
    summary: 'Replace the data of one user in a span that was read again',
    params: z.object({
      user_id: UserId,
      provider: ProviderName,
      items: z.array(StoreItem).max(10_000),
      normaliser_version: NormaliserVersion,
      replaces: z.object({
        data_type: z.string().max(40),
        series: z.array(SeriesTypeName).max(seriesTypes.length),
        devices: z.array(z.string().max(100)).max(20).nullable().default(null),
        together: z.array(SeriesTypeName).max(20).default([]),
        records: z.array(z.enum(['workouts', 'sleeps', 'days', 'others', 'scores'])).max(5),
        start_ms: z.int(),
        end_ms: z.int(),
        /** The span is of the clock of each sample. */
        is_local: z.boolean().default(false),
      }),
    }),
    returns: z.array(StoreOutcome),
    idempotent: true,
    timeoutMs: 10_000,
    localTimeoutMs,
  }),
  /**
   * Erases a provider's data of a user and refuses new data from it until `reopen`. `version` identifies the request. A
   * version that is not newer than the last one has no effect, so that a late retry does not erase newer data.
   */
  purge: action({
    summary: 'Erase the data of a user that came from one provider',
    params: z.object({ user_id: UserId, provider: ProviderName, version: z.int() }),
    returns: z.object({ purging: z.boolean() }),
    idempotent: true,
    timeoutMs: 10_000,
    on: ['connectionPurged'],
  }),
  /** Allows ingestion again after a purge, because the user connected again. */
  reopen: action({
    summary: 'Allow ingestion from a provider again after a purge',
    params: z.object({ user_id: UserId, provider: ProviderName, version: z.int() }),
    returns: z.object({ open: z.literal(true) }),
    idempotent: true,
    timeoutMs: 10_000,
  }),
  /**
   * Removes the workout from all lists, with the samples that only it brought. The setting EVENT_DELETE decides whether the
   * row is kept without its health data or removed. A duplicate from another provider is listed again. Returns the deleted
   * record, null if there is none, and the number of samples that were removed from their series.
   */
  deleteWorkout: action({
    summary: 'Delete a workout that its provider deleted',
    params: z.object({ user_id: UserId, provider: ProviderName, key: z.string().min(1).max(200) }),
    returns: z.object({ record_id: z.string().nullable(), samples_removed: z.int() }),
    idempotent: true,
    timeoutMs: 10_000,
  }),
  /** The spans that items of a provider have as they are stored. Unknown items have none. */
  itemSpans: action({
    summary: 'Find the spans of stored items',
    params: z.object({
      user_id: UserId,
      provider: ProviderName,
      items: z.array(ItemName).max(1000),
    }),
    returns: z.array(z.object({ start_ms: z.number(), end_ms: z.number() })),
    idempotent: true,
  }),
  /** At which of the users items of a provider are stored, with their spans. */
  findItems: action({
    summary: 'Find the users of stored items',
    params: z.object({
      user_ids: z.array(UserId).max(500),
      provider: ProviderName,
      items: z.array(ItemName).max(100),
    }),
    returns: z.array(StoredSpan),
    idempotent: true,
  }),
  /** The keys of a provider's stored workouts that start in [start_ms, end_ms), oldest first. Deleted ones are omitted. */
  workoutKeys: action({
    summary: 'Find the keys of stored workouts in a span',
    params: z.object({
      user_id: UserId,
      provider: ProviderName,
      start_ms: z.int(),
      end_ms: z.int(),
      limit: z.int().min(1).max(10_000),
    }),
    returns: z.array(z.object({ key: z.string(), start_ms: z.number() })),
    idempotent: true,
  }),
  /** Places what was placed without the user's own time zone by another one, as far as no better clock is known. */
  changeZone: action({
    summary: "Place data by a user's changed time zone",
    params: z.object({ user_id: UserId, time_zone: z.string().max(100).nullable() }),
    returns: z.object({ placing: z.boolean() }),
    idempotent: true,
    timeoutMs: 10_000,
  }),
  /**
   * Removes sleep sessions and events by the keys of their items, and samples by their instants. The key of a meal removes its
   * nutrients too. The same item is stored again if it is sent again: the caller remembers what was deleted.
   */
  deleteItems: action({
    summary: 'Delete sleep sessions, events and samples that their provider deleted',
    params: z.object({
      user_id: UserId,
      provider: ProviderName,
      sleeps: z.array(z.string().min(1).max(200)).max(1000),
      /** Events other than workouts and sleep. */
      events: z.array(z.string().min(1).max(200)).max(10_000).default([]),
      samples: z
        .array(z.object({ type: SeriesTypeName, device: z.string().max(100), at_ms: z.array(z.number()) }))
        .max(10_000),
    }),
    returns: z.object({ sleeps: z.int(), events: z.int(), samples: z.int() }),
    idempotent: true,
    timeoutMs: 10_000,
    localTimeoutMs,
  }),
  /** Sets the tombstone under the user's lock before it returns, and erases all data in the background. */
  erase: action({
    summary: 'Erase all data of a user who is deleted',
    params: z.object({ user_id: UserId }),
    returns: z.object({ erasing: z.literal(true) }),
    idempotent: true,
    timeoutMs: 10_000,
    on: ['userErased'],
  }),
};
