import { z } from 'zod';
import { recordAudit } from '../../../mixins/database/audit.ts';
import type { Database, Queryable } from '../../../mixins/database/database.ts';
import { enqueue, type JobKind } from '../../../mixins/jobs/job-queue.ts';
import { type JobHandler, jobHandler, workInParts } from '../../../mixins/jobs/jobs.ts';
import type { ProviderName } from '../../../providers/all.ts';
import { systemOrigin } from '../../../runtime/audit-origin.ts';
import type { SourceOrder } from '../rules/sources.ts';
import {
  deleteRecords,
  eraseItems,
  eraseSamples,
  finishItems,
  finishTombstone,
  forgetPurgedSeries,
  forgetSeries,
  insertTombstone,
  lockPurge,
  lockTombstone,
  lockUser,
  openPurge,
  type PurgeRow,
  upsertPurge,
} from '../tables/erasures.ts';
import { settleDuplicates } from './duplicates.ts';
import { enqueueSettlement } from './settle-intervals.ts';

/** The erasure of one user. The key is the user's id. */
const erasure: JobKind<unknown> = { name: 'timeseries.erasure', payload: z.unknown() };

/** Marks a user as erased after running stores of the user have finished. A job erases the remaining data. */
export function markErased(database: Database, userId: string): Promise<void> {
  return database.transaction(async (transaction) => {
    await lockUser(transaction, userId);
    await insertTombstone(transaction, userId);
    await enqueue(transaction, erasure, { key: userId, payload: {} });
  });
}

/** Erases the data of marked users. */
export function erasureHandler(database: Database): JobHandler {
  return jobHandler(erasure, ({ key }, held) => workInParts(() => eraseOnePart(database, key), held));
}

// One bounded part. Returns whether data is left.
function eraseOnePart(database: Database, userId: string): Promise<boolean> {
  return database.transaction(async (transaction) => {
    const seriesIds = await lockTombstone(transaction, userId);
    if (seriesIds === undefined) return false;
    const [seriesId] = seriesIds;
    if (seriesId !== undefined) {
      if (await eraseSamples(transaction, seriesId)) await forgetSeries(transaction, userId, seriesId);
      return true;
    }
    if (!(await eraseItems(transaction, userId))) return true;
    await finishTombstone(transaction, userId);
    await recordAudit(transaction, systemOrigin('timeseries'), { action: 'user.erased', userId });
    return false;
  });
}

/** A user's data of a provider. `version` identifies the request. Later requests have larger versions. */
interface PurgeKey {
  readonly user_id: string;
  readonly provider: ProviderName;
  readonly version: number;
}

type PurgedData = Pick<PurgeRow, 'user_id' | 'provider'>;

/** The purge of a user's data of one provider. The key is `{user_id}:{provider}`. */
const purge: JobKind<PurgedData> = {
  name: 'timeseries.purge',
  payload: z.object({ user_id: z.uuid(), provider: z.string() }),
};

/**
 * Deletes a user's listed data of one provider and blocks further ingestion of it. A job deletes samples and stored
 * versions in parts. Workouts of another provider whose listed duplicate was deleted are listed again.
 * A job recomputes what counts of the intervals of other providers. A request that was carried out before changes
 * nothing.
 */
export function markPurged(
  database: Database,
  { user_id, provider, version }: PurgeKey,
  order: SourceOrder,
): Promise<boolean> {
  return database.transaction(async (transaction) => {
    await lockUser(transaction, user_id);
    if (!(await upsertPurge(transaction, user_id, provider, version))) return false;
    const spans = await deleteRecords(transaction, user_id, provider);
    await settleDuplicates(transaction, user_id, spans, order);
    await enqueueSettlement(transaction, user_id);
    await enqueue(transaction, purge, { key: `${user_id}:${provider}`, payload: { user_id, provider } });
    return true;
  });
}

/** Deletes what remains of purged data. */
export function purgeHandler(database: Database): JobHandler {
  return jobHandler(purge, ({ payload }, held) => workInParts(() => purgeOnePart(database, payload), held));
}

// One bounded part. Returns whether data is left.
function purgeOnePart(database: Database, { user_id, provider }: PurgedData): Promise<boolean> {
  return database.transaction(async (transaction) => {
    const row = await lockPurge(transaction, user_id, provider);
    if (row === undefined || (row.items_done && row.series_ids.length === 0)) return false;
    const isFinished = await purgeFrom(transaction, row);
    if (isFinished) await recordPurged(transaction, row);
    return !isFinished;
  });
}

// Returns whether nothing is left.
async function purgeFrom(
  transaction: Queryable,
  { user_id, provider, series_ids, items_done }: PurgeRow,
): Promise<boolean> {
  const [seriesId] = series_ids;
  if (!items_done) {
    if (!(await eraseItems(transaction, user_id, provider))) return false;
    return finishItems(transaction, user_id, provider);
  }
  if (seriesId === undefined || !(await eraseSamples(transaction, seriesId))) return false;
  return forgetPurgedSeries(transaction, user_id, provider, seriesId);
}

function recordPurged(transaction: Queryable, { user_id, provider }: PurgedData): Promise<void> {
  const entry = { action: 'connection.purged', userId: user_id, details: { provider } } as const;
  return recordAudit(transaction, systemOrigin('timeseries'), entry);
}

/**
 * Allows ingestion again after a purge, for a user who connects anew. Stored versions are deleted first. Otherwise an
 * item that is sent again would count as a duplicate.
 */
export async function reopen(database: Database, key: PurgeKey): Promise<void> {
  for (let isOpen = false; !isOpen; ) isOpen = await reopenOnePart(database, key);
}

function reopenOnePart(database: Database, { user_id, provider, version }: PurgeKey): Promise<boolean> {
  return database.transaction(async (transaction) => {
    const row = await lockPurge(transaction, user_id, provider);
    if (row === undefined || row.version > version) return true;
    const isDone = row.items_done || (await eraseItems(transaction, user_id, provider));
    if (!isDone) return false;
    const isFinished = await openPurge(transaction, user_id, provider);
    if (isFinished && !row.items_done) await recordPurged(transaction, { user_id, provider });
    return true;
  });
}
