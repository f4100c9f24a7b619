import type { StoreItem } from '../../../domain/records.ts';
import { upsertRecord } from '../queries/upsert-record.ts';
import { identityOf, type RecordContext } from '../records/record-context.ts';
import { workoutRow } from '../records/record-rows.ts';
import { claimSamples } from '../samples/unclaimed-samples.ts';
import { isCropped } from './crop-activities.ts';
import { mergeWorkouts } from './merge-workouts.ts';
import { forgetVersion } from './queries/forget-version.ts';
import { selectWorkoutSpan } from './queries/select-workout-span.ts';
import type { Span } from './settle-duplicates.ts';

/** What became of an item's workout. */
export interface StoredWorkout {
  readonly ids: readonly string[];
  readonly spans: readonly Span[];
  readonly wasThere: boolean;
  /** It was deleted by an event that nobody confirmed: its samples are shown again. */
  readonly wasHidden: boolean;
}

/**
 * Stores an item's workout. A workout is known by its key alone: what several data types tell of one activity is one
 * record. The ledger has them apart, so that each is a duplicate of its own version whatever the others told meanwhile.
 */
export async function storeWorkout(context: RecordContext, item: StoreItem): Promise<StoredWorkout> {
  const { data_type, key, workout } = item;
  if (workout === null) return { ids: [], spans: [], wasThere: false, wasHidden: false };
  const { transaction, userId, provider, clockMinutes } = context;
  const stored = await selectWorkoutSpan(transaction, userId, provider, key);
  if (stored?.is_unclaimed) await claimSamples(transaction, userId, provider, { ...stored, key });
  const identity = identityOf(context, key, stored?.id);
  const parts = { ...stored?.parts, [data_type]: workout };
  const merged = mergeWorkouts(parts);
  const cropped = isCropped(data_type, workout, stored);
  const row = { ...workoutRow(identity, merged, clockMinutes), parts: JSON.stringify(parts), cropped };
  await upsertRecord(transaction, 'workout', row);
  const ids = [identity.id];
  if (stored === undefined) return { ids, spans: [merged], wasThere: false, wasHidden: false };
  if (stored.cropped && !cropped) await forgetDetails(context, key);
  return { ids, spans: [merged, stored], wasThere: true, wasHidden: stored.hidden };
}

// The samples that were cropped come back with the details, if these are sent again.
async function forgetDetails({ transaction, userId, provider, ledger }: RecordContext, key: string) {
  const details = { data_type: 'activityDetails', key };
  if (ledger.forget(details)) await forgetVersion(transaction, userId, provider, details.data_type, key);
}
