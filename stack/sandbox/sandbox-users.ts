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
} from '../../sandbox/connect/connect-users.ts';
import { userTraits } from '../../sandbox/simulation/simulated-users.ts';
import { progressOf } from '../machine/progress.ts';
import type { Lifetime } from '../machine/run-until-signal.ts';
import { StartError } from '../machine/start-error.ts';
import { startConnecting } from './connect-delayed.ts';
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

/** The users, and their connections, for the start page. */
export interface ConnectedUsers {
  readonly example: StartPage['example'];
  /** Shows the progress of their backfill. Resolves when it is finished or takes too long. */
  showBackfill(): Promise<void>;
  /** Resolves when the accounts that could not be connected at once are connected, or cannot be. */
  readonly delayedConnected: Promise<void>;
}

/** Connects the sandbox's users through its consent pages. Their data arrives through webhooks. */
export async function connectSandboxUsers(choice: SandboxUsersDeps): Promise<ConnectedUsers> {
  try {
    return await connectAll(choice);
  } catch (error) {
    if (choice.signal.aborted || !(error instanceof Error)) throw error;
    const advice = 'SANDBOX=off starts without them.';
    throw new StartError(`SANDBOX: its users could not be connected: ${error.message} ${advice}`, {
      cause: error,
    });
  }
}

async function connectAll(choice: SandboxUsersDeps): Promise<ConnectedUsers> {
  const { sandbox, broker, config, url, dataDir, signal, started } = choice;
  const keyFile = join(dataDir, 'sandbox.key');
  const connecting: ConnectDeps = {
    api: apiAt({ baseUrl: url, fetch, signal }),
    apiKey: await sandboxKey(broker, url, keyFile),
    sandboxUrl: sandbox.access.url,
    seed: sandboxSeed,
    who: [...userTraits.keys()],
    fetch: (input, init) => fetch(input, { ...init, signal }),
  };
  await pointAt(sandbox, url, signal, config);
  const { connected, delayedConnected } = await startConnecting({ connecting, signal, say: choice.say });
  uploadInBackground(choice, connecting);
  const [first] = connected;
  const link = await serveConnectLink(connecting);
  started(link.stop);
  const daysAgo = (days: number) => new Date(Date.now() - days * dayMs).toISOString().slice(0, 10);
  const example =
    first === undefined
      ? null
      : {
          ...{ keyFile, userId: first.user_id, day: daysAgo(1), from: daysAgo(7) },
          ...{ connectUrl: link.url, sandboxUrl: sandbox.access.url },
        };
  return {
    example,
    delayedConnected,
    showBackfill: () => showBackfill(choice, connecting, connected).catch(noProgress(choice)),
  };
}

// The start page does not wait for uploads: a failed one is repeated at the next start.
function uploadInBackground(
  { url, signal, say }: SandboxUsersDeps,
  { api, apiKey, fetch }: ConnectDeps,
): void {
  for (const { run } of uploads)
    void run(api, { apiKey, baseUrl: url, fetch, signal }).catch((error: unknown) => {
      if (!signal.aborted)
        say(`  An upload failed: ${error instanceof Error ? error.message : String(error)}`);
    });
}

/** Points the notifications of all providers at the services, at the secret addresses where `config` has secrets. */
export async function pointAt(
  { access }: Pick<RunningSandbox, 'access'>,
  url: string,
  signal: AbortSignal,
  config?: Config,
): Promise<void> {
  const request = (to: string, init: RequestInit) => expectOk(fetch(to, { ...init, signal }));
  for (const { name, pointAt } of simulations) {
    const [secret = null] = config === undefined ? [] : settingsOf(config, name).webhookSecrets;
    await pointAt({ access, webhooks: `${url}/api/v1/webhooks`, secret, request });
  }
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

async function showBackfill(
  { say, signal }: SandboxUsersDeps,
  connecting: ConnectDeps,
  connected: readonly ConnectedAccount[],
): Promise<void> {
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
