import { setTimeout as sleep } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { apiAt } from '../../sandbox/api.ts';
import { type Connected, type Connecting, connectPeople, historyProgress } from '../../sandbox/connecting.ts';
import { quarterOf } from '../../sandbox/devicemaker/accounts.ts';
import { type FaultKind, faultKinds } from '../../sandbox/faults.ts';
import { type Sandbox, startSandbox } from '../../sandbox/server.ts';
import { environmentOf, settingsOf } from '../../stack/sandbox.ts';
import { pointAt } from '../../stack/sandbox-people.ts';
import { startApi, type TestApi } from '../support/api.ts';
import { found, type Picture, readLedger, wanted } from './compare.ts';

// Two minutes of the wall's clock each: a history of six people comes in, and troubles are got over.
t.setTimeout(600_000);

const minuteMs = 60_000;
/** One with every data type, one whose device has fewer, one at both providers. */
const who = [0, 4, 5];

/** The product and both providers, by HTTP on all sides; the providers' clock is turned. */
interface Whole {
  readonly api: TestApi;
  readonly sandbox: Sandbox;
  readonly connecting: Connecting;
}

async function whole(t: Test): Promise<Whole> {
  const seed = 'a seed';
  // Some hours back: turned on, it must not get a day ahead of the receiver's own clock.
  const startMs = quarterOf(Date.now()) - 8 * 60 * minuteMs;
  const sandbox = await startSandbox({ seed, speed: 0, startMs, limits: { batchWindowMs: 1000 } });
  t.teardown(() => sandbox.stop());
  const access = { access: sandbox.access, settings: settingsOf(sandbox.access) };
  const api = await startApi(t, {
    ...environmentOf(access.settings),
    BACKFILL_DAYS: '8',
    RATE_LIMIT_API_KEY: '1000000',
  });
  const { signal } = new AbortController();
  await pointAt(access, api.url, signal);
  const client = apiAt({ baseUrl: api.url, fetch, signal });
  return {
    api,
    sandbox,
    connecting: { api: client, apiKey: api.apiKey, sandboxUrl: sandbox.access.url, seed, who, fetch },
  };
}

/** Turns the clock by seconds until the histories are through. */
async function history({ sandbox, connecting }: Whole, connected: readonly Connected[]): Promise<void> {
  for (let round = 0; round < 600; round++) {
    if ((await historyProgress(connecting, connected)).running === 0) return;
    await sandbox.turn(3000);
    await sleep(100);
  }
  throw new Error('the history does not come to its end');
}

/** Both pictures of everybody, as soon as they are the same; else as they are in the end. */
async function pictures({ api, sandbox }: Whole, connected: readonly Connected[]) {
  const users = [...new Set(connected.map(({ user_id }) => user_id))];
  const all: { title: string; want: Picture; have: Picture }[] = [];
  for (const [index, userId] of users.entries()) {
    const title = connected.find(({ user_id }) => user_id === userId)?.title ?? '';
    all.push({ title, ...(await untilSame(() => both({ api, sandbox }, userId, (who[index] ?? 0) + 1))) });
  }
  return all;
}

async function both({ api, sandbox }: Pick<Whole, 'api' | 'sandbox'>, userId: string, person: number) {
  const ledger = await readLedger(sandbox.access.url, person);
  const have = await found((path) => api.expect(200, path), userId, ledger);
  return { want: wanted(ledger), have };
}

async function untilSame(look: () => Promise<{ want: Picture; have: Picture }>) {
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

function sorted({ samples, ...rest }: Picture) {
  return { ...rest, samples: Object.entries(samples).sort() };
}

t.test('what the providers sent is what is there, item by item: history, then live', async (t) => {
  const all = await whole(t);
  const connected = await connectPeople(all.connecting);
  t.equal(connected.length, who.length + 1, 'one of them twice');
  await history(all, connected);
  for (const { title, want, have } of await pictures(all, connected)) {
    t.same(have, want, `history of ${title}`);
    t.ok(Object.keys(want.samples).length > 12 && want.workouts.length > 0);
  }
  await all.sandbox.turn(4 * 60 * minuteMs);
  all.sandbox.world.store.book.application = { ...all.sandbox.world.store.book.application, style: 'ping' };
  await all.sandbox.turn(2 * 60 * minuteMs);
  for (const { title, want, have } of await pictures(all, connected))
    t.same(have, want, `live data of ${title}`);
  t.same(await connectPeople(all.connecting), connected, 'who is connected stays so');
});

t.test('no trouble loses anything or doubles it: one at a time, then all together', async (t) => {
  const all = await whole(t);
  const { faults, store } = all.sandbox.world;
  const connected = await connectPeople(all.connecting);
  const trouble = (kind: FaultKind, probability: number) =>
    faults.add({
      kind,
      probability,
      provider: 'devicemaker',
      for_seconds: null,
      delay_ms: 30,
      spread_seconds: 60,
    });
  for (const kind of faultKinds) trouble(kind, 0.15);
  await history(all, connected);
  for (const style of ['push', 'ping'] as const) {
    store.book.application = { ...store.book.application, style };
    for (const kind of faultKinds) {
      faults.remove(null);
      const fault = trouble(kind, 0.5);
      await all.sandbox.turn(15 * minuteMs);
      t.ok(fault.hits > 0 || isOfApi(kind, style), `${kind} struck`);
    }
    for (const kind of faultKinds) trouble(kind, 0.3);
    await all.sandbox.turn(30 * minuteMs);
  }
  faults.remove(null);
  await all.sandbox.turn(60 * minuteMs);
  t.equal(store.book.letters.length, 0);
  t.equal(store.book.counts.given_up, 0);
  for (const { title, want, have } of await pictures(all, connected)) t.same(have, want, title);
});

// In push style nobody asks the providers for live data, so nothing befalls what is asked.
function isOfApi(kind: FaultKind, style: 'push' | 'ping'): boolean {
  return kind === 'expiry' || (style === 'push' && !['duplicate', 'disorder', 'garbage'].includes(kind));
}
