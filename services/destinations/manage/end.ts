import { recordAudit } from '../../../mixins/database/audit.ts';
import type { Database } from '../../../mixins/database/database.ts';
import type { AuditOrigin } from '../../../runtime/audit-origin.ts';
import { selectIdsOfProject } from '../queries/destinations.ts';
import { insertErasures } from '../queries/erasures.ts';
import { insertDeletedKeys, pauseDestinationsOfKeys } from '../queries/keys.ts';
import { dropDestination, enqueueRun } from './manage.ts';

/** Pauses the destinations of deleted keys once, unless they are kept. A repeated call changes nothing. */
export function endKeys(
  { database, origin }: { readonly database: Database; readonly origin: AuditOrigin },
  { key_ids, keep }: { readonly key_ids: readonly string[]; readonly keep: boolean },
): Promise<string[]> {
  return database.transaction(async (transaction) => {
    const isNew = await insertDeletedKeys(transaction, key_ids);
    const paused = isNew && !keep ? await pauseDestinationsOfKeys(transaction, key_ids) : [];
    const details = { reason: 'key_deleted' };
    for (const subjectId of paused)
      await recordAudit(transaction, origin, { action: 'destination.paused', subjectId, details });
    return paused;
  });
}

/** Deletes the destinations of a project. Returns their number. */
export function forgetProject(database: Database, project: string): Promise<number> {
  return database.transaction(async (transaction) => {
    const ids = await selectIdsOfProject(transaction, project);
    for (const id of ids) await dropDestination(transaction, id);
    return ids.length;
  });
}

/** Has a deleted user removed from all destinations, also from paused ones. Returns their number. */
export function forgetUser(database: Database, userId: string): Promise<number> {
  return database.transaction(async (transaction) => {
    const ids = await insertErasures(transaction, userId);
    for (const id of ids) await enqueueRun(transaction, id);
    return ids.length;
  });
}
