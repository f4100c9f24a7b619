import type { Config } from '../../../config.ts';
import { recordAudit } from '../../../mixins/database/audit.ts';
import type { Database, Queryable } from '../../../mixins/database/database.ts';
import type { AuditOrigin } from '../../../runtime/audit-origin.ts';
import { type BlockTimesRow, deleteActivityBlocks, hideActivityBlocks } from '../queries/activity-blocks.ts';
import { lockUser } from '../queries/lock-user.ts';
import type { KeptDays } from '../removal/kept-days.ts';
import { daysOfRows } from '../samples/activity-samples.ts';
import { settleSamples } from '../samples/settle-samples.ts';
import {
  forgetVersions,
  hideWorkoutRow,
  removeWorkout,
  selectDeletable,
  type WorkoutRow,
  wipeWorkout,
} from './queries/delete-workout.ts';
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

/** The result of a deletion or of its reversal. */
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
  deletion: Deletion,
  circumstances: DeletionCircumstances,
): Promise<DeletionResult> {
  return database.transaction((transaction) => deleteWorkoutIn(transaction, deletion, circumstances));
}

/** As `deleteWorkout`, within a transaction. */
export function deleteWorkoutIn(
  transaction: Queryable,
  deletion: Deletion,
  circumstances: DeletionCircumstances,
): Promise<DeletionResult> {
  return changeIn(transaction, deletion, circumstances, 'activity.deleted', async (transaction, { id }) => {
    const { user_id, provider, key } = deletion;
    await forgetVersions(transaction, user_id, provider, key);
    const take = circumstances.how === 'remove' ? removeWorkout : wipeWorkout;
    await take(transaction, user_id, id);
    return deleteActivityBlocks(transaction, user_id, provider, [key]);
  });
}

/** Removes a workout and its samples from every list, series and day. The data is kept until the deletion. */
export function hideWorkout(
  database: Database,
  deletion: Deletion,
  circumstances: DeletionCircumstances,
): Promise<DeletionResult> {
  return change(database, deletion, circumstances, 'activity.hidden', async (transaction, { id, hidden }) => {
    if (hidden) return null;
    await forgetVersions(transaction, deletion.user_id, deletion.provider, deletion.key);
    return setHidden(transaction, deletion, id, true);
  });
}

/** Restores a hidden workout and its samples. Null if none was hidden. */
export function restoreWorkout(
  database: Database,
  deletion: Deletion,
  circumstances: DeletionCircumstances,
): Promise<DeletionResult> {
  return change(
    database,
    deletion,
    circumstances,
    'activity.restored',
    async (transaction, { id, hidden }) => (hidden ? setHidden(transaction, deletion, id, false) : null),
  );
}

async function setHidden(
  transaction: Queryable,
  { user_id, provider, key }: Deletion,
  id: string,
  hidden: boolean,
) {
  await hideWorkoutRow(transaction, user_id, id, hidden);
  return hideActivityBlocks(transaction, user_id, provider, [key], hidden);
}

type Action = 'activity.deleted' | 'activity.hidden' | 'activity.restored';

/** Changes a workout. Returns its affected blocks, or null if there is nothing to change. */
type Work = (transaction: Queryable, workout: WorkoutRow) => Promise<readonly BlockTimesRow[] | null>;

const nothing: DeletionResult = { record_id: null, samples_removed: 0 };

function change(
  database: Database,
  deletion: Deletion,
  circumstances: DeletionCircumstances,
  action: Action,
  work: Work,
): Promise<DeletionResult> {
  return database.transaction((transaction) => changeIn(transaction, deletion, circumstances, action, work));
}

async function changeIn(
  transaction: Queryable,
  { user_id, provider, key }: Deletion,
  { sourcePriority, kept, origin }: DeletionCircumstances,
  action: Action,
  work: Work,
): Promise<DeletionResult> {
  await lockUser(transaction, user_id);
  const workout = await selectDeletable(transaction, user_id, provider, key);
  if (workout === undefined) return nothing;
  const touched = await work(transaction, workout);
  if (touched === null) return workout.hidden ? { ...nothing, record_id: workout.id } : nothing;
  await settleDuplicates(transaction, user_id, [workout], sourcePriority);
  const samples_removed = await settleSamples(transaction, { user_id, provider, kept }, daysOfRows(touched));
  const entry = { action, userId: user_id, subjectId: workout.id };
  const details = { provider, activity: key, samples: samples_removed };
  await recordAudit(transaction, origin, { ...entry, details });
  return { record_id: workout.id, samples_removed };
}
