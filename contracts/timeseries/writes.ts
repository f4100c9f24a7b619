import { z } from 'zod';
import { action } from '../../domain/contract.ts';
import { StoreItem, StoreOutcome } from '../../domain/records.ts';
import { UserId } from '../../domain/wire.ts';
import { ProviderName } from '../../providers/all.ts';

/** A workout by the key that its provider gave it. */
const oneWorkout = { user_id: UserId, provider: ProviderName, key: z.string().min(1).max(200) };

/** Which record was changed, null where there is none, and how many samples left their series with it. */
const WorkoutChange = z.object({ record_id: z.string().nullable(), samples_removed: z.int() });

/** Storing, hiding and erasing health data. */
export const writeActions = {
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
};
