import type { Config } from '../../../config.ts';
import type { Database } from '../../../mixins/database/database.ts';
import { type JobHandler, recurringHandler, workInParts } from '../../../mixins/jobs/jobs.ts';
import {
  deleteMarkers,
  deleteOldAttempts,
  deleteOldChanges,
  deleteOldMessages,
} from '../queries/delete-old.ts';

const firstAfterMs = 30_000;
const markers = { name: 'webhooks.markers', everyMs: 60_000, firstAfterMs };
const retention = { name: 'webhooks.retention', everyMs: 600_000, firstAfterMs };

/** Attempts, and messages that were delivered, are kept for this long. */
const deliveredDays = 7;

/** The recurring jobs that delete what is no longer kept, in parts of bounded size. */
export function retentionHandlers(database: Database, config: Config): JobHandler[] {
  const days = config.CHANGE_RETENTION_DAYS;
  return [
    recurringHandler(markers, (held) => workInParts(() => deleteMarkers(database), held)),
    recurringHandler(retention, (held) => workInParts(() => deleteExpired(database, days), held)),
  ];
}

/** Deletes one part of all that has expired. Returns whether something may be left. */
export async function deleteExpired(database: Database, days: number): Promise<boolean> {
  const isLeft = [
    await deleteOldAttempts(database, deliveredDays),
    await deleteOldMessages(database, { deliveredDays, days }),
    await deleteOldChanges(database, days),
  ];
  return isLeft.includes(true);
}
