import { z } from 'zod';
import type { Database, Queryable } from '../../../mixins/database/database.ts';
import { enqueue, type JobKind } from '../../../mixins/jobs/job-queue.ts';
import { type JobHandler, jobHandler, workInParts } from '../../../mixins/jobs/jobs.ts';
import { deleteMessagesOf } from '../queries/delete-old.ts';

const MessagesOf = z.object({ endpoint_id: z.uuid() });
type MessagesOf = z.infer<typeof MessagesOf>;

/** Deletes the messages of a deleted endpoint. The key is the endpoint's id. */
const deleteKind: JobKind<MessagesOf> = { name: 'webhooks.delete_messages', payload: MessagesOf };

// Until then, publications that had read the endpoint have committed. Messages without an endpoint are never sent.
const delayMs = 5000;

/** Enqueues the deletion of an endpoint's messages in the transaction that deletes the endpoint. */
export function enqueueMessageDeletion(transaction: Queryable, endpointId: string): Promise<void> {
  return enqueue(transaction, deleteKind, { key: endpointId, payload: { endpoint_id: endpointId }, delayMs });
}

/** The handler of the job. */
export function messageDeletionHandler(database: Database): JobHandler {
  return jobHandler(
    deleteKind,
    ({ payload }, held) => workInParts(() => deleteMessagesOf(database, payload.endpoint_id), held),
    { parallel: 2 },
  );
}
