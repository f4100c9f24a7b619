import type { Config } from '../../../config.ts';
import { recordAudit } from '../../../mixins/database/audit.ts';
import type { Database } from '../../../mixins/database/database.ts';
import type { AuditOrigin } from '../../../runtime/audit-origin.ts';
import { deleteActivityBlocks } from '../queries/activity-blocks.ts';
import { lockUser } from '../queries/lock-user.ts';
import type { KeptDays } from '../removal/kept-days.ts';
import { daysOfRows } from '../samples/activity-samples.ts';
import { settleSamples } from '../samples/settle-samples.ts';
import { forgetVersions, removeWorkout, selectDeletable, wipeWorkout } from './queries/delete-workout.ts';
import { settleDuplicates } from './settle-duplicates.ts';

/** The workout that its provider deleted. */
export interface Deletion {
  readonly user_id: string;
  readonly provider: string;
  readonly key: string;
}

/** Parameters of a deletion. */
export interface DeletionCircumstances {
  /** The row of a marked workout is kept without its health data. The row of a removed workout is deleted. */
  readonly how: Config['EVENT_DELETE'];
  readonly sourcePriority: readonly string[];
  readonly kept: KeptDays;
  /** The origin for audit entries. */
  readonly origin: AuditOrigin;
}

/** The result of a deletion. */
export interface DeletionResult {
  /** Null if the workout does not exist. */
  readonly record_id: string | null;
  readonly samples_removed: number;
}

/**
 * Deletes a workout and the samples that only it contained. Its duplicate of another provider is listed again. The
 * stored version is deleted too, so that the same activity is stored when it is sent again.
 */
export function deleteWorkout(
  database: Database,
  { user_id, provider, key }: Deletion,
  { how, sourcePriority, kept, origin }: DeletionCircumstances,
): Promise<DeletionResult> {
  return database.transaction(async (transaction) => {
    await lockUser(transaction, user_id);
    const workout = await selectDeletable(transaction, user_id, provider, key);
    if (workout === undefined) return { record_id: null, samples_removed: 0 };
    await forgetVersions(transaction, user_id, provider, key);
    const take = how === 'remove' ? removeWorkout : wipeWorkout;
    await take(transaction, user_id, workout.id);
    const blocks = await deleteActivityBlocks(transaction, user_id, provider, [key]);
    await settleDuplicates(transaction, user_id, [workout], sourcePriority);
    const samples_removed = await settleSamples(transaction, { user_id, provider, kept }, daysOfRows(blocks));
    await recordAudit(transaction, origin, {
      action: 'activity.deleted',
      userId: user_id,
      subjectId: workout.id,
      details: { provider, activity: key, samples: samples_removed },
    });
    return { record_id: workout.id, samples_removed };
  });
}
