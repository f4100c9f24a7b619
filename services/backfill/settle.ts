import type { Database, Queryable } from '../../mixins/database/database.ts';
import { backoffMs } from '../../runtime/jobs/backoff.ts';
import type { BegunStep } from './queries/begin-step.ts';
import type { RunLease } from './queries/claim-runs.ts';
import { deleteRuns } from './queries/delete-runs.ts';
import { endRun } from './queries/end-run.ts';
import { holdRun } from './queries/hold-run.ts';
import { acceptStep, closeStep, postponeStep, releaseRun, skipRestOfType } from './queries/settle-step.ts';
import type { Verdict } from './verdict.ts';

/** With pauses that double from 2 s to half an hour, 12 attempts cover two hours on average. */
const mostAttempts = 12;

const atOnce = { inMs: 0 };

/** Stores the outcome of a step and the next due time of its run; false if the run ended or another process holds it. */
export function settle(
  database: Database,
  run: RunLease,
  step: BegunStep,
  verdict: Verdict,
  waitMs: number,
): Promise<boolean> {
  return database.transaction(async (transaction) => {
    if ((await holdRun(transaction, run)) === null) return false;
    await write(transaction, run, step, verdict, waitMs);
    return true;
  });
}

async function write(
  transaction: Queryable,
  run: RunLease,
  step: BegunStep,
  verdict: Verdict,
  waitMs: number,
): Promise<void> {
  const key = { runId: run.id, position: step.position };
  switch (verdict.kind) {
    case 'accepted':
      return releaseRun(transaction, run.id, (await acceptStep(transaction, key, waitMs)) ?? atOnce);
    case 'skip':
      await closeStep(transaction, key, 'skipped', verdict.reason);
      if (verdict.wholeType) await skipRestOfType(transaction, key, verdict.reason);
      return releaseRun(transaction, run.id, atOnce);
    case 'fail':
      await closeStep(transaction, key, 'failed', verdict.reason);
      return releaseRun(transaction, run.id, atOnce);
    case 'wait':
      return postpone(transaction, key, true, verdict.ms);
    case 'retry':
      if (step.attempts < mostAttempts)
        return postpone(transaction, key, false, Math.max(verdict.atLeastMs, backoffMs(step.attempts)));
      await closeStep(transaction, key, 'failed', 'PROVIDER_FAILED');
      return releaseRun(transaction, run.id, atOnce);
    case 'stop':
      await endRun(transaction, run.connection_id, 'stopped', verdict.reason);
      return;
    case 'forget':
      await deleteRuns(transaction, run.user_id);
      return;
    case 'unauthorized':
    case 'interrupted':
      // The step stays `requested`: it is unknown whether the provider accepted it.
      return releaseRun(transaction, run.id, atOnce);
  }
}

// A step whose data arrived before the answer is complete, whatever the answer is.
async function postpone(
  transaction: Queryable,
  key: { readonly runId: string; readonly position: number },
  notAsked: boolean,
  inMs: number,
): Promise<void> {
  const isOpen = await postponeStep(transaction, key, { notAsked });
  await releaseRun(transaction, key.runId, isOpen ? { inMs } : atOnce);
}
