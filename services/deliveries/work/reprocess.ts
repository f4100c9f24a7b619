import type { Logger } from 'moleculer';
import { z } from 'zod';
import type { Database } from '../../../mixins/database/database.ts';
import type { Job, JobKind, JobOutcome } from '../../../mixins/jobs/job-queue.ts';
import { type JobHandler, jobHandler } from '../../../mixins/jobs/jobs.ts';
import { providers } from '../../../providers/all.ts';
import { type Call, callByName } from '../../../runtime/environment.ts';
import { codeOf } from '../../../runtime/failure.ts';
import { backoffMs } from '../../../runtime/jobs/backoff.ts';
import type { Held } from '../../../runtime/jobs/job-worker.ts';
import {
  endRun,
  type ReprocessRunRow,
  recordProgress,
  selectNext,
  selectRun,
} from '../tables/reprocess-runs.ts';

/** A run of kept deliveries through the current normalisers. The key is its id. */
export const reprocessKind: JobKind<Record<string, never>> = {
  name: 'deliveries.reprocess',
  payload: z.object({}),
};

interface Deps {
  readonly database: Database;
  readonly call: Call;
  readonly logger: Logger;
}

/** A run works for this time, then rests for a multiple of it, so that reads and live data are hardly slower. */
const sliceMs = 250;
const restFactor = 4;
/** How soon a run continues whose next delivery is being processed. */
const inWorkMs = 1000;
/** A delivery that fails this often is left out. */
const mostFailures = 5;

/** Works on runs, one at a time in a process. */
export function reprocessHandler(deps: Deps): JobHandler {
  return jobHandler(reprocessKind, (job, held) => workRun(deps, job, held));
}

async function workRun(deps: Deps, job: Job<unknown>, { signal }: Held): Promise<JobOutcome> {
  const began = performance.now();
  while (!signal.aborted) {
    const run = await selectRun(deps.database, job.key);
    if (run === undefined || run.state !== 'running') return { kind: 'done' };
    const delivery = await selectNext(deps.database, run.id);
    if (delivery === undefined) return ended(deps, run);
    if (delivery.state === 'working') return { kind: 'again', delayMs: inWorkMs };
    try {
      const { service } = providers[run.provider].ingest;
      await callByName(deps.call, `${service}.reprocess`, { delivery_id: delivery.id });
      await recordProgress(deps.database, run, { deliveryId: delivery.id, failed: false });
    } catch (error) {
      return failed(deps, run, job, { deliveryId: delivery.id, reason: codeOf(error) });
    }
    const tookMs = performance.now() - began;
    if (tookMs >= sliceMs) return { kind: 'again', delayMs: tookMs * restFactor };
  }
  return { kind: 'stopped' };
}

async function ended({ database, logger }: Deps, { id }: ReprocessRunRow): Promise<JobOutcome> {
  const row = await endRun(database, id, 'done');
  if (row !== undefined) logger.info('reprocess.done', { run_id: id, deliveries: row.deliveries_done });
  return { kind: 'done' };
}

async function failed(
  { database, logger }: Deps,
  run: ReprocessRunRow,
  { failures }: Job<unknown>,
  { deliveryId, reason }: { readonly deliveryId: string; readonly reason: string },
): Promise<JobOutcome> {
  logger.warn('reprocess.failed', { run_id: run.id, delivery_id: deliveryId, code: reason });
  if (failures + 1 < mostFailures || reason === 'SERVICE_UNAVAILABLE')
    return { kind: 'later', reason, delayMs: backoffMs(failures + 1) };
  await recordProgress(database, run, { deliveryId, failed: true });
  return { kind: 'again', delayMs: 0 };
}
