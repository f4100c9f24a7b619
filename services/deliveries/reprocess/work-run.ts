import type { Logger } from 'moleculer';
import { z } from 'zod';
import { addedChanges, addedItems, type Position, ReprocessedPart } from '../../../contracts/reprocess.ts';
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
  moveToNext,
  type ReprocessRunRow,
  recordProgress,
  selectRun,
} from '../queries/reprocess-runs.ts';

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
    try {
      if (!(await step(deps, run))) return { kind: 'done' };
    } catch (error) {
      return failed(deps, run, job, codeOf(error));
    }
    const tookMs = performance.now() - began;
    if (tookMs >= sliceMs) return { kind: 'again', delayMs: tookMs * restFactor };
  }
  return { kind: 'stopped' };
}

/** Processes a bounded part. Returns false if nothing is left. */
async function step(deps: Deps, run: ReprocessRunRow): Promise<boolean> {
  const { database, logger } = deps;
  if (run.place_id === null || run.position === null) {
    if ((await moveToNext(database, run)) !== undefined) return true;
    const ended = await endRun(database, run.id, 'done');
    if (ended !== undefined)
      logger.info('reprocess.done', { run_id: run.id, deliveries: ended.deliveries_done });
    return false;
  }
  const { next, changes, items } = await processed(deps, run, run.place_id, run.position);
  await recordProgress(database, run, {
    position: next,
    changes: addedChanges(run.changes, changes),
    items: addedItems(run.items, items),
    failed: false,
  });
  return true;
}

async function processed({ call }: Deps, run: ReprocessRunRow, delivery_id: string, from: Position) {
  const { service } = providers[run.provider].ingest;
  const { type, dry_run } = run;
  const params = { delivery_id, type, dry_run, from };
  return ReprocessedPart.parse(await callByName(call, `${service}.reprocess`, params));
}

async function failed(
  { database, logger }: Deps,
  run: ReprocessRunRow,
  { failures }: Job<unknown>,
  reason: string,
): Promise<JobOutcome> {
  logger.warn('reprocess.failed', { run_id: run.id, delivery_id: run.place_id, code: reason });
  if (failures + 1 < mostFailures || reason === 'SERVICE_UNAVAILABLE')
    return { kind: 'later', reason, delayMs: backoffMs(failures + 1) };
  const { changes, items } = run;
  await recordProgress(database, run, { position: null, changes, items, failed: true });
  return { kind: 'again', delayMs: 0 };
}
