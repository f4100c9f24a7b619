import type { Database } from '../../../mixins/database/database.ts';
import { enqueueMessageDeletion } from '../messages/delete-messages.ts';
import { lockEndpoints } from './endpoints.ts';

/** Deletes the endpoints of a project that is deleted; jobs delete their messages. Returns their number. */
export function deleteEndpointsOf(database: Database, project: string): Promise<number> {
  return database.transaction(async (transaction) => {
    await lockEndpoints(transaction);
    const statement = 'delete from webhooks.endpoint where project_id = $1 returning id';
    const deleted = await transaction.query<{ id: string }>(statement, [project]);
    for (const { id } of deleted) await enqueueMessageDeletion(transaction, id);
    return deleted.length;
  });
}
