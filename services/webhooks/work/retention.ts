import { z } from 'zod';
import type { Config } from '../../../config.ts';
import type { Database, Queryable } from '../../../mixins/database/database.ts';
import { enqueue, type JobKind } from '../../../mixins/jobs/job-queue.ts';
import { type JobHandler, jobHandler, recurringHandler, workInParts } from '../../../mixins/jobs/jobs.ts';
import { deleteOldChanges } from '../tables/changes.ts';
import { deleteMessagesOf, deleteOldAttempts, deleteOldMessages } from '../tables/messages.ts';
import { deleteMarkers } from '../tables/pending-changes.ts';

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

const MessagesOf = z.object({ endpoint_id: z.uuid() });
type MessagesOf = z.infer<typeof MessagesOf>;

/** Deletes the messages of a deleted endpoint. The key is the endpoint's id. */
const deleteKind: JobKind<MessagesOf> = { name: 'webhooks.delete_messages', payload: MessagesOf };

// After this delay, publications that had read the endpoint have committed. Messages of a deleted endpoint are never
// sent.
const deletionDelayMs = 5000;

/** Enqueues the deletion of an endpoint's messages in the transaction that deletes the endpoint. */
export function enqueueMessageDeletion(transaction: Queryable, endpointId: string): Promise<void> {
  return enqueue(transaction, deleteKind, {
    key: endpointId,
    payload: { endpoint_id: endpointId },
    delayMs: deletionDelayMs,
  });
}

/** The handler of the job. */
export function messageDeletionHandler(database: Database): JobHandler {
  return jobHandler(
    deleteKind,
    ({ payload }, held) => workInParts(() => deleteMessagesOf(database, payload.endpoint_id), held),
    { parallel: 2 },
  );
}
