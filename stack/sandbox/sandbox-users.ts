// The synthetic users of the sandbox. The sandbox is a guest: the product runs and its start page is shown without it. Users
// are connected in the background, what fails is tried again, and each new reason of a failure is one line.
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ServiceBroker } from 'moleculer';
import type { Config } from '../../config.ts';
import { dayMs } from '../../domain/time/time.ts';
import { settingsOf } from '../../runtime/provider-settings.ts';
import { simulations, uploads } from '../../sandbox/all.ts';
import { apiAt } from '../../sandbox/connect/api.ts';
import {
  backfillProgress,
  type ConnectDeps,
  type ConnectedAccount,
  connectUsers,
} from '../../sandbox/connect/connect-users.ts';
import { ensureUser } from '../../sandbox/connect/ensure-user.ts';
import { simulatedUserAt, userTraits } from '../../sandbox/simulation/simulated-users.ts';
import { progressOf } from '../machine/progress.ts';
import type { Lifetime } from '../machine/run-until-signal.ts';
import { serveConnectLink } from './connect-link.ts';
import { type RunningSandbox, sandboxSeed } from './sandbox.ts';
import { sandboxKey } from './sandbox-key.ts';
import type { StartPage } from './start-page.ts';

/** Parameters of connecting the synthetic users. */
export interface SandboxUsersDeps {
  readonly sandbox: RunningSandbox;
  readonly broker: ServiceBroker;
  readonly config: Config;
  readonly url: string;
  readonly dataDir: string;
  readonly signal: AbortSignal;
  readonly started: Lifetime['started'];
  say(line: string): void;
}

/** The page waits no longer for the example. It needs the services only. */
const exampleWithinMs = 20_000;
/** For a request to the sandbox, and for a callback, in which the services wait up to 30 s for it. */
const answerWithinMs = 60_000;
/** The pauses between attempts: a loaded machine is not loaded further. */
const firstPauseMs = 2000;
const longestPauseMs = 60_000;

/** The first synthetic user, for the start page, without a request to the sandbox. Null if the services do not answer in time. */
export async function exampleUser(deps: SandboxUsersDeps): Promise<StartPage['example']> {
  const late = sleep(exampleWithinMs, null, { ref: false, signal: deps.signal });
  return Promise.race([makeExample(deps), late]).catch(() => null);
}

async function makeExample(deps: SandboxUsersDeps): Promise<StartPage['example']> {
  const connecting = await connectingOf(deps);
  const headers = { 'x-api-key': connecting.apiKey };
  const userId = await ensureUser(connecting.api, headers, newUser(0));
  const link = await serveConnectLink(connecting);
  deps.started(link.stop);
  const daysAgo = (days: number) => new Date(Date.now() - days * dayMs).toISOString().slice(0, 10);
  return {
    keyFile: keyFileOf(deps),
    userId,
    day: daysAgo(1),
    from: daysAgo(7),
    connectUrl: link.url,
    sandboxUrl: deps.sandbox.access.url,
  };
}

function newUser(index: number) {
  const { external_user_id, traits } = simulatedUserAt(sandboxSeed, index);
  const [first_name, last_name] = traits.title;
  return { external_user_id, first_name, last_name };
}

const keyFileOf = ({ dataDir }: SandboxUsersDeps) => join(dataDir, 'sandbox.key');

async function connectingOf(deps: SandboxUsersDeps): Promise<ConnectDeps> {
  const { sandbox, broker, url, signal } = deps;
  return {
    api: apiAt({ baseUrl: url, fetch, signal }),
    apiKey: await sandboxKey(broker, url, keyFileOf(deps)),
    sandboxUrl: sandbox.access.url,
    seed: sandboxSeed,
    who: [...userTraits.keys()],
    fetch: (input, init) =>
      fetch(input, { ...init, signal: AbortSignal.any([signal, AbortSignal.timeout(answerWithinMs)]) }),
  };
}

/**
 * Connects the sandbox's users through its consent pages, and shows how much of their data has arrived. Never rejects: an account that
 * cannot be connected is tried again until the stop.
 */
export async function connectSandboxUsers(deps: SandboxUsersDeps): Promise<void> {
  for (const { run } of uploads)
    void untilDone(deps, 'An upload failed', async () => {
      const { api, apiKey, fetch } = await connectingOf(deps);
      await run(api, { apiKey, baseUrl: deps.url, fetch, signal: deps.signal });
    });
  // The progress of the connected accounts does not wait for those that fail.
  const connected = Promise.withResolvers<readonly ConnectedAccount[]>();
  await Promise.all([
    untilDone(deps, 'The sandbox is not complete', () => connectAll(deps, connected.resolve)),
    connected.promise.then((accounts) => showBackfill(deps, accounts)).catch(noProgress(deps)),
  ]);
}

/** @throws Error of the first failure, after everything was tried. */
async function connectAll(
  deps: SandboxUsersDeps,
  onConnected: (accounts: readonly ConnectedAccount[]) => void,
): Promise<void> {
  const failures: unknown[] = [];
  const onFailed = (failure: unknown) => void failures.push(failure);
  const connecting = await connectingOf(deps);
  await pointAt(deps.sandbox, deps.url, deps.signal, deps.config).catch(onFailed);
  const accounts = await connectUsers({ ...connecting, onFailed });
  onConnected(accounts);
  const [failure] = failures;
  if (failure !== undefined) throw failure;
  deps.say(`  Sandbox: ${accounts.length} accounts are connected.`);
}

/** Repeats work until it succeeds or the stop, with growing pauses. Says why it failed the first time. */
async function untilDone(
  { signal, say }: SandboxUsersDeps,
  what: string,
  work: () => Promise<void>,
): Promise<void> {
  for (let pauseMs = firstPauseMs; !signal.aborted; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
    try {
      return await work();
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      if (!signal.aborted && pauseMs === firstPauseMs) say(`  ${what}: ${reason} It is tried again.`);
    }
    await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
  }
}

/**
 * Points the notifications of all providers at the services, at the secret addresses where `config` has secrets. A provider that
 * refuses does not stop the others. @throws the first failure
 */
export async function pointAt(
  { access }: Pick<RunningSandbox, 'access'>,
  url: string,
  signal: AbortSignal,
  config?: Config,
): Promise<void> {
  const request = (to: string, init: RequestInit) => {
    const limited = AbortSignal.any([signal, AbortSignal.timeout(answerWithinMs)]);
    return expectOk(fetch(to, { ...init, signal: limited }));
  };
  const failures: unknown[] = [];
  for (const { name, pointAt } of simulations) {
    const [secret = null] = config === undefined ? [] : settingsOf(config, name).webhookSecrets;
    const target = { access, webhooks: `${url}/api/v1/webhooks`, secret, request };
    await pointAt(target).catch((error: unknown) => failures.push(error));
  }
  if (failures.length > 0) throw failures[0];
}

async function expectOk(asked: Promise<Response>): Promise<Response> {
  const response = await asked;
  if (response.ok) return response;
  throw new Error(`The sandbox answered ${response.status} to ${new URL(response.url).pathname}.`);
}

/** The backfill runs in the background: an error of its progress display is ignored. */
const noProgress =
  ({ say, signal }: SandboxUsersDeps) =>
  (error: unknown) => {
    const why = error instanceof Error ? error.message : String(error);
    if (!signal.aborted) say(`  The progress of the backfill cannot be shown: ${why}`);
  };

const lookEveryMs = 1000;
/** The service itself waits five minutes for a type without data. */
const patienceMs = 6 * 60_000;

async function showBackfill(deps: SandboxUsersDeps, connected: readonly ConnectedAccount[]): Promise<void> {
  const { say, signal } = deps;
  const connecting = await connectingOf(deps);
  const first = await backfillProgress(connecting, connected);
  if (first.running === 0) return;
  const progress = progressOf('Backfill', 'requests', say);
  const began = performance.now();
  let [seen, changedMs] = [first, began];
  try {
    while (seen.running > 0 && performance.now() - changedMs < patienceMs) {
      progress.update(seen.done, seen.requests);
      await sleep(lookEveryMs, undefined, { signal });
      const now = await backfillProgress(connecting, connected);
      if (now.done !== seen.done || now.items !== seen.items) changedMs = performance.now();
      seen = now;
    }
    progress.update(seen.done, seen.requests);
  } finally {
    progress.stop();
  }
  const seconds = Math.round((performance.now() - began) / 1000);
  say(
    seen.running === 0
      ? `  Backfill complete: ${seen.items} items in ${seconds} s. New data follows every quarter of an hour.`
      : '  The backfill is not complete yet; it continues in the background.',
  );
}
