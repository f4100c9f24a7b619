import { setTimeout as sleep } from 'node:timers/promises';
import type { Test } from 'tap';
import { apiAt } from '../../sandbox/connect/api.ts';
import {
  backfillProgress,
  type ConnectDeps,
  type ConnectedAccount,
} from '../../sandbox/connect/connect-users.ts';
import { type Sandbox, startSandbox } from '../../sandbox/server/server.ts';
import { quarterOf } from '../../sandbox/simulation/clock.ts';
import { environmentOf, settingsOf } from '../../stack/sandbox/sandbox.ts';
import { pointAt } from '../../stack/sandbox/sandbox-users.ts';
import { startApi, type TestApi } from '../support/api.ts';
import { compared, found, readLedger, type Snapshot, wanted } from './compare.ts';

const minuteMs = 60_000;

/** The product and both providers, over HTTP, with a simulated clock of the providers. */
export interface ProductWithSandbox {
  readonly api: Pick<TestApi, 'url' | 'apiKey' | 'expect'>;
  readonly sandbox: Sandbox;
  readonly connecting: ConnectDeps;
}

/** Starts all of it for some users and stops it with the test. */
export async function whole(
  t: Test,
  who: readonly number[],
  changes: Readonly<Record<string, string>> = {},
): Promise<ProductWithSandbox & { readonly api: TestApi }> {
  const seed = 'a seed';
  // Some hours ago, because the advanced clock must not be a day ahead of the receiver's clock.
  const startMs = quarterOf(Date.now()) - 8 * 60 * minuteMs;
  const sandbox = await startSandbox({ seed, speed: 0, startMs, limits: { batchWindowMs: 1000 } });
  t.teardown(() => sandbox.stop());
  const api = await startApi(t, {
    ...environmentOf(settingsOf(sandbox.access)),
    BACKFILL_DAYS: '8',
    RATE_LIMIT_API_KEY: '1000000',
    ...changes,
  });
  const { signal } = new AbortController();
  await pointAt(sandbox, api.url, signal);
  const client = apiAt({ baseUrl: api.url, fetch, signal });
  return {
    api,
    sandbox,
    connecting: {
      ...{ api: client, apiKey: api.apiKey, sandboxUrl: sandbox.access.url, seed, who, fetch },
      providers: compared,
    },
  };
}

/** Advances the clock until the backfills are finished. */
export async function finishBackfills(
  { sandbox, connecting }: ProductWithSandbox,
  connected: readonly ConnectedAccount[],
): Promise<void> {
  for (let round = 0; round < 600; round++) {
    if ((await backfillProgress(connecting, connected)).running === 0) return;
    await sandbox.advance(3000);
    await sleep(100);
  }
  throw new Error('the backfill does not finish');
}

/** The expected and the stored data of all users, as soon as they are equal, otherwise after a time limit. */
export async function snapshots(
  { api, sandbox, connecting }: ProductWithSandbox,
  connected: readonly ConnectedAccount[],
) {
  const users = [...new Set(connected.map(({ user_id }) => user_id))];
  const all: { title: string; want: Snapshot; have: Snapshot }[] = [];
  for (const [index, userId] of users.entries()) {
    const title = connected.find(({ user_id }) => user_id === userId)?.title ?? '';
    all.push({
      title,
      ...(await untilSame(() => both({ api, sandbox }, userId, (connecting.who[index] ?? 0) + 1))),
    });
  }
  return all;
}

async function both(
  { api, sandbox }: Pick<ProductWithSandbox, 'api' | 'sandbox'>,
  userId: string,
  person: number,
) {
  const ledger = await readLedger(sandbox.access.url, person);
  const have = await found((path) => api.expect(200, path), userId, ledger);
  return { want: wanted(ledger), have };
}

async function untilSame(look: () => Promise<{ want: Snapshot; have: Snapshot }>) {
  let seen = await look();
  for (
    let round = 0;
    round < 60 && JSON.stringify(sorted(seen.want)) !== JSON.stringify(sorted(seen.have));
    round++
  ) {
    await sleep(1000);
    seen = await look();
  }
  return seen;
}

function sorted({ samples, ...rest }: Snapshot) {
  return { ...rest, samples: Object.entries(samples).sort() };
}
