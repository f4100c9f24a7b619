import type { Config } from '../../../config.ts';
import { type SeriesType, seriesOf } from '../../../domain/records/series.ts';
import { recordAudit } from '../../../mixins/database/audit.ts';
import type { Database, Queryable } from '../../../mixins/database/database.ts';
import type { AuditOrigin } from '../../../runtime/audit-origin.ts';
import type { KeptDays } from '../rules/kept-days.ts';
import { deleteActivityBlocks } from '../tables/activity-blocks.ts';
import { deleteEventItems, deleteSleepItems } from '../tables/erasures.ts';
import { lockUser } from '../tables/lock-user.ts';
import { deleteSampleInstants } from '../tables/samples.ts';
import { selectSeriesId } from '../tables/series.ts';
import { forgetVersions, removeWorkout, selectDeletable, wipeWorkout } from '../tables/workouts.ts';
import { daysOfRows } from '../work/activity-samples.ts';
import { settleDuplicates } from '../work/duplicates.ts';
import { settleSamples } from '../work/settle-samples.ts';

/** The workout that its provider deleted. */
interface Deletion {
  readonly user_id: string;
  readonly provider: string;
  readonly key: string;
}

/** Parameters of a deletion. */
interface DeletionCircumstances {
  /** The row of a marked workout is kept without its health data. The row of a removed workout is deleted. */
  readonly how: Config['EVENT_DELETE'];
  readonly sourcePriority: readonly string[];
  readonly kept: KeptDays;
  /** The origin for audit entries. */
  readonly origin: AuditOrigin;
}

/** The result of a deletion. */
interface DeletionResult {
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

/** Sessions, events and samples of a user's provider that were deleted there. */
interface DeletedItems {
  readonly user_id: string;
  readonly provider: string;
  readonly sleeps: readonly string[];
  readonly events: readonly string[];
  readonly samples: readonly DeletedSamples[];
}

interface DeletedSamples {
  readonly type: SeriesType;
  readonly device: string;
  readonly at_ms: readonly number[];
}

/** Deletes sleep sessions and events with their items, and single samples. Triggers update statistics and record changes. */
export function deleteItems(
  database: Database,
  { user_id, provider, sleeps, events, samples }: DeletedItems,
): Promise<{ sleeps: number; events: number; samples: number }> {
  return database.transaction(async (transaction) => {
    await lockUser(transaction, user_id);
    let deleted = 0;
    for (const one of samples) deleted += await deleteSamples(transaction, { user_id, provider }, one);
    return {
      sleeps: await deleteSleepItems(transaction, user_id, provider, sleeps),
      events: await deleteEventItems(transaction, user_id, provider, events),
      samples: deleted,
    };
  });
}

async function deleteSamples(
  transaction: Queryable,
  { user_id, provider }: Pick<DeletedItems, 'user_id' | 'provider'>,
  { type, device, at_ms }: DeletedSamples,
): Promise<number> {
  const id = await selectSeriesId(transaction, user_id, provider, { device, type_id: seriesOf(type).id });
  if (id === null || at_ms.length === 0) return 0;
  return deleteSampleInstants(transaction, { seriesIds: at_ms.map(() => id), times: at_ms });
}
