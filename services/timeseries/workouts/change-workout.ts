import type { Config } from '../../../config.ts';
import type { Database } from '../../../mixins/database/database.ts';
import type { AuditOrigin } from '../../../runtime/audit-origin.ts';
import type { KeyedMutex } from '../keyed-mutex.ts';
import type { KeptDaysOfUsers } from '../removal/kept-days-of-user.ts';
import type { Settings } from '../settings.ts';
import type { Deletion, DeletionResult, deleteWorkout } from './delete-workout.ts';

/** The context of an action that changes a workout. */
export interface WorkoutContext {
  readonly params: Deletion;
  readonly database: Database;
  readonly settings: Settings;
  readonly keyedMutex: KeyedMutex;
  readonly config: Config;
  readonly keptDays: KeptDaysOfUsers;
  readonly origin: AuditOrigin;
}

/** Deletes, hides or restores a workout under the lock of its user. */
export async function changeWorkout(
  { params, database, settings, keyedMutex, config, keptDays, origin }: WorkoutContext,
  change: typeof deleteWorkout,
): Promise<DeletionResult> {
  const circumstances = {
    how: config.EVENT_DELETE,
    sourcePriority: settings.sourcePriority,
    kept: await keptDays.of(database, params.user_id, Date.now()),
    origin,
  };
  return keyedMutex(params.user_id, () => change(database, params, circumstances));
}
