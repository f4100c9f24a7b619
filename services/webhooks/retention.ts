import { z } from 'zod';
import type { Config } from '../../config.ts';
import type { Database } from '../../mixins/database.ts';
import type { JobKind } from '../../mixins/job-queue.ts';
import { type JobHandler, jobHandler, workInParts } from '../../mixins/jobs.ts';
import {
  deleteMarkers,
  deleteOldAttempts,
  deleteOldChanges,
  deleteOldMessages,
} from './queries/delete-old.ts';

const Empty = z.unknown();

const markers: JobKind<unknown> = { name: 'webhooks.markers', payload: Empty, everyMs: 60_000 };
const retention: JobKind<unknown> = { name: 'webhooks.retention', payload: Empty, everyMs: 600_000 };

/** Attempts, and messages that were delivered, are kept for this long. */
const deliveredDays = 7;
const firstAfterMs = 30_000;

/** The recurring jobs that delete what is no longer kept, in parts of bounded size. */
export function retentionHandlers(database: Database, config: Config): JobHandler[] {
  const days = config.CHANGE_RETENTION_DAYS;
  return [
    jobHandler(markers, (_, held) => workInParts(() => deleteMarkers(database), held), { firstAfterMs }),
    jobHandler(retention, (_, held) => workInParts(() => deleteExpired(database, days), held), {
      firstAfterMs,
    }),
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
