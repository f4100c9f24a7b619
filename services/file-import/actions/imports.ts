import type { Backfill } from '../../../contracts/backfill.ts';
import type { FileImport } from '../../../contracts/file-import.ts';
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
  endImport,
  type ImportRow,
  insertImport,
  selectImport,
  selectImports,
  selectOpenOf,
  setReceived,
  touchReceiving,
} from '../tables/imports.ts';
import type { FileFolder } from '../work/file-folder.ts';
import { importKind } from '../work/run-import.ts';

/** What the actions on imports need. */
export interface ImportDeps {
  readonly database: Database;
  readonly folder: FileFolder;
  readonly call: Call;
  readonly jobs: Jobs;
  readonly origin: AuditOrigin;
  /** Free space of the disk below which the gateway refuses webhooks. */
  readonly reserveBytes: number;
}

interface Named {
  readonly user_id: string;
  readonly import_id: string;
}

const provider = 'file';
const mostOpen = 5;
const mostListed = 100;

/** Admits a file. @throws USER_NOT_FOUND (404), IMPORTS_OPEN (409), SERVICE_UNAVAILABLE (503) */
export async function openImport(deps: ImportDeps, user_id: string, bytes: number) {
  const { call, database } = deps;
  await call('users.get', { user_id });
  await requireSpace(deps, bytes);
  const import_id = await database.transaction((transaction) => insertImport(transaction, user_id, mostOpen));
  if (import_id === null) throw new ServiceError('IMPORTS_OPEN');
  // An erasure that began before the row was there has not seen it.
  await call('users.get', { user_id }).catch(async (error: unknown) => {
    await deleteReceiving(database, user_id, import_id);
    throw error;
  });
  return { import_id };
}

// The import of a file is an act of the user: it also connects again after a disconnect.
async function connected(call: Call, user_id: string): Promise<string> {
  const given = { user_id, provider, provider_user_id: user_id, scope: [] } as const;
  try {
    return (await call('users.connect', { ...given, scope: [] })).id;
  } catch (error) {
    if (!isError(error, 'CONNECTION_EXISTS')) throw error;
    return (await call('users.connection', { user_id, provider })).id;
  }
}

interface Disk {
  readonly folder: Pick<FileFolder, 'freeBytes'>;
  readonly reserveBytes: number;
}

/** Below the reserve the gateway refuses webhooks, so imports leave twice as much. @throws SERVICE_UNAVAILABLE (503) */
export async function requireSpace({ folder, reserveBytes }: Disk, bytes: number): Promise<void> {
  if ((await folder.freeBytes()) < 2 * reserveBytes + bytes)
    throw new ServiceError('SERVICE_UNAVAILABLE', 'The disk has no room for this file now.');
}

/** Stores a part. It is written before the import is looked up, so that no erasure leaves one behind. */
export async function appendPart(
  deps: ImportDeps,
  { user_id, import_id, part, bytes }: Named & { readonly part: number; readonly bytes: string },
) {
  await requireSpace(deps, bytes.length);
  await deps.folder.write(import_id, part, Buffer.from(bytes, 'base64'));
  if (await touchReceiving(deps.database, user_id, import_id)) return { stored: true as const };
  const row = await selectImport(deps.database, user_id, import_id);
  if (row === undefined || row.finished_at !== null) await deps.folder.remove(import_id);
  throw notFound(import_id);
}

const notFound = (id: string) => new ServiceError('IMPORT_NOT_FOUND', `Import ${id} does not exist.`);

/** The file has arrived: it is read in the background. */
export async function createImport(
  { database, call, jobs, origin }: ImportDeps,
  given: Named & { readonly name: string | null; readonly bytes: number },
): Promise<FileImport> {
  const { user_id, import_id } = given;
  const connectionId = await connected(call, user_id);
  const row = await database.transaction(async (transaction) => {
    const received = await setReceived(transaction, { ...given, connectionId });
    if (received === undefined) throw notFound(import_id);
    const details = { bytes: given.bytes };
    await recordAudit(transaction, origin, {
      ...{ action: 'import.created', userId: user_id, subjectId: import_id, details },
    });
    await enqueue(transaction, importKind, { key: import_id, payload: { import_id } });
    return received;
  });
  jobs.notify();
  return toWire(row);
}

/** Deletes what arrived of a file. */
export async function dropImport({ database, folder }: ImportDeps, { user_id, import_id }: Named) {
  const dropped = await deleteReceiving(database, user_id, import_id);
  if (dropped) await folder.remove(import_id);
  return { dropped };
}

/** One import. @throws IMPORT_NOT_FOUND (404) */
export async function showImport(
  { database }: Pick<ImportDeps, 'database'>,
  named: Named,
): Promise<FileImport> {
  const row = await selectImport(database, named.user_id, named.import_id);
  if (row === undefined) throw notFound(named.import_id);
  return toWire(row);
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

/** Cancels an import. @throws IMPORT_NOT_FOUND (404) */
export async function cancelImport(deps: ImportDeps, named: Named): Promise<FileImport> {
  const { database, origin } = deps;
  const found = await showImport(deps, named);
  const ended = await database.transaction(async (transaction) => {
    const row = await endImport(transaction, found.id, 'cancelled');
    if (row === undefined) return undefined;
    await cancelJob(transaction, importKind, found.id);
    const subject = { userId: named.user_id, subjectId: found.id };
    await recordAudit(transaction, origin, { action: 'import.cancelled', ...subject });
    return row;
  });
  if (ended === undefined) return found;
  await deps.folder.remove(found.id);
  return toWire(ended);
}

/** Cancels the imports of a connection that ended. */
export async function stopImports({ database, folder }: ImportDeps, connectionId: string) {
  const ids = await selectOpenOf(database, connectionId);
  for (const id of ids) {
    await endImport(database, id, 'cancelled', 'The connection ended.');
    await cancelJob(database, importKind, id);
    await folder.remove(id);
  }
  return { stopped: ids.length > 0 };
}

/**
 * Deletes the imports of a purged connection with their files. One whose file still arrives belongs to no connection: it opens the
 * connection again, which carries out the purge once more before the import is stored.
 */
export async function purgeImports(deps: ImportDeps, userId: string) {
  return forget(deps, await deleteReceived(deps.database, userId));
}

/** Deletes the imports of a user with their files. */
export async function forgetImports(deps: ImportDeps, userId: string) {
  return forget(deps, await deleteImports(deps.database, userId));
}

async function forget({ database, folder }: ImportDeps, ids: readonly string[]) {
  for (const id of ids) {
    await cancelJob(database, importKind, id);
    await folder.remove(id);
  }
  return { forgotten: true };
}

/** An import in the form of the API. */
function toWire(row: ImportRow): FileImport {
  const { id, user_id, state, name, kind, bytes, bytes_read, position, counts, skipped, error } = row;
  return {
    ...{ id, user_id, state, name, kind, bytes, bytes_read, items: position },
    ...{
      counts: { ...counts },
      skipped: skipped.map((one) => ({ ...one, positions: [...(one.positions ?? [])] })),
    },
    ...{ start_time: instantOrNull(row.first_time), end_time: instantOrNull(row.last_time), error },
    ...{ created_at: formatInstant(row.created_at.getTime()), finished_at: instantOrNull(row.finished_at) },
  };
}

const statuses: Readonly<Record<FileImport['state'], Backfill['status']>> = {
  ...{ receiving: 'running', waiting: 'running', reading: 'running' },
  ...{ done: 'done', failed: 'failed', cancelled: 'cancelled' },
};

/** The newest import as a backfill. @throws BACKFILL_NOT_FOUND (404) */
export async function newestAsBackfill(
  { database }: Pick<ImportDeps, 'database'>,
  userId: string,
): Promise<Backfill> {
  const [row] = await selectImports(database, userId, 1);
  if (row === undefined) throw new ServiceError('BACKFILL_NOT_FOUND');
  const { id, user_id, state, error, created_at, finished_at, first_time, last_time } = row;
  const at = formatInstant(created_at.getTime());
  const isOver = finished_at !== null;
  return {
    ...{ id, user_id, provider, status: statuses[state], reason: error, created_at: at },
    start_time: instantOrNull(first_time) ?? at,
    end_time: instantOrNull(last_time) ?? at,
    finished_at: instantOrNull(finished_at),
    types: Object.entries(row.counts).map(([type, items]) => ({
      ...{
        type,
        status: isOver ? ('received' as const) : ('requested' as const),
        reason: null,
        items,
        saved: items,
      },
      ...{
        requests: 1,
        requests_done: isOver ? 1 : 0,
        requested_at: at,
        received_at: instantOrNull(finished_at),
      },
    })),
  };
}
