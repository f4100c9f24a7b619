import type { z } from 'zod';
import type { Reprocess, reprocessActions } from '../../../contracts/deliveries/reprocess.ts';
import { noChanges, noItems } from '../../../contracts/reprocess.ts';
import { ServiceError, validationFailed } from '../../../domain/errors.ts';
import { formatInstant, instantOrNull, isoTimeOrNull, resolveRange } from '../../../domain/time/time.ts';
import { recordAudit } from '../../../mixins/database/audit.ts';
import type { Database, Queryable } from '../../../mixins/database/database.ts';
import { cancelJob, enqueue } from '../../../mixins/jobs/job-queue.ts';
import { lanes } from '../../../mixins/jobs/lanes.ts';
import { normaliserVersionOf, type ProviderName, reprocessedTypesOf } from '../../../providers/all.ts';
import type { AuditOrigin } from '../../../runtime/audit-origin.ts';
import {
  endRun,
  insertRun,
  type ReprocessRunRow,
  type RunRequest,
  selectRun,
  selectRunning,
} from '../queries/reprocess-runs.ts';
import { reprocessKind } from './work-run.ts';

type Asked = z.output<typeof reprocessActions.startReprocess.params>;

/** A run may end between the insert that it refused and the read of it; then the insert is repeated. */
const mostTries = 3;

/**
 * Starts a run, or returns the run of the same request.
 * @throws REPROCESS_UNSUPPORTED (409), VALIDATION_FAILED (422), RANGE_INVALID (422)
 */
export function startRun(database: Database, origin: AuditOrigin, asked: Asked): Promise<Reprocess> {
  return database.transaction((transaction) => startRunIn(transaction, origin, asked));
}

/** As `startRun`, within a transaction. */
export async function startRunIn(
  transaction: Queryable,
  origin: AuditOrigin,
  asked: Asked,
): Promise<Reprocess> {
  const request = requestOf(asked);
  for (let tries = 0; tries < mostTries; tries += 1) {
    const row = await insertRun(transaction, request, { changes: noChanges(), items: noItems() });
    if (row !== undefined) return begin(transaction, origin, row);
    const running = await selectRunning(transaction, request);
    if (running !== undefined) return toWire(running);
  }
  throw new ServiceError('SERVICE_UNAVAILABLE');
}

async function begin(transaction: Queryable, origin: AuditOrigin, row: ReprocessRunRow): Promise<Reprocess> {
  const { id, provider, type, dry_run } = row;
  const entry = { subjectId: id, details: { provider, type, dry_run } };
  await recordAudit(transaction, origin, { ...entry, action: 'delivery.reprocess_started' });
  await enqueue(transaction, reprocessKind, { key: id, payload: {}, lane: lanes.historical });
  return toWire(row);
}

function requestOf({ provider, type: asked, from, to, dry_run }: Asked): RunRequest {
  const type = asked ?? null;
  checkType(provider, type);
  const range = from === undefined || to === undefined ? null : resolveRange(from, to, ['from', 'to']);
  return {
    ...{ provider, type, dry_run },
    from_time: isoTimeOrNull(from?.ms ?? null),
    to_time: isoTimeOrNull(range?.endMs ?? to?.ms ?? null),
    normaliser_version: normaliserVersionOf(provider),
  };
}

function checkType(provider: ProviderName, type: string | null): void {
  const types = reprocessedTypesOf(provider);
  if (types === null) throw new ServiceError('REPROCESS_UNSUPPORTED');
  if (type === null || types.includes(type)) return;
  throw validationFailed([{ field: 'type', message: `must be one of ${types.join(', ')}` }]);
}

/** A run. @throws REPROCESS_NOT_FOUND (404) */
export async function readRun(database: Database, id: string): Promise<Reprocess> {
  const row = await selectRun(database, id);
  if (row === undefined) throw new ServiceError('REPROCESS_NOT_FOUND');
  return toWire(row);
}

/** Cancels a run; one that has ended is unchanged. @throws REPROCESS_NOT_FOUND (404) */
export function cancelRun(database: Database, origin: AuditOrigin, id: string): Promise<Reprocess> {
  return database.transaction(async (transaction) => {
    const row = await endRun(transaction, id, 'cancelled');
    if (row === undefined) return readRun(database, id);
    const entry = { subjectId: id, details: { provider: row.provider } };
    await recordAudit(transaction, origin, { ...entry, action: 'delivery.reprocess_cancelled' });
    await cancelJob(transaction, reprocessKind, id);
    return toWire(row);
  });
}

function toWire(row: ReprocessRunRow): Reprocess {
  const { id, provider, type, dry_run, normaliser_version, items, changes } = row;
  return {
    ...{ id, provider, type, from: instantOrNull(row.from_time), to: instantOrNull(row.to_time), dry_run },
    ...{ status: row.state, normaliser_version },
    deliveries: {
      total: row.deliveries_total,
      done: row.deliveries_done,
      failed: row.deliveries_failed,
    },
    ...{ items, changes },
    created_at: formatInstant(row.created_at.getTime()),
    finished_at: instantOrNull(row.finished_at),
  };
}
