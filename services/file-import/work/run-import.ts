import { z } from 'zod';
import { fieldOf } from '../../../domain/error-code.ts';
import { isError } from '../../../domain/errors.ts';
import type { Database } from '../../../mixins/database/database.ts';
import type { Job, JobKind, JobOutcome } from '../../../mixins/jobs/job-queue.ts';
import { zoneOfUser } from '../../../mixins/user-zone.ts';
import { normaliserVersionOf } from '../../../providers/all.ts';
import type { Environment } from '../../../runtime/environment.ts';
import type { Held } from '../../../runtime/jobs/job-worker.ts';
import { type ImportBatch, mostPositions } from '../rules/batch.ts';
import { FileProblem } from '../rules/file-bytes.ts';
import { beginReading, endImport, type ImportRow, noteProgress, selectNeeds } from '../tables/imports.ts';
import type { FileFolder } from './file-folder.ts';
import { openReader } from './open-reader.ts';

/** Reads a file and stores its data. The key is the import. */
export const importKind: JobKind<{ import_id: string }> = {
  name: 'file-import.read',
  payload: z.object({ import_id: z.uuid() }),
};

/** What reading a file needs. */
export interface RunDeps extends Pick<Environment, 'call' | 'config' | 'logger'> {
  readonly database: Database;
  readonly folder: FileFolder;
}

const provider = 'file';
const normaliser_version = normaliserVersionOf(provider);
/** With the delays of failed jobs these are hours. */
const mostFailures = 30;

/**
 * Stores a file part by part and stores the position after each part. A retry continues from that position. A part
 * that was stored before a crash is stored again, which changes nothing.
 */
export async function runImport(
  deps: RunDeps,
  { payload: { import_id }, failures }: Pick<Job<{ import_id: string }>, 'payload' | 'failures'>,
  held: Held,
): Promise<JobOutcome> {
  const { config, database, logger } = deps;
  const keptDays = config.IMPORT_RETENTION_DAYS;
  const row = await beginReading(database, import_id);
  if (row === undefined) return { kind: 'done' };
  try {
    const isDone = await storeFile(deps, row, held);
    if (isDone === 'stopped') return { kind: 'stopped' };
    if (isDone === 'done') await endImport(database, import_id, { state: 'done', keptDays });
  } catch (error) {
    if (held.signal.aborted) return { kind: 'stopped' };
    const failed = { state: 'failed', keptDays } as const;
    if (error instanceof FileProblem)
      await endImport(database, import_id, { ...failed, error: error.message });
    else if (isError(error, 'USER_ERASED')) await endImport(database, import_id, { state: 'cancelled' });
    else if (failures < mostFailures) throw error;
    else await endImport(database, import_id, { ...failed, error: 'The data could not be stored.' });
    logger.info('import.ended_early', { import_id, code: String(fieldOf(error, 'type') ?? 'FILE') });
  }
  await removeUnneeded(deps, [import_id]);
  return { kind: 'done' };
}

/**
 * Removes what no import needs of the stored files with the given ids. The tables decide: another process may have ended
 * an import, and kept its original.
 */
export async function removeUnneeded(
  { database, folder }: Pick<RunDeps, 'database' | 'folder'>,
  ids: readonly string[],
): Promise<void> {
  const needs = await selectNeeds(database, ids);
  for (const id of ids) {
    const need = needs.get(id);
    if (need === undefined) await folder.remove(id);
    else if (need === 'original') await folder.removeAllButParts(id);
  }
}

type Ending = 'done' | 'stopped' | 'gone';

async function storeFile(deps: RunDeps, row: ImportRow, held: Held): Promise<Ending> {
  const { call, config, database, logger } = deps;
  const rules = await call('timeseries.routeRules', { user_id: row.user_id });
  const timeZone = await zoneOfUser(call, row.user_id);
  const context = { nowMs: row.created_at.getTime(), rules, timeZone, skip: row.position };
  const cursor = { path: row.member_path, position: row.member_position };
  const reader = await openReader({ folder: config, id: row.id, bytes: row.bytes, context, cursor });
  const { kind, members } = reader;
  let latest = row;
  const began = performance.now();
  try {
    for await (const batch of reader.batches) {
      if (held.signal.aborted) return 'stopped';
      await storeBatch(deps, row, batch);
      const bytesRead = Math.round(batch.progress * row.bytes);
      const progress = { ...withBatch(latest, batch), kind, bytesRead, ended: batch.members, members };
      const noted = await database.transaction((on) => noteProgress(on, row.id, progress));
      if (noted === undefined) return 'gone';
      latest = noted;
    }
  } finally {
    reader.close();
  }
  const connection_ids = row.connection_id === null ? [] : [row.connection_id];
  await call('users.synced', { connection_ids }).catch(() => null);
  const took_ms = Math.round(performance.now() - began);
  logger.info('import.done', { import_id: row.id, kind, items: latest.position, took_ms });
  return 'done';
}

async function storeBatch({ call }: RunDeps, { user_id }: ImportRow, batch: ImportBatch): Promise<void> {
  for (const items of batch.items)
    await call('timeseries.store', { user_id, provider, normaliser_version, items: [...items] });
  for (const intervals of batch.intervals)
    await call('timeseries.storeIntervals', { user_id, provider, ...intervals, has_content_ids: true });
}

const mostReasons = 200;

function withBatch(before: ImportRow, { position, cursor, counts, skipped, span }: ImportBatch) {
  const totals: Record<string, number> = { ...before.counts };
  for (const [type, items] of Object.entries(counts)) totals[type] = (totals[type] ?? 0) + items;
  const reasons = new Map(
    before.skipped.map((reason) => [`${reason.type}\n${reason.reason}`, { positions: [], ...reason }]),
  );
  for (const entry of skipped) {
    const isNamed = reasons.has(`${entry.type}\n${entry.reason}`) || reasons.size < mostReasons;
    const shown = isNamed ? entry : { ...entry, type: 'others', reason: 'Other entries were skipped.' };
    const key = `${shown.type}\n${shown.reason}`;
    const former = reasons.get(key);
    const positions = [...(former?.positions ?? []), ...shown.positions].slice(0, mostPositions);
    reasons.set(key, { ...shown, positions, items: shown.items + (former?.items ?? 0) });
  }
  return { position, cursor, counts: totals, skipped: [...reasons.values()], span };
}
