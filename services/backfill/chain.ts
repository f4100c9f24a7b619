import type { Database } from '../../mixins/database.ts';
import type { ProviderApi } from '../../mixins/provider-api.ts';
import type { ProviderTokens } from '../../mixins/provider-tokens.ts';
import type { Environment } from '../../runtime/environment.ts';
import { codeOf } from '../../runtime/failure.ts';
import type { WakeSignal } from '../../runtime/wake-signal.ts';
import { ask } from './ask.ts';
import { requestedProviders } from './provider.ts';
import { type BegunStep, beginStep } from './queries/begin-step.ts';
import { claimRuns, type RunLease } from './queries/claim-runs.ts';
import { endRun, finishRun } from './queries/end-run.ts';
import { holdRun } from './queries/hold-run.ts';
import { settle } from './settle.ts';
import type { Verdict } from './verdict.ts';

/** The pace of the worker. */
export interface ChainPace {
  readonly pollMs: number;
  readonly parallel: number;
  /** Another process takes a run over after this time; the request of a step must end before. */
  readonly leaseMs: number;
}

/** The pace in production. */
export const chainPace: ChainPace = {
  pollMs: 1000,
  parallel: 4,
  leaseMs: 90_000,
};

/** Dependencies of the worker. */
export interface ChainDeps extends Environment {
  readonly database: Database;
  readonly api: ProviderApi;
  readonly tokens: ProviderTokens;
  readonly wakeSignal: WakeSignal;
}

interface Walk {
  readonly deps: ChainDeps;
  readonly pace: ChainPace;
  /** Aborted: no new step begins. */
  readonly closing: AbortSignal;
  /** Aborted: running requests are cancelled. */
  readonly stopping: AbortSignal;
  readonly running: Set<Promise<void>>;
}

/** How long a shutdown waits for running requests. */
const graceMs = 3000;
/** The share of the lease that a request may take; the rest is for storing its outcome. */
const askShare = 0.8;

/** Starts the worker of all backfills; other processes may run the same worker. Returns the function that stops it. */
export function startChain(deps: ChainDeps, pace: ChainPace): () => Promise<void> {
  const closing = new AbortController();
  const stopping = new AbortController();
  const running = new Set<Promise<void>>();
  const walking = walk({ deps, pace, closing: closing.signal, stopping: stopping.signal, running });
  return async () => {
    closing.abort();
    deps.wakeSignal.notify();
    await walking;
    const timer = setTimeout(() => stopping.abort(), graceMs);
    await Promise.all(running);
    clearTimeout(timer);
  };
}

// The poll interval varies randomly, so that processes that start together do not poll at the same time.
async function walk(on: Walk): Promise<void> {
  const { deps, pace, closing } = on;
  while (!closing.aborted) {
    const begun = await claim(on).catch((error: unknown) => {
      deps.logger.warn('backfill.claim_failed', { code: codeOf(error) });
      return 0;
    });
    if (begun === 0) await deps.wakeSignal.wait(pace.pollMs * (0.75 + Math.random() / 2));
  }
}

async function claim(on: Walk): Promise<number> {
  const { deps, pace, running } = on;
  const free = pace.parallel - running.size;
  if (free <= 0 || !deps.broker.registry.actions.isAvailable('users.tokens')) return 0;
  const leases = await claimAny(deps.database, free, pace.leaseMs);
  for (const lease of leases) {
    const going = runStep(on, lease).finally(() => {
      running.delete(going);
      deps.wakeSignal.notify();
    });
    running.add(going);
  }
  return leases.length;
}

async function claimAny(database: Database, free: number, leaseMs: number): Promise<RunLease[]> {
  const leases: RunLease[] = [];
  for (const provider of requestedProviders)
    if (leases.length < free)
      leases.push(...(await claimRuns(database, provider, free - leases.length, leaseMs)));
  return leases;
}

// One step of one run. After an internal failure the step is retried when the lease expires.
async function runStep(on: Walk, run: RunLease): Promise<void> {
  const { deps } = on;
  try {
    const step = await nextStep(deps.database, run);
    if (step === null) return;
    const verdict = await askInTime(on, run, step);
    // How long to wait for the data of a request: the provider combines the requests of 5 minutes in one payload.
    const waitMs = deps.config.BACKFILL_WAIT_SECONDS * 1000;
    const written = await settle(deps.database, run, step, verdict, waitMs);
    deps.logger.info('backfill.asked', {
      run_id: run.id,
      type: step.type,
      attempt: step.attempts,
      outcome: written ? verdict.kind : 'lost',
    });
  } catch (error) {
    deps.logger.warn('backfill.step_failed', { run_id: run.id, code: codeOf(error) });
  }
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

async function askInTime(on: Walk, run: RunLease, step: BegunStep): Promise<Verdict> {
  const { deps, pace, stopping } = on;
  const signal = AbortSignal.any([stopping, AbortSignal.timeout(pace.leaseMs * askShare)]);
  const { config, api, tokens } = deps;
  const verdict = await ask({ config, api, tokens, signal }, run, step);
  return stopping.aborted && verdict.kind === 'retry' ? { kind: 'interrupted' } : verdict;
}
