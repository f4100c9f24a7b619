import type { Config } from '../../../config.ts';
import type { Backfill } from '../../../contracts/backfill.ts';
import type { FileImport, FileImportReport } from '../../../contracts/file-import.ts';
import { isError, ServiceError } from '../../../domain/errors.ts';
import { formatInstant, instantOrNull } from '../../../domain/time/time.ts';
import { recordAudit } from '../../../mixins/database/audit.ts';
import type { Database } from '../../../mixins/database/database.ts';
import { cancelJob, enqueue } from '../../../mixins/jobs/job-queue.ts';
import type { Jobs } from '../../../mixins/jobs/jobs.ts';
import type { AuditOrigin } from '../../../runtime/audit-origin.ts';
import type { Call } from '../../../runtime/environment.ts';
import {
  deleteImports,
  deleteReceived,
  deleteReceiving,
  dropOriginal,
  endImport,
  type ImportRow,
  insertImport,
  selectImport,
  selectImports,
  selectMembers,
  selectOpenOf,
  setReceived,
  touchReceiving,
} from '../tables/imports.ts';
import { type FileFolder, isAbsent } from '../work/file-folder.ts';
import { importKind, removeUnneeded } from '../work/run-import.ts';

/** What the actions on imports need. */
export interface ImportDeps {
  readonly database: Database;
  readonly folder: FileFolder;
  readonly call: Call;
  readonly jobs: Jobs;
  readonly origin: AuditOrigin;
  readonly config: Pick<Config, 'DISK_RESERVE_MIB'>;
}

interface ImportOfUser {
  readonly user_id: string;
  readonly import_id: string;
}

const provider = 'file';
const mostOpen = 5;
const mebibyte = 1024 * 1024;
const mostListed = 100;

/** Admits a file. @throws USER_NOT_FOUND (404), IMPORTS_OPEN (409), SERVICE_UNAVAILABLE (503) */
export async function openImport(deps: ImportDeps, user_id: string, bytes: number) {
  const { call, database } = deps;
  await call('users.get', { user_id });
  await requireSpace(deps, bytes);
  const import_id = await database.transaction((transaction) => insertImport(transaction, user_id, mostOpen));
  if (import_id === null) throw new ServiceError('IMPORTS_OPEN');
  // An erasure that began before the insert has not deleted the row.
  await call('users.get', { user_id }).catch(async (error: unknown) => {
    await deleteReceiving(database, user_id, import_id);
    throw error;
  });
  return { import_id };
}

// Importing a file is an act of the user, so it also reconnects a disconnected user.
async function connect(call: Call, user_id: string): Promise<string> {
  try {
    return (await call('users.connect', { user_id, provider, provider_user_id: user_id, scope: [] })).id;
  } catch (error) {
    if (!isError(error, 'CONNECTION_EXISTS')) throw error;
    return (await call('users.connection', { user_id, provider })).id;
  }
}

/** Below the reserve the gateway refuses webhooks, so imports leave twice as much. @throws SERVICE_UNAVAILABLE (503) */
export async function requireSpace(
  { folder, config }: Pick<ImportDeps, 'config'> & { readonly folder: Pick<FileFolder, 'freeBytes'> },
  bytes: number,
): Promise<void> {
  if ((await folder.freeBytes()) < 2 * config.DISK_RESERVE_MIB * mebibyte + bytes)
    throw new ServiceError('SERVICE_UNAVAILABLE', 'The disk has no room for this file now.');
}

/** Stores a part. It is written before the import is looked up, so that no erasure leaves one behind. */
export async function appendPart(
  deps: ImportDeps,
  { user_id, import_id, part, bytes }: ImportOfUser & { readonly part: number; readonly bytes: string },
) {
  await requireSpace(deps, bytes.length);
  await deps.folder.write(import_id, part, Buffer.from(bytes, 'base64'));
  if (await touchReceiving(deps.database, user_id, import_id)) return { stored: true as const };
  await removeUnneeded(deps, [import_id]);
  throw notFound(import_id);
}

const notFound = (id: string) => new ServiceError('IMPORT_NOT_FOUND', `Import ${id} does not exist.`);

/** The file has arrived: it is read in the background. */
export async function createImport(
  { database, call, folder, jobs, origin }: ImportDeps,
  file: ImportOfUser & {
    readonly name: string | null;
    readonly bytes: number;
    readonly password: string | null;
  },
): Promise<FileImport> {
  const { user_id, import_id, password } = file;
  if (password !== null) await folder.writePassword(import_id, password);
  const connectionId = await connect(call, user_id);
  const row = await database.transaction(async (transaction) => {
    const received = await setReceived(transaction, { ...file, connectionId });
    if (received === undefined) throw notFound(import_id);
    await recordAudit(transaction, origin, {
      action: 'import.created',
      userId: user_id,
      subjectId: import_id,
      details: { bytes: file.bytes },
    });
    await enqueue(transaction, importKind, { key: import_id, payload: { import_id } });
    return received;
  });
  jobs.notify();
  return toWire(row);
}

/** Deletes what arrived of a file. */
export async function dropImport({ database, folder }: ImportDeps, { user_id, import_id }: ImportOfUser) {
  const dropped = await deleteReceiving(database, user_id, import_id);
  if (dropped) await folder.remove(import_id);
  return { dropped };
}

/** One import. @throws IMPORT_NOT_FOUND (404) */
export async function showImport(
  { database }: Pick<ImportDeps, 'database'>,
  importOfUser: ImportOfUser,
): Promise<FileImportReport> {
  const row = await selectImport(database, importOfUser.user_id, importOfUser.import_id);
  if (row === undefined) throw notFound(importOfUser.import_id);
  return { ...toWire(row), member_reports: await selectMembers(database, row.id) };
}

/** The newest imports of a user. @throws USER_NOT_FOUND (404) */
export async function listImports(
  { database, call }: Pick<ImportDeps, 'database' | 'call'>,
  user_id: string,
) {
  const rows = await selectImports(database, user_id, mostListed);
  if (rows.length === 0) await call('users.get', { user_id });
  return rows.map(toWire);
}

/**
 * The name and the length of an original. @throws IMPORT_NOT_FOUND (404), also before it has arrived whole,
 * IMPORT_ORIGINAL_DELETED (410)
 */
export async function showOriginal(
  { database }: Pick<ImportDeps, 'database'>,
  { user_id, import_id }: ImportOfUser,
) {
  const row = await selectImport(database, user_id, import_id);
  if (row === undefined || row.state === 'receiving') throw notFound(import_id);
  if (row.finished_at !== null && row.original_until === null)
    throw new ServiceError('IMPORT_ORIGINAL_DELETED');
  return { name: row.name, bytes: row.bytes };
}

/** A part of an original. The import is looked up for each one, so that its erasure ends a download. */
export async function readOriginal(
  deps: Pick<ImportDeps, 'database' | 'folder'>,
  { part, ...importOfUser }: ImportOfUser & { readonly part: number },
) {
  await showOriginal(deps, importOfUser);
  try {
    return { bytes: (await deps.folder.read(importOfUser.import_id, part)).toString('base64') };
  } catch (error) {
    throw isAbsent(error) ? new ServiceError('IMPORT_ORIGINAL_DELETED') : error;
  }
}

/** Cancels an import; of one that has ended, the original is deleted. @throws IMPORT_NOT_FOUND (404) */
export async function cancelImport(deps: ImportDeps, importOfUser: ImportOfUser): Promise<FileImport> {
  const { database, origin } = deps;
  const { member_reports: _, ...before } = await showImport(deps, importOfUser);
  const subject = { userId: importOfUser.user_id, subjectId: before.id };
  const ended = await database.transaction(async (transaction) => {
    const row = await endImport(transaction, before.id, { state: 'cancelled' });
    if (row !== undefined) {
      await cancelJob(transaction, importKind, before.id);
      await recordAudit(transaction, origin, { action: 'import.cancelled', ...subject });
    } else if (await dropOriginal(transaction, importOfUser.user_id, before.id))
      await recordAudit(transaction, origin, { action: 'import.original_deleted', ...subject });
    return row;
  });
  await removeUnneeded(deps, [before.id]);
  return ended === undefined ? { ...before, original_until: null } : toWire(ended);
}

/** Cancels the imports of a connection that ended. */
export async function stopImports({ database, folder }: ImportDeps, connectionId: string) {
  for (const id of await selectOpenOf(database, connectionId)) {
    await endImport(database, id, { state: 'cancelled', error: 'The connection ended.' });
    await cancelJob(database, importKind, id);
    await folder.remove(id);
  }
}

/**
 * Deletes the imports of a purged connection with their files. An import whose file is still arriving belongs to no
 * connection. When it is created, it reconnects, and the pending purge runs before its data is stored.
 */
export async function purgeImports(deps: ImportDeps, userId: string) {
  await forget(deps, await deleteReceived(deps.database, userId));
}

/** Deletes the imports of a user with their files. */
export async function forgetImports(deps: ImportDeps, userId: string) {
  await forget(deps, await deleteImports(deps.database, userId));
}

async function forget({ database, folder }: ImportDeps, ids: readonly string[]) {
  for (const id of ids) {
    await cancelJob(database, importKind, id);
    await folder.remove(id);
  }
}

/** An import in the form of the API. */
function toWire(row: ImportRow): FileImport {
  return {
    id: row.id,
    user_id: row.user_id,
    state: row.state,
    name: row.name,
    kind: row.kind,
    bytes: row.bytes,
    bytes_read: row.bytes_read,
    items: row.position,
    members: membersOf(row),
    counts: { ...row.counts },
    skipped: row.skipped.map((skipped) => ({ ...skipped, positions: [...(skipped.positions ?? [])] })),
    start_time: instantOrNull(row.first_time),
    end_time: instantOrNull(row.last_time),
    error: row.error,
    created_at: formatInstant(row.created_at.getTime()),
    finished_at: instantOrNull(row.finished_at),
    original_until: instantOrNull(row.original_until),
  };
}

function membersOf({ members, members_damaged, members_unread, member_path, state }: ImportRow) {
  if (members === null) return null;
  const done = state === 'done' ? members : Math.min(members, member_path[0] ?? 0);
  return { total: members, done, damaged: members_damaged, unread: members_unread };
}

const statuses: Readonly<Record<FileImport['state'], Backfill['status']>> = {
  receiving: 'running',
  waiting: 'running',
  reading: 'running',
  done: 'done',
  failed: 'failed',
  cancelled: 'cancelled',
};

/** The newest import as a backfill. @throws BACKFILL_NOT_FOUND (404) */
export async function newestAsBackfill(
  { database }: Pick<ImportDeps, 'database'>,
  userId: string,
): Promise<Backfill> {
  const [row] = await selectImports(database, userId, 1);
  if (row === undefined) throw new ServiceError('BACKFILL_NOT_FOUND');
  const created_at = formatInstant(row.created_at.getTime());
  const finished_at = instantOrNull(row.finished_at);
  return {
    id: row.id,
    user_id: row.user_id,
    provider,
    status: statuses[row.state],
    reason: row.error,
    created_at,
    start_time: instantOrNull(row.first_time) ?? created_at,
    end_time: instantOrNull(row.last_time) ?? created_at,
    finished_at,
    types: Object.entries(row.counts).map(([type, items]) => ({
      type,
      status: finished_at === null ? 'requested' : 'received',
      reason: null,
      items,
      saved: items,
      skipped: row.skipped.flatMap((one) =>
        one.type === type ? [{ reason: one.reason, records: one.items }] : [],
      ),
      requests: 1,
      requests_done: finished_at === null ? 0 : 1,
      requested_at: created_at,
      received_at: finished_at,
    })),
  };
}
