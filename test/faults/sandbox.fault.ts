import { setTimeout as sleep } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { z } from 'zod';
import { type ProviderStatus, Status } from '../../contracts/deliveries.ts';
import {
  backfillProgress,
  type ConnectedAccount,
  connectUsers,
} from '../../sandbox/connect/connect-users.ts';
import { type FaultKind, faultKinds } from '../../sandbox/server/faults.ts';
import { snapshots } from '../sandbox/product-with-sandbox.ts';
import { leaksIn, tellingValues } from './support/leaks.ts';
import { askSandbox, comparePerson, type Places } from './support/sandbox-compare.ts';
import { type SandboxRun, startRun } from './support/sandbox-run.ts';

t.setTimeout(0);

const minuteMs = 60_000;
// A notification that the device maker never sends cannot be read later.
const kinds = faultKinds.filter((kind) => kind !== 'dropped');
const quiet = { waiting: 0, working: 0 };
const fetches = { live_waiting: 0, history_waiting: 0, given_up: 0 };
/** The one at both providers. */
const athlete = 6;

t.test(
  'six people, both providers, every trouble: the records equal the ledger, value by value',
  async (t) => {
    const run = await startRun(t, 'every trouble');
    const { faults, store } = run.sandbox.world;
    const took = stopwatch(t);
    const connected = await connectUsers(run.connecting);
    const trouble = (kind: FaultKind, probability: number) =>
      faults.add({
        ...{ kind, probability, provider: null, for_seconds: null, delay_ms: 30, spread_seconds: 60 },
      });
    for (const kind of kinds) trouble(kind, 0.15);
    await untilHistory(run, connected);
    t.equal((await backfillProgress(run.connecting, connected)).running, 0);
    took('30 days of history under all troubles');
    for (const style of ['push', 'ping'] as const) {
      store.state.application = { ...store.state.application, style };
      for (const kind of kinds) {
        faults.remove(null);
        const fault = trouble(kind, 1);
        await changeActivities(run);
        await run.sandbox.advance(15 * minuteMs);
        await settle(run);
        t.ok(fault.hits > 0, `${kind} struck in ${style} style`);
      }
      for (const kind of kinds) trouble(kind, 0.3);
      for (let minutes = 0; minutes < 30; minutes += 5) {
        await changeActivities(run);
        await run.sandbox.advance(5 * minuteMs);
        await settle(run);
      }
      took(`each trouble alone and all together, ${style}`);
    }
    faults.remove(null);
    await untilQuiet(run, connected);
    t.equal(store.state.letters.length, 0, 'nothing waits to be sent');
    t.equal(store.state.counts.given_up, 0, 'nothing was given up');
    const { providers } = Status.parse(await run.api.expect(200, '/status'));
    t.match(providers, { devicemaker: { deliveries: quiet }, activitynet: { deliveries: quiet, fetches } });
    t.same(await givenUp(run), nonsense, 'only nonsense was given up');
    took('quiet again');
    for (const { title, want, have } of await snapshots(run, connected)) t.same(have, want, title);
    await compareAll(t, run, connected);
    took('compared');
    await checkLog(t, run);
  },
);

function stopwatch(t: { comment(text: string): void }): (what: string) => void {
  let before = performance.now();
  return (what) => {
    const now = performance.now();
    t.comment(`${what}: ${((now - before) / 1000).toFixed(1)} s`);
    before = now;
  };
}

// The device maker gathers by the second, the activity platform refuses by the quarter of an hour: once the first is
// through, the clock goes faster.
async function untilHistory(run: SandboxRun, connected: readonly ConnectedAccount[]): Promise<void> {
  const devices = connected.filter(({ provider }) => provider === 'devicemaker');
  let stepMs = 3000;
  for (let round = 0; round < 8000; round++) {
    if ((await backfillProgress(run.connecting, connected)).running === 0) return;
    if ((await backfillProgress(run.connecting, devices)).running === 0) stepMs = minuteMs;
    await run.sandbox.advance(stepMs);
    await sleep(100);
  }
}

const Activities = z.array(z.object({ id: z.number(), start_time: z.string() }));
/** Within the history that was asked for. */
const changedSinceMs = 28 * 86_400_000;
let changes = 0;

// Renamed, deleted and restored activities cause more events; without them users upload about once a day.
async function changeActivities({ sandbox }: SandboxRun): Promise<void> {
  const asking = askSandbox({ sandboxUrl: sandbox.access.url });
  const known = Activities.parse(await asking(`/people/${athlete}/activities`)).filter(
    ({ start_time }) => Date.parse(start_time) > Date.now() - changedSinceMs,
  );
  const one = known[changes % known.length];
  const gone = known[(changes + 3) % known.length];
  const back = known[(changes + 2) % known.length];
  if (one === undefined || gone === undefined || back === undefined) throw new Error('nothing was uploaded');
  changes += 1;
  const post = async (body: object) => {
    const url = `${sandbox.access.url}/people/${athlete}/activities`;
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(`a change was answered with ${answer.status}`);
  };
  await post({ id: one.id, change: 'title', title: `Title number ${changes}` });
  if (changes % 2 === 0) await post({ id: gone.id, change: 'delete' });
  else if (changes % 4 === 1) await post({ id: back.id, change: 'restore' });
}

// The product works by the wall's clock: it is given a moment under each trouble.
async function settle(run: SandboxRun): Promise<void> {
  for (let times = 0; times < 10; times++) {
    await run.sandbox.advance(1000);
    await sleep(150);
  }
}

const nonsense = ['MALFORMED_BODY', 'VALIDATION_FAILED'];
const Deliveries = z.object({ data: z.array(z.object({ error: z.string().nullable() })) });

async function givenUp({ api }: SandboxRun): Promise<unknown[]> {
  const { data } = Deliveries.parse(await api.expect(200, '/deliveries?status=dead&limit=100'));
  return [...new Set(data.map(({ error }) => error))].sort();
}

async function untilQuiet(run: SandboxRun, connected: readonly ConnectedAccount[]): Promise<void> {
  await run.sandbox.advance(60 * minuteMs);
  for (let rounds = 0; rounds < 120; rounds++) {
    await run.sandbox.advance(2 * minuteMs);
    await sleep(1000);
    const { providers } = Status.parse(await run.api.expect(200, '/status'));
    const isIdle = Object.values(providers).every(isNothingWaiting);
    const isSent = run.sandbox.world.store.state.letters.length === 0;
    if (isIdle && isSent && (await backfillProgress(run.connecting, connected)).running === 0) return;
  }
}

function isNothingWaiting({ deliveries, fetches }: ProviderStatus): boolean {
  return deliveries.waiting + deliveries.working + (fetches?.live_waiting ?? 0) === 0;
}

async function compareAll(t: Test, run: SandboxRun, connected: readonly ConnectedAccount[]): Promise<void> {
  const users = [...new Set(connected.map(({ user_id }) => user_id))];
  let compared = 0;
  for (const [index, userId] of users.entries())
    compared += await comparePerson(t, placesOf(run), { person: index + 1, userId });
  t.comment(`${compared} samples compared`);
  t.ok(compared > 1_000_000);
}

const placesOf = ({ api, sandbox }: SandboxRun): Places => ({
  ...{ apiUrl: api.url, apiKey: api.apiKey, sandboxUrl: sandbox.access.url },
});

async function checkLog(t: Test, run: SandboxRun): Promise<void> {
  const asking = askSandbox(placesOf(run));
  const values = new Set<string>();
  for (const index of run.connecting.who)
    for (const value of await tellingValues(asking, index + 1)) values.add(value);
  const forbidden = { secrets: run.secrets, values };
  const log = run.log();
  t.comment(`${log.length} bytes of log, ${run.secrets.size} secrets, ${values.size} values`);
  t.ok(run.secrets.size > 20 && values.size > 100 && log.includes('push.worked'));
  t.same(leaksIn(log, forbidden).slice(0, 10), [], 'no secret and no health value is in the log');
  for (const word of [...run.secrets].slice(0, 20).concat([...values].slice(0, 20)))
    t.ok(leaksIn(`{"a":"${word}"}`, forbidden).length > 0, 'it would have been found');
}
