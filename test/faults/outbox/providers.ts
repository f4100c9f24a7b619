import { setTimeout as sleep } from 'node:timers/promises';
import type { Test } from 'tap';
import { z } from 'zod';
import { minuteMs } from '../../../domain/time/time.ts';
import { apiAt } from '../../../sandbox/connect/api.ts';
import { type ConnectedAccount, connectUsers } from '../../../sandbox/connect/connect-users.ts';
import { type Sandbox, startSandbox } from '../../../sandbox/server/server.ts';
import { quarterOf } from '../../../sandbox/simulation/clock.ts';
import { pointAt } from '../../../stack/sandbox/sandbox-users.ts';
import { control } from '../../sandbox/application.ts';
import type { Random } from '../support/random.ts';
import type { Client } from './client.ts';

/** Simulated users of the sandbox: one with one account, one with accounts at both providers. */
const who = [3, 5];
const athlete = 6;
const seed = 'outbox';
const hoursAgo = 8;

/** Starts both providers. Their clock stands some hours ago, and moves only when it is advanced. */
export async function startProviders(t: Test): Promise<Sandbox> {
  const startMs = quarterOf(Date.now()) - hoursAgo * 60 * minuteMs;
  const limits = { batchWindowMs: 1000, readsPer15Minutes: 100_000, readsPerDay: 1_000_000 };
  const sandbox = await startSandbox({ seed, speed: 0, startMs, limits });
  t.teardown(() => sandbox.stop());
  return sandbox;
}

/** Connects the simulated users through the consent pages. Their backfills begin. */
export async function connectSimulated(
  sandbox: Sandbox,
  origin: string,
  key: string,
): Promise<ConnectedAccount[]> {
  const { signal } = new AbortController();
  await pointAt(sandbox, origin, signal);
  const api = apiAt({ baseUrl: origin, fetch, signal });
  return connectUsers({ api, apiKey: key, sandboxUrl: sandbox.access.url, seed, who, fetch });
}

/** Advances the clock of the providers bit by bit, and by a quarter of an hour when asked. */
export class ProvidersTime {
  readonly #sandbox: Sandbox;
  #quarters = 0;
  #isStopping = false;
  #running: Promise<void>;

  constructor(sandbox: Sandbox) {
    this.#sandbox = sandbox;
    this.#running = this.#run();
  }

  /** The next data of the simulated users arrives. */
  quarter(): void {
    this.#quarters += 1;
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    await this.#running;
  }

  async #run(): Promise<void> {
    while (!this.#isStopping) {
      const isQuarter = this.#quarters > 0;
      if (isQuarter) this.#quarters -= 1;
      await this.#sandbox.advance(isQuarter ? 15 * minuteMs : 3000);
      await sleep(150);
    }
  }
}

const Activities = z.array(z.object({ id: z.number() }));

/** A user renames, deletes or restores one of the last activities. */
export async function changeActivity(sandbox: Sandbox, random: Random): Promise<void> {
  const known = Activities.parse((await control(sandbox, 'GET', `/people/${athlete}/activities`)).body);
  const recent = known.slice(-8);
  if (recent.length === 0) return;
  const change = random.pick(['title', 'title', 'delete', 'restore'] as const);
  const title = change === 'title' ? { title: `Title ${random.below(1e6)}` } : {};
  const body = { id: random.pick(recent).id, change, ...title };
  await control(sandbox, 'POST', `/people/${athlete}/activities`, body);
}

/** Starts or cancels a backfill of a simulated user. */
export async function changeBackfill(
  client: Client,
  connected: readonly ConnectedAccount[],
  random: Random,
): Promise<void> {
  const { user_id, provider } = random.pick(connected);
  const path = `/users/${user_id}/connections/${provider}/backfill`;
  const isStart = random.chance(0.7);
  await client.request(path, isStart ? { body: { days: 2 } } : { method: 'DELETE' });
}
