import type { z } from 'zod';
import type { Reprocess, reprocessActions } from '../../../contracts/deliveries/reprocess.ts';
import { ServiceError } from '../../../domain/errors.ts';
import { formatInstant, instantOrNull, isoTimeOrNull } from '../../../domain/time/time.ts';
import { recordAudit } from '../../../mixins/database/audit.ts';
import type { Database, Queryable } from '../../../mixins/database/database.ts';
import { cancelJob, enqueue } from '../../../mixins/jobs/job-queue.ts';
import { lanes } from '../../../mixins/jobs/lanes.ts';
import { normaliserVersionOf, providerNames, reprocesses } from '../../../providers/all.ts';
import { type AuditOrigin, systemOrigin } from '../../../runtime/audit-origin.ts';
import {
  endRun,
  insertRun,
  type ReprocessRunRow,
  type RunRequest,
  raiseNormaliserVersion,
  selectRun,
  selectRunning,
} from '../tables/reprocess-runs.ts';
import { reprocessKind } from '../work/reprocess.ts';

type Asked = z.output<typeof reprocessActions.startReprocess.params>;

/** A run may end between the insert that it refused and the read of it; then the insert is repeated. */
const mostTries = 3;

/**
 * Starts a run, or returns the run of the same request.
 * @throws REPROCESS_UNSUPPORTED (409)
 */
export function startRun(database: Database, origin: AuditOrigin, asked: Asked): Promise<Reprocess> {
  return database.transaction((transaction) => startRunIn(transaction, origin, asked));
}

/**
 * Starts a run of the kept deliveries of each provider whose normalisers are newer than those that processed them. Of several
 * processes one starts it. A process of an older release never lowers a version.
 */
export async function reprocessForNewNormalisers(database: Database): Promise<void> {
  for (const provider of providerNames.filter(reprocesses))
    await database.transaction(async (transaction) => {
      const isDue = await raiseNormaliserVersion(transaction, provider, normaliserVersionOf(provider));
      if (isDue) await startRunIn(transaction, systemOrigin('deliveries'), { provider });
    });
}

async function startRunIn(
  transaction: Queryable,
  origin: AuditOrigin,
  { provider, from }: Asked,
): Promise<Reprocess> {
  if (!reprocesses(provider)) throw new ServiceError('REPROCESS_UNSUPPORTED');
  const request: RunRequest = {
    provider,
    from_time: isoTimeOrNull(from?.ms ?? null),
    normaliser_version: normaliserVersionOf(provider),
  };
  for (let tries = 0; tries < mostTries; tries += 1) {
    const row = await insertRun(transaction, request);
    if (row !== undefined) return begin(transaction, origin, row);
    const running = await selectRunning(transaction, request);
    if (running !== undefined) return toWire(running);
  }
  throw new ServiceError('SERVICE_UNAVAILABLE');
}

async function begin(transaction: Queryable, origin: AuditOrigin, row: ReprocessRunRow): Promise<Reprocess> {
  const { id, provider } = row;
  const entry = { subjectId: id, details: { provider } };
  await recordAudit(transaction, origin, { ...entry, action: 'delivery.reprocess_started' });
  await enqueue(transaction, reprocessKind, { key: id, payload: {}, lane: lanes.historical });
  return toWire(row);
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
  const { id, provider, normaliser_version } = row;
  return {
    id,
    provider,
    from: instantOrNull(row.from_time),
    status: row.state,
    normaliser_version,
    deliveries: {
      total: row.deliveries_total,
      done: row.deliveries_done,
      failed: row.deliveries_failed,
    },
    created_at: formatInstant(row.created_at.getTime()),
    finished_at: instantOrNull(row.finished_at),
  };
}
