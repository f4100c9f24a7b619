import type { Config } from '../../config.ts';
import type { Database, Queryable } from '../../mixins/database.ts';
import {
  type DeletedWorkout,
  deleteSamplesOf,
  forgetVersions,
  markWorkout,
  removeWorkout,
} from './queries/delete-workout.ts';
import { lockUser } from './queries/lock-user.ts';
import { settleTwins } from './settle-twins.ts';

/** Which workout its provider deleted. */
export interface Deletion {
  readonly user_id: string;
  readonly provider: string;
  readonly key: string;
}

/** How deletions are judged. */
export interface DeletionCircumstances {
  /** Marked workouts are kept and leave all lists; removed ones are gone, and their samples with them. */
  readonly how: Config['EVENT_DELETE'];
  readonly sourcePriority: readonly string[];
}

/**
 * Deletes a workout under the user's lock; its twin of another provider is listed again. The ledger forgets its
 * version, so that the same activity is stored when it comes back. Returns the record's id, null where there is none.
 */
export function deleteWorkout(
  database: Database,
  { user_id, provider, key }: Deletion,
  { how, sourcePriority }: DeletionCircumstances,
): Promise<string | null> {
  return database.transaction(async (transaction) => {
    await lockUser(transaction, user_id);
    const take = how === 'remove' ? removeWorkout : markWorkout;
    const deleted = await take(transaction, user_id, provider, key);
    if (deleted === null) return null;
    await forgetVersions(transaction, user_id, provider, deleted.id);
    await settleTwins(transaction, user_id, [deleted], sourcePriority);
    if (how === 'remove') await eraseSamples(transaction, user_id, provider, deleted);
    return deleted.id;
  });
}

// Only where the provider sends nothing but activities: of the others a span's samples belong to the day as well.
async function eraseSamples(
  transaction: Queryable,
  userId: string,
  provider: string,
  deleted: DeletedWorkout,
) {
  if (provider === 'activitynet') await deleteSamplesOf(transaction, userId, provider, deleted);
}
