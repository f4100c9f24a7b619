import { recordAudit } from '../../../mixins/audit.ts';
import type { Database, Queryable } from '../../../mixins/database.ts';
import type { ProviderName } from '../../../providers/all.ts';
import { systemOrigin } from '../../../runtime/audit-origin.ts';
import { lockUser } from '../queries/lock-user.ts';
import { settleDuplicates } from '../workouts/settle-duplicates.ts';
import { claimPurge, lockPurge, type PurgeRow } from './queries/claim-purge.ts';
import { deleteRecords } from './queries/delete-records.ts';
import { eraseProviderItems } from './queries/erase-items.ts';
import { eraseSamples } from './queries/erase-samples.ts';
import { upsertPurge } from './queries/insert-purge.ts';
import { finishItems, forgetPurgedSeries, openPurge } from './queries/update-purge.ts';

/** What a user has of a provider; `version` names the request, a later one is larger. */
export interface PurgeKey {
  readonly user_id: string;
  readonly provider: ProviderName;
  readonly version: number;
}

/**
 * Takes away all that shows of a user's data of one provider, and closes the door for more. Samples and versions go
 * in parts behind it. Workouts of another provider that were the same as one of these are listed again. A request
 * that was carried out before changes nothing.
 */
export function markPurged(
  database: Database,
  { user_id, provider, version }: PurgeKey,
  sourcePriority: readonly string[],
): Promise<boolean> {
  return database.transaction(async (transaction) => {
    await lockUser(transaction, user_id);
    if (!(await upsertPurge(transaction, user_id, provider, version))) return false;
    const spans = await deleteRecords(transaction, user_id, provider);
    await settleDuplicates(transaction, user_id, spans, sourcePriority);
    return true;
  });
}

/** Does one bounded part of a purge that is not finished; false where there is none to work on. */
export function purgeOnePart(database: Database): Promise<boolean> {
  return database.transaction(async (transaction) => {
    const purge = await claimPurge(transaction);
    if (purge === undefined) return false;
    if (await workOnPurge(transaction, purge)) await recordPurged(transaction, purge);
    return true;
  });
}

// Answers whether nothing is left.
async function workOnPurge(
  transaction: Queryable,
  { user_id, provider, series_ids, items_done }: PurgeRow,
): Promise<boolean> {
  const [seriesId] = series_ids;
  if (!items_done) {
    if (!(await eraseProviderItems(transaction, user_id, provider))) return false;
    return finishItems(transaction, user_id, provider);
  }
  if (seriesId === undefined || !(await eraseSamples(transaction, seriesId))) return false;
  return forgetPurgedSeries(transaction, user_id, provider, seriesId);
}

function recordPurged(
  transaction: Queryable,
  { user_id, provider }: Pick<PurgeRow, 'user_id' | 'provider'>,
): Promise<void> {
  const entry = { action: 'connection.purged', userId: user_id, details: { provider } } as const;
  return recordAudit(transaction, systemOrigin('timeseries'), entry);
}

/**
 * Opens the door again for a user who connects anew. The versions of what was there are erased first: an item that
 * is sent again would count as stored.
 */
export async function reopen(database: Database, key: PurgeKey): Promise<void> {
  for (let isOpen = false; !isOpen; ) isOpen = await reopenOnePart(database, key);
}

function reopenOnePart(database: Database, { user_id, provider, version }: PurgeKey): Promise<boolean> {
  return database.transaction(async (transaction) => {
    const purge = await lockPurge(transaction, user_id, provider);
    if (purge === undefined || purge.version > version) return true;
    const isDone = purge.items_done || (await eraseProviderItems(transaction, user_id, provider));
    if (!isDone) return false;
    const isFinished = await openPurge(transaction, user_id, provider);
    if (isFinished && !purge.items_done) await recordPurged(transaction, { user_id, provider });
    return true;
  });
}
