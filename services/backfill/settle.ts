import type { Database, Queryable } from '../../mixins/database.ts';
import { backoffMs } from '../../mixins/inbox-worker.ts';
import type { BegunStep } from './queries/begin-step.ts';
import type { RunLease } from './queries/claim-runs.ts';
import { deleteRuns } from './queries/delete-runs.ts';
import { endRun } from './queries/end-run.ts';
import { holdRun } from './queries/hold-run.ts';
import { acceptStep, closeStep, postponeStep, releaseRun, skipRestOfType } from './queries/settle-step.ts';
import type { Verdict } from './verdict.ts';

/** With waits that double from 2 s to half an hour, so many attempts bridge two hours on average. */
export const mostAttempts = 12;

const atOnce = { inMs: 0 };

/** Writes what came of a step, and when its run is due next; false when the run ended or another holds it. */
export function settle(
  database: Database,
  run: RunLease,
  step: BegunStep,
  verdict: Verdict,
  patienceMs: number,
): Promise<boolean> {
  return database.transaction(async (transaction) => {
    if ((await holdRun(transaction, run)) === null) return false;
    await write(transaction, run, step, verdict, patienceMs);
    return true;
  });
}

async function write(
  transaction: Queryable,
  run: RunLease,
  step: BegunStep,
  verdict: Verdict,
  patienceMs: number,
): Promise<void> {
  const key = { runId: run.id, position: step.position };
  switch (verdict.kind) {
    case 'accepted':
      return releaseRun(transaction, run.id, (await acceptStep(transaction, key, patienceMs)) ?? atOnce);
    case 'skip':
      await closeStep(transaction, key, 'skipped', verdict.reason);
      if (verdict.wholeType) await skipRestOfType(transaction, key, verdict.reason);
      return releaseRun(transaction, run.id, atOnce);
    case 'fail':
      await closeStep(transaction, key, 'failed', verdict.reason);
      return releaseRun(transaction, run.id, atOnce);
    case 'wait':
      return postpone(transaction, key, true, verdict.ms);
    case 'again':
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
      // The step stays asked: nobody knows whether the provider took it.
      return releaseRun(transaction, run.id, atOnce);
  }
}

// Whose data came while the answer was on its way is through, whatever the answer was.
async function postpone(
  transaction: Queryable,
  key: { readonly runId: string; readonly position: number },
  notAsked: boolean,
  inMs: number,
): Promise<void> {
  const isOpen = await postponeStep(transaction, key, { notAsked });
  await releaseRun(transaction, key.runId, isOpen ? { inMs } : atOnce);
}
