import type { Config } from '../../../config.ts';
import type { timeseries } from '../../../contracts/timeseries.ts';
import type { ParamsOf } from '../../../domain/contract.ts';
import { seriesOf } from '../../../domain/records/series.ts';
import { recordAudit } from '../../../mixins/database/audit.ts';
import type { Database } from '../../../mixins/database/database.ts';
import type { AuditOrigin } from '../../../runtime/audit-origin.ts';
import type { SourceOrder } from '../rules/sources.ts';
import { deleteActivityBlocks } from '../tables/activity-blocks.ts';
import { deleteEventItems, deleteSleepItems, lockUser } from '../tables/erasures.ts';
import { deleteSamples } from '../tables/samples.ts';
import { forgetVersions, removeWorkout, selectWorkoutSpan, wipeWorkout } from '../tables/workouts.ts';
import { activityItems, daysOfRows, settleSamples } from '../work/activity-samples.ts';
import { settleDuplicates } from '../work/duplicates.ts';
import type { KeptDays } from '../work/kept-days.ts';

/** Parameters of a deletion. */
interface DeletionCircumstances {
  /** The row of a marked workout is kept without its health data. The row of a removed workout is deleted. */
  readonly how: Config['EVENT_DELETE'];
  readonly order: SourceOrder;
  readonly kept: KeptDays;
  /** The origin for audit entries. */
  readonly origin: AuditOrigin;
}

/**
 * Deletes a workout and the samples that only it contained. Its duplicate is listed again. The stored version is deleted too, so
 * that the same activity is stored when it is sent again.
 */
export function deleteWorkout(
  database: Database,
  { user_id, provider, key }: ParamsOf<typeof timeseries, 'deleteWorkout'>,
  { how, order, kept, origin }: DeletionCircumstances,
): Promise<{ readonly record_id: string | null; readonly samples_removed: number }> {
  return database.transaction(async (transaction) => {
    await lockUser(transaction, user_id);
    const workout = await selectWorkoutSpan(transaction, user_id, provider, key);
    if (workout === undefined || workout.is_deleted) return { record_id: null, samples_removed: 0 };
    await forgetVersions(transaction, user_id, provider, activityItems, key);
    const deleteRow = how === 'remove' ? removeWorkout : wipeWorkout;
    await deleteRow(transaction, user_id, workout.id);
    const blocks = await deleteActivityBlocks(transaction, user_id, provider, [key]);
    await settleDuplicates(transaction, user_id, [workout], order);
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

/** Deletes sleep sessions and events with their items, and single samples. Triggers update statistics and record changes. */
export function deleteItems(
  database: Database,
  { user_id, provider, sleeps, events, samples }: ParamsOf<typeof timeseries, 'deleteItems'>,
): Promise<{ sleeps: number; events: number; samples: number }> {
  return database.transaction(async (transaction) => {
    await lockUser(transaction, user_id);
    const instants = samples.flatMap(({ type, device, at_ms }) =>
      at_ms.map((ms) => ({ type_id: seriesOf(type).id, device, ms })),
    );
    return {
      samples: await deleteSamples(transaction, user_id, provider, instants),
      sleeps: await deleteSleepItems(transaction, user_id, provider, sleeps),
      events: await deleteEventItems(transaction, user_id, provider, events),
    };
  });
}
