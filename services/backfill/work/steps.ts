import type { Config } from '../../../config.ts';
import type { Database, Queryable } from '../../../mixins/database/database.ts';
import type { ProviderAnswer, ProviderApi } from '../../../mixins/provider-api/provider-api.ts';
import {
  type Bearer,
  type ProviderTokens,
  sendWithToken,
} from '../../../mixins/provider-api/provider-tokens.ts';
import { providers } from '../../../providers/all.ts';
import type { Environment } from '../../../runtime/environment.ts';
import { backoffMs } from '../../../runtime/jobs/backoff.ts';
import type { Held, JobSource } from '../../../runtime/jobs/job-worker.ts';
import { requestedProviders } from '../rules/providers.ts';
import { type Verdict, verdictOf, verdictWithout } from '../rules/verdict.ts';
import {
  claimRuns,
  deleteRuns,
  endRun,
  extendRun,
  finishRun,
  holdRun,
  isRunDue,
  type RunLease,
  releaseRun,
} from '../tables/runs.ts';
import {
  acceptStep,
  type BegunStep,
  beginStep,
  closeStep,
  postponeStep,
  skipRestOfType,
} from '../tables/steps.ts';

/** The pace of the worker. */
export type RunPace = Pick<JobSource<RunLease>, 'pollMs' | 'parallel' | 'leaseMs'>;

/** The pace in production. */
export const runPace: RunPace = {
  pollMs: 1000,
  parallel: 4,
  leaseMs: 90_000,
};

/** Dependencies of the worker. */
interface RunDeps extends Pick<Environment, 'config' | 'logger'> {
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
  const answer = await ask({ config, api, tokens, signal }, run, step);
  const verdict = signal.aborted && answer.kind === 'retry' ? ({ kind: 'interrupted' } as const) : answer;
  // How long to wait for the data of a request: the provider combines the requests of 5 minutes in one payload.
  const waitMs = config.BACKFILL_WAIT_SECONDS * 1000;
  const outcome = (await settle(database, run, step, verdict, waitMs)) ? verdict.kind : 'lost';
  logger.info('backfill.asked', { run_id: run.id, type: step.type, attempt: step.attempts, outcome });
  return outcome;
}

// Null: no request is due now, or the run has ended.
function nextStep(database: Database, run: RunLease): Promise<BegunStep | null> {
  return database.transaction(async (transaction) => {
    const lockedRun = await holdRun(transaction, run);
    if (lockedRun === null) return null;
    if (lockedRun.is_old) {
      await endRun(transaction, run.connection_id, 'failed', 'TOOK_TOO_LONG');
      return null;
    }
    const step = await beginStep(transaction, run.id);
    if (step === 'through') await finishRun(transaction, run.id);
    return typeof step === 'string' ? null : step;
  });
}

/** Dependencies of a request. */
interface RequestDeps {
  readonly config: Config;
  readonly api: ProviderApi;
  readonly tokens: ProviderTokens;
  readonly signal: AbortSignal;
}

/** Requests the data of one step from the provider, which delivers it later through the webhook. */
export function ask(deps: RequestDeps, run: RunLease, step: BegunStep): Promise<Verdict> {
  return sendWithToken<Verdict>(deps.tokens, run, deps.signal, {
    send: (bearer) => requestWith(deps, run, step, bearer),
    without: verdictWithout,
  });
}

// Null: the provider refuses the token.
async function requestWith(
  { api, config, signal, tokens }: RequestDeps,
  { provider, connected_at }: RunLease,
  step: BegunStep,
  bearer: Bearer,
): Promise<Verdict | null> {
  if (Date.parse(bearer.connected_at) !== connected_at.getTime())
    return { kind: 'stop', reason: 'CONNECTION_REPLACED' };
  const { url: urlOf, refusals } = providers[provider].backfill;
  const { type, start_time, end_time } = step;
  const url = urlOf(config, { type, startMs: start_time.getTime(), endMs: end_time.getTime() });
  const answer: ProviderAnswer = await api.request({ url, token: bearer.token, signal });
  if (answer.status === 401) return null;
  if (answer.status >= 200 && answer.status < 300) await tokens.worked(bearer);
  return verdictOf(answer, refusals, { isRetry: step.attempts > 1 || answer.tries > 1, nowMs: Date.now() });
}

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
      return postpone(transaction, key, { isCounted: false, inMs: verdict.ms });
    case 'retry':
      if (step.attempts < mostAttempts)
        return postpone(transaction, key, {
          isCounted: true,
          inMs: Math.max(verdict.atLeastMs, backoffMs(step.attempts)),
        });
      await closeStep(transaction, key, 'failed', 'PROVIDER_FAILED');
      return releaseRun(transaction, run.id, atOnce);
    case 'stop':
      await endRun(transaction, run.connection_id, 'stopped', verdict.reason);
      return;
    case 'forget':
      await deleteRuns(transaction, run.user_id);
      return;
    case 'interrupted':
      // The step stays `requested`: it is unknown whether the provider accepted it.
      return releaseRun(transaction, run.id, atOnce);
  }
}

// A step whose data arrived before the answer is complete, whatever the answer is.
async function postpone(
  transaction: Queryable,
  key: { readonly runId: string; readonly position: number },
  { isCounted, inMs }: { readonly isCounted: boolean; readonly inMs: number },
): Promise<void> {
  const isOpen = await postponeStep(transaction, key, isCounted);
  await releaseRun(transaction, key.runId, isOpen ? { inMs } : atOnce);
}
