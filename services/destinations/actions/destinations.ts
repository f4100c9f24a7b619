import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { Config } from '../../../config.ts';
import type { Caller } from '../../../contracts/auth/schemas.ts';
import type {
  Destination,
  DestinationKind,
  DestinationType,
} from '../../../contracts/destinations/schemas.ts';
import type { AuditAction } from '../../../domain/audit.ts';
import { isTargetErrorCode, targetErrors } from '../../../domain/destinations/target-errors.ts';
import { ServiceError } from '../../../domain/errors.ts';
import { formatInstant } from '../../../domain/time/time.ts';
import { type AuditDetails, recordAudit } from '../../../mixins/database/audit.ts';
import type { Database, Queryable } from '../../../mixins/database/database.ts';
import { cancelJob, enqueue } from '../../../mixins/jobs/job-queue.ts';
import type { Cipher } from '../../../mixins/provider-api/cipher.ts';
import type { AuditOrigin } from '../../../runtime/audit-origin.ts';
import type { Meta } from '../../../runtime/environment.ts';
import { projectOf } from '../../../runtime/user-project.ts';
import { checkHosts } from '../rules/allowed-hosts.ts';
import {
  type DestinationRow,
  deleteDestination,
  insertDeletedKeys,
  insertDestination,
  insertErasures,
  isDeletedKey,
  lockDestination,
  mostDestinations,
  pauseDestinationsOfKeys,
  resetDestination,
  type ShownRow,
  selectDestinations,
  selectIdsOfProject,
  selectShown,
  setPaused,
  updateDestination,
} from '../tables/destinations.ts';
import { opened, sealed } from '../tables/secrets.ts';
import { runKind } from '../work/pace.ts';
import { targets } from '../work/targets/all.ts';

interface Managing {
  readonly database: Database;
  readonly cipher: Cipher;
  readonly config: Config;
  readonly origin: AuditOrigin;
  readonly meta: Meta;
  /** Starts the job at once. */
  readonly jobs: { notify(): void };
}

interface Given {
  readonly description?: string | null | undefined;
  readonly settings?: Readonly<Record<string, unknown>> | undefined;
  readonly types?: DestinationType[] | null | undefined;
}

type From = 'beginning' | 'now';

/** Creates a destination. @throws VALIDATION_FAILED (422), DESTINATIONS_FULL (409) */
export async function createDestination(
  deps: Managing,
  { kind, from, description = null, types = null, settings }: Given & { kind: DestinationKind; from: From },
): Promise<Destination> {
  const { database, cipher, config, origin, meta } = deps;
  const target = targets[kind];
  const all = target.parse(settings);
  checkHosts(target.hostsOf(all), config);
  const [id, project_id] = [randomUUID(), projectOf(meta)];
  const stored = { id, project_id, kind, description, types, from_beginning: from === 'beginning' };
  await database.transaction(async (transaction) => {
    const api_key_id = await keyOf(transaction, meta.caller);
    const row = { ...stored, ...sealed(cipher, id, target, all), api_key_id };
    if (!(await insertDestination(transaction, row))) throw new ServiceError('DESTINATIONS_FULL');
    await recordAudit(transaction, origin, { action: 'destination.created', subjectId: id });
    await enqueueRun(transaction, id);
  });
  deps.jobs.notify();
  return findDestination(database, project_id, id);
}

/** Returns all destinations of a project, oldest first. */
export async function listDestinations(database: Queryable, project: string): Promise<Destination[]> {
  const rows = await selectDestinations(database, project);
  return rows.slice(0, mostDestinations).map(toDestination);
}

/** Returns a destination. @throws DESTINATION_NOT_FOUND (404) */
export async function findDestination(
  database: Queryable,
  project: string,
  id: string,
): Promise<Destination> {
  const row = await selectShown(database, project, id);
  if (row === undefined) throw new ServiceError('DESTINATION_NOT_FOUND');
  return toDestination(row);
}

/** Changes a destination. @throws DESTINATION_NOT_FOUND (404), VALIDATION_FAILED (422) */
export function changeDestination(deps: Managing, id: string, given: Given): Promise<Destination> {
  const { cipher, config, meta } = deps;
  return change(deps, id, 'destination.updated', async (transaction, row) => {
    const target = targets[row.kind];
    const former = given.settings === undefined ? row.settings : openedOrShown(cipher, row);
    const all = given.settings === undefined ? null : target.parse({ ...former, ...given.settings });
    if (all !== null) checkHosts(target.hostsOf(all), config);
    const { description = row.description, types = row.types } = given;
    const kept = { settings: row.settings, secrets: row.secrets };
    await updateDestination(transaction, id, {
      description,
      types,
      ...(all === null ? kept : sealed(cipher, id, target, all)),
      // Whoever states where data is written is responsible for it.
      api_key_id: all === null ? row.api_key_id : await keyOf(transaction, meta.caller),
    });
    const isElsewhere =
      all !== null && target.place.some((name) => !isDeepStrictEqual(all[name], row.settings[name]));
    if (isElsewhere || !isDeepStrictEqual(types, row.types))
      await resetDestination(transaction, id, row.from_beginning);
    const fields = (['description', 'settings', 'types'] as const).filter(
      (name) => given[name] !== undefined,
    );
    return { fields };
  });
}

/** Pauses a destination. @throws DESTINATION_NOT_FOUND (404) */
export function pauseDestination(deps: Managing, id: string): Promise<Destination> {
  return change(deps, id, 'destination.paused', (transaction) =>
    plainly(setPaused(transaction, id, 'request')),
  );
}

/** Resumes a destination. @throws DESTINATION_NOT_FOUND (404) */
export function resumeDestination(deps: Managing, id: string): Promise<Destination> {
  return change(deps, id, 'destination.resumed', (transaction) => plainly(setPaused(transaction, id, null)));
}

/** Begins the copy anew. @throws DESTINATION_NOT_FOUND (404) */
export function resetCopy(deps: Managing, id: string, from: From): Promise<Destination> {
  return change(deps, id, 'destination.reset', (transaction) =>
    plainly(resetDestination(transaction, id, from === 'beginning')),
  );
}

/** Deletes a destination. @throws DESTINATION_NOT_FOUND (404) */
export async function removeDestination(
  { database, origin, meta }: Managing,
  id: string,
): Promise<Destination> {
  return database.transaction(async (transaction) => {
    const shown = await findDestination(transaction, projectOf(meta), id);
    // Another call may have deleted it in the meantime.
    if (!(await dropDestination(transaction, id))) throw new ServiceError('DESTINATION_NOT_FOUND');
    await recordAudit(transaction, origin, { action: 'destination.deleted', subjectId: id });
    return shown;
  });
}

/** Deletes a destination with its job. Returns whether it was there. */
async function dropDestination(transaction: Queryable, id: string): Promise<boolean> {
  await cancelJob(transaction, runKind, id);
  return deleteDestination(transaction, id);
}

/** Makes the job of a destination due. */
export async function enqueueRun(transaction: Queryable, id: string): Promise<void> {
  await enqueue(transaction, runKind, { key: id, payload: { destination_id: id } });
}

// A change whose entry has no details.
async function plainly(work: Promise<void>): Promise<undefined> {
  await work;
}

async function change(
  { database, origin, meta, jobs }: Managing,
  id: string,
  action: AuditAction,
  work: (transaction: Queryable, row: DestinationRow) => Promise<AuditDetails | undefined>,
): Promise<Destination> {
  const project = projectOf(meta);
  await database.transaction(async (transaction) => {
    const row = await lockDestination(transaction, project, id);
    if (row === undefined) throw new ServiceError('DESTINATION_NOT_FOUND');
    const details = await work(transaction, row);
    await recordAudit(transaction, origin, {
      action,
      subjectId: id,
      ...(details ? { details } : {}),
    });
    await enqueueRun(transaction, id);
  });
  jobs.notify();
  return findDestination(database, project, id);
}

// Secrets that cannot be decrypted are given anew.
function openedOrShown(cipher: Cipher, row: DestinationRow): Readonly<Record<string, unknown>> {
  try {
    return opened(cipher, row);
  } catch {
    return row.settings;
  }
}

/** The API key of a caller; null for others. @throws UNAUTHENTICATED (401) if it was deleted after the request was admitted */
async function keyOf(transaction: Queryable, caller: Caller | null | undefined): Promise<string | null> {
  if (caller?.kind !== 'api-key') return null;
  if (await isDeletedKey(transaction, caller.id))
    throw new ServiceError('UNAUTHENTICATED', 'The API key was deleted.');
  return caller.id;
}

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

/** Has a deleted user removed from all destinations, also from paused ones. */
export function forgetUser(database: Database, userId: string): Promise<void> {
  return database.transaction(async (transaction) => {
    for (const id of await insertErasures(transaction, userId)) await enqueueRun(transaction, id);
  });
}

/** With more changes behind a destination catches up. */
const mostBehind = 1000;

/** A destination as it is shown, without its secrets. */
function toDestination(row: ShownRow): Destination {
  const { id, kind, description, settings, types, paused_reason, lag_seconds, changes_behind } = row;
  return {
    id,
    kind,
    description,
    settings,
    types,
    paused_reason,
    lag_seconds,
    changes_behind,
    from: row.from_beginning ? 'beginning' : 'now',
    state: stateOf(row),
    snapshot_complete: row.snapshot === null,
    failing_since: timeOf(row.failing_since),
    last_error: errorOf(row),
    rows_written: Number(row.rows_written),
    last_commit_at: timeOf(row.last_commit_at),
    erasures_open: row.erasures_open,
    api_key_id: row.api_key_id,
    created_at: formatInstant(row.created_at.getTime()),
    updated_at: formatInstant(row.updated_at.getTime()),
  };
}

function stateOf({ paused, failing_since, snapshot, changes_behind }: ShownRow): Destination['state'] {
  if (paused) return 'paused';
  if (failing_since !== null) return 'failing';
  return snapshot !== null || changes_behind > mostBehind ? 'catching_up' : 'running';
}

function errorOf({ last_error: code, last_error_at: at }: ShownRow): Destination['last_error'] {
  if (code === null || at === null) return null;
  const message = isTargetErrorCode(code) ? targetErrors[code] : targetErrors.failed;
  return { code, message, at: formatInstant(at.getTime()) };
}

const timeOf = (at: Date | null) => (at === null ? null : formatInstant(at.getTime()));
