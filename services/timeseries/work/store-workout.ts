import type { StoreItem, WorkoutRecord } from '../../../domain/records/records.ts';
import { mergeWorkouts, type WorkoutPart, type WorkoutParts } from '../rules/merge-workouts.ts';
import { upsertRecord } from '../tables/events.ts';
import { upsertDetail } from '../tables/tracks.ts';
import { forgetVersion, selectWorkoutSpan } from '../tables/workouts.ts';
import { isCropped } from './crop.ts';
import type { Span } from './duplicates.ts';
import { identityOf, type RecordContext, workoutRow } from './record-rows.ts';

/** The result of storing an item's workout. */
interface StoredWorkout {
  readonly ids: readonly string[];
  readonly spans: readonly Span[];
  readonly wasThere: boolean;
}

/**
 * Stores an item's workout. The key alone identifies a workout: all data types of one activity share a record. Item
 * versions are stored per data type, so that each item is compared to its own last version only.
 */
export async function storeWorkout(context: RecordContext, item: StoreItem): Promise<StoredWorkout> {
  const { data_type, key, workout, extras } = item;
  if (workout === null) return { ids: [], spans: [], wasThere: false };
  const { transaction, userId, provider, clockAt } = context;
  const stored = await selectWorkoutSpan(transaction, userId, provider, key);
  const identity = identityOf(context, key, stored?.id);
  const cropped = isCropped(data_type, workout, stored);
  const parts = { ...stored?.parts, [data_type]: partOf(item.data_type, workout, cropped, stored?.parts) };
  const merged = mergeWorkouts(parts);
  const row = { ...workoutRow(identity, merged, clockAt), parts: JSON.stringify(parts), cropped };
  await upsertRecord(transaction, 'workout', row);
  if (extras !== null) await upsertDetail(transaction, userId, identity.id, data_type, extras);
  const ids = [identity.id];
  if (stored === undefined) return { ids, spans: [merged], wasThere: false };
  if (stored.cropped && !cropped) await forgetDetails(context, key);
  return { ids, spans: [merged, stored], wasThere: true };
}

// The first end of a cropped activity is kept, because it shows which part of its details were pauses.
function partOf(
  dataType: string,
  workout: WorkoutRecord,
  cropped: boolean,
  parts: WorkoutParts | undefined,
): WorkoutPart {
  const former = parts?.[dataType];
  if (dataType !== 'activities' || !cropped || former === undefined) return workout;
  return { ...workout, uncropped_end_ms: former.uncropped_end_ms ?? former.end_ms };
}

// Removed samples return if the details are sent again.
async function forgetDetails({ transaction, userId, provider, storedItems }: RecordContext, key: string) {
  const details = { data_type: 'activityDetails', key };
  if (storedItems.forget(details)) await forgetVersion(transaction, userId, provider, details.data_type, key);
}
