import { setTimeout as sleep } from 'node:timers/promises';
import { apiAt } from '../../sandbox/connect/api.ts';
import { backfillProgress, type ConnectDeps, connectUsers } from '../../sandbox/connect/connect-users.ts';
import { type Sandbox, startSandbox } from '../../sandbox/server/server.ts';
import { quarterOf } from '../../sandbox/simulation/clock.ts';
import { environmentOf, sandboxSeed, settingsOf } from '../../stack/sandbox/sandbox.ts';
import { pointAt } from '../../stack/sandbox/sandbox-users.ts';
import type { Product } from '../product.ts';

const hourMs = 3_600_000;
const stepMs = 3000;
const stepEveryMs = 100;
const longestMs = 240_000;
/** The index of a user with an account at the device maker only. */
const who = [0];

/** Starts simulated providers whose clock is advanced by `backfillUser` only. */
export function startProviders(): Promise<Sandbox> {
  const startMs = quarterOf(Date.now()) - 8 * hourMs;
  return startSandbox({ seed: sandboxSeed, speed: 0, startMs, limits: { batchWindowMs: 1000 } });
}

/** The settings that lead a product to the simulated providers. */
export function providerSettings({ access }: Sandbox): Record<string, string> {
  return environmentOf(settingsOf(access));
}

/** Connects a user, and waits until the backfill of the connection has ended. @throws Error if it does not end */
export async function backfillUser(sandbox: Sandbox, { url, key }: Product): Promise<void> {
  const { signal } = new AbortController();
  await pointAt(sandbox, url, signal);
  const api = apiAt({ baseUrl: url, fetch, signal });
  const connecting: ConnectDeps = {
    api,
    apiKey: key,
    sandboxUrl: sandbox.access.url,
    seed: sandboxSeed,
    who,
    fetch,
  };
  const connected = await connectUsers(connecting);
  const began = performance.now();
  while (performance.now() - began < longestMs) {
    if ((await backfillProgress(connecting, connected)).running === 0) return;
    await sandbox.advance(stepMs);
    await sleep(stepEveryMs);
  }
  throw new Error('the backfill does not end');
}
