// Freshness over the real services and the sandbox: three days of faults, and the day after them. FRESHNESS_PEOPLE=3 takes
// three times as many people.
import t from 'tap';
import {
  type Doings,
  doingsOf,
  leftOf,
  neverSentHours,
  spreadOf,
  watch,
} from './support/freshness-figures.ts';
import { type Connected, type FreshnessRun, startFreshnessRun } from './support/freshness-run.ts';

t.setTimeout(0);

const times = Number(process.env.FRESHNESS_PEOPLE ?? 1);
const warmUpHours = 24;
const stepHours = 2;
const [faultHours, afterHours] = [72, 24];
const down = { provider: 'withings', from: 30, hours: 6 } as const;
const silent = { provider: 'googlehealth', from: 10 } as const;
/** One of ten connections is revoked at its provider, which says nothing of it. */
const isRevoked = (_: Connected, index: number) => index % 10 === 5;
const lookEveryHours = 4;
const withFaults: { requests: number } = { requests: Number.NaN };

t.test('three days of faults, and a day after them', async (t) => {
  const run = await startFreshnessRun(t, times);
  await run.pass(warmUpHours, stepHours);
  const before = await doingsOf(run);
  const revoked = run.connected.filter(isRevoked);
  const others = run.connected.filter((one) => !revoked.includes(one));
  const looks = watch(run, others);
  await playFaults(run, revoked, looks.look);
  const lost = await leftOf(run, others);
  await run.pass(afterHours, stepHours, everyHours(run, looks.look));
  await run.rest();
  const [left, doings] = [await leftOf(run, others), since(before, await doingsOf(run))];
  withFaults.requests = doings.requests;
  const { median, longest } = spreadOf(looks.repaired);
  t.comment(
    `missing when the faults end: ${lost.missing}; a day later: ${left.missing}, doubled: ${left.more}`,
  );
  t.comment(
    `${looks.repaired.length} samples came later: after ${median} h in the median, ${longest} h at most (looks every ${lookEveryHours} h)`,
  );
  t.comment(`${doings.requests} requests, ${doings.repairs} repairs`);
  t.comment(
    `the device maker never sent ${neverSentHours(run, warmUpHours).toFixed(1)} hours of its data types`,
  );
  t.same(left, { missing: 0, more: 0 }, 'everything is stored, exactly once');
  t.same(doings.stale, revoked.map(({ userId }) => userId).toSorted(), 'stale');
  t.match(doings.incidents, [{ provider: down.provider, reason: 'failing' }]);
  t.equal(doings.incidents.length, 1);
  const [{ hours = null } = {}] = doings.incidents;
  t.ok(hours !== null && Math.abs(hours - down.hours) < 0.5, `an incident of ${hours} hours`);
  t.same(doings.events, {
    'connection.stale': revoked.length,
    ...{ 'provider.incident.started': 1, 'provider.incident.ended': 1 },
  });
});

t.test('days in which nothing is wrong', async (t) => {
  const run = await startFreshnessRun(t, times);
  await run.pass(warmUpHours, stepHours);
  const before = await doingsOf(run);
  await run.pass(faultHours + afterHours, stepHours);
  await run.rest();
  const { incidents, events, repairs, requests, stale, silent: never } = since(before, await doingsOf(run));
  t.comment(`${requests} requests, ${repairs} repairs in ${faultHours + afterHours} hours`);
  t.same(await leftOf(run, run.connected), { missing: 0, more: 0 });
  t.same({ incidents, events, stale }, { incidents: [], events: {}, stale: [] }, 'false alarms');
  t.same(never, [], 'kinds that never came');
  t.ok(repairs / requests < 0.01, 'repairs');
  t.ok(withFaults.requests / requests <= 1.3, 'requests with faults');
});

async function playFaults(
  run: FreshnessRun,
  revoked: readonly Connected[],
  look: () => Promise<void>,
): Promise<void> {
  const { faults } = run.product.sandbox.world;
  const each = everyHours(run, look);
  const began = [run.fault('dropped', null, 0.05), run.fault('duplicate', null, 0.02)];
  for (const one of revoked) revoke(run, one);
  await run.pass(silent.from, stepHours, each);
  began.push(run.fault('dropped', silent.provider, 1));
  await run.pass(down.from - silent.from, stepHours, each);
  const outage = run.fault('error', down.provider, 1);
  // An outage shows in the answers of ten minutes.
  await run.passSlowly(0.5, each);
  await run.pass(down.hours - 1, 1, each);
  await run.passSlowly(0.5, each);
  faults.remove(outage.id);
  await run.passSlowly(1, each);
  await run.pass(1, 1, each);
  await run.pass(faultHours - down.from - down.hours - 2, stepHours, each);
  for (const { id } of began) faults.remove(id);
}

/** Ends the tokens of a connection and its notifications, without a word. */
function revoke({ product: { sandbox } }: FreshnessRun, { provider, person }: Connected): void {
  const holders = sandbox.providers.find(({ name }) => name === provider)?.tokenHolders() ?? [];
  for (const holder of holders)
    if (Reflect.get(holder, 'person') === person - 1) {
      const flag =
        Reflect.has(holder, 'registered') && provider === 'devicemaker' ? 'registered' : 'authorized';
      Object.assign(holder, { grants: [], [flag]: false });
    }
}

function everyHours(run: FreshnessRun, look: () => Promise<void>): () => Promise<void> {
  return async () => {
    if (run.hours() % lookEveryHours === 0) await look();
  };
}

function since(before: Doings, now: Doings): Doings {
  return { ...now, requests: now.requests - before.requests, repairs: now.repairs - before.repairs };
}
