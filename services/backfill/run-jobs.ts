import type { Database } from '../../mixins/database/database.ts';
import type { ProviderApi } from '../../mixins/provider-api/provider-api.ts';
import type { ProviderTokens } from '../../mixins/provider-api/provider-tokens.ts';
import type { Environment } from '../../runtime/environment.ts';
import type { Held, JobSource } from '../../runtime/jobs/job-worker.ts';
import { ask } from './ask.ts';
import { requestedProviders } from './provider.ts';
import { type BegunStep, beginStep } from './queries/begin-step.ts';
import { claimRuns, extendRun, isRunDue, type RunLease } from './queries/claim-runs.ts';
import { endRun, finishRun } from './queries/end-run.ts';
import { holdRun } from './queries/hold-run.ts';
import { settle } from './settle.ts';

/** The pace of the worker. */
export type RunPace = Pick<JobSource<RunLease>, 'pollMs' | 'parallel' | 'leaseMs'>;

/** The pace in production. */
export const runPace: RunPace = {
  pollMs: 1000,
  parallel: 4,
  leaseMs: 90_000,
};

/** Dependencies of the worker. */
export interface RunDeps extends Pick<Environment, 'config' | 'logger'> {
  readonly database: Database;
  readonly api: ProviderApi;
  readonly tokens: ProviderTokens;
}

/** The backfills as jobs. One run of a job is one step. */
export function runJobs(deps: RunDeps, pace: RunPace): JobSource<RunLease> {
  const { database } = deps;
  return {
    ...pace,
    name: 'backfill.step',
    needs: ['users.tokens'],
    due: { database, condition: () => isRunDue },
    claim: (free) => claimRuns(database, requestedProviders, free, pace.leaseMs),
    extend: (run) => extendRun(database, run, pace.leaseMs),
    work: (run, held) => workOnStep(deps, run, held),
  };
}

// After an internal failure the step is retried when the lease ends.
async function workOnStep(deps: RunDeps, run: RunLease, { signal }: Held): Promise<string> {
  const { database, config, api, tokens, logger } = deps;
  const step = await nextStep(database, run);
  if (step === null) return 'nothing';
  const asked = await ask({ config, api, tokens, signal }, run, step);
  const verdict = signal.aborted && asked.kind === 'retry' ? ({ kind: 'interrupted' } as const) : asked;
  // How long to wait for the data of a request: the provider combines the requests of 5 minutes in one payload.
  const waitMs = config.BACKFILL_WAIT_SECONDS * 1000;
  const outcome = (await settle(database, run, step, verdict, waitMs)) ? verdict.kind : 'lost';
  logger.info('backfill.asked', { run_id: run.id, type: step.type, attempt: step.attempts, outcome });
  return outcome;
}

// Null: no request is due now, or the run has ended.
function nextStep(database: Database, run: RunLease): Promise<BegunStep | null> {
  return database.transaction(async (transaction) => {
    const held = await holdRun(transaction, run);
    if (held === null) return null;
    if (held.is_old) {
      await endRun(transaction, run.connection_id, 'failed', 'TOOK_TOO_LONG');
      return null;
    }
    const step = await beginStep(transaction, run.id);
    if (step === 'through') await finishRun(transaction, run.id);
    return typeof step === 'string' ? null : step;
  });
}
