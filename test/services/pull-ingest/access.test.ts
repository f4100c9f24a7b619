import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { z } from 'zod';
import { quarterOf } from '../../../sandbox/simulation/clock.ts';
import { type PullSetting, setUp, subscribe } from './setting.ts';

const hourMs = 3_600_000;
const setting = await setUp(t, { pace: { waitMostMs: 1000 } });
const { api, sandbox } = setting;
await subscribe(setting);

const Run = z.object({
  status: z.string(),
  types: z.array(z.object({ type: z.string(), status: z.string(), reason: z.string().nullable() })),
});
const Connection = z.object({ status: z.string(), scope: z.array(z.string()) });

const connection = async (user: string) =>
  z.tuple([Connection]).parse(await api.expect(200, `/users/${user}/connections`))[0];
// The simulation is up to 32 hours behind, and what is compared begins 12 hours before its clock.
const backfill = async (user: string, days = 2) => {
  const path = `/users/${user}/connections/googlehealth/backfill`;
  await api.expect(202, path, { method: 'POST', body: { days } });
  await setting.settled();
  return Run.parse(await api.expect(200, path));
};
const fromMs = () => quarterOf(sandbox.world.clock.nowMs()) - 12 * hourMs;
const until = async (holds: () => Promise<boolean>) => {
  while (!(await holds())) await sleep(20);
};

t.test('types whose scope the user deselected are not read, and a backfill says so', async (t) => {
  const user = await setting.connect(1, ['sleep', 'health_metrics']);
  t.same(
    (await connection(user)).scope.filter((one) => /sleep|health_metrics/.test(one)),
    [],
  );
  const { status, types } = await backfill(user);
  t.equal(status, 'done');
  const skipped = types.filter((one) => one.status === 'skipped');
  t.ok(skipped.some(({ type }) => type === 'sleep'));
  t.ok(skipped.some(({ type }) => type === 'heart-rate'));
  t.same(new Set(skipped.map(({ reason }) => reason)), new Set(['The user did not grant this type.']));
  await sandbox.advance(hourMs);
  await setting.settled();
  const { want, have } = await setting.compare(1, user, fromMs());
  const isGranted = (line: string) => /^(steps|distance|exercise)/.test(line);
  t.same(have, want.filter(isGranted));
});

t.test(
  'with errors, 429, expired tokens, and notifications twice, late and invalid, the rows are the same',
  async (t) => {
    const user = await setting.connect(2);
    await backfill(user);
    for (const kind of ['error', 'lost', 'rate_limit', 'expiry', 'duplicate', 'disorder', 'garbage'] as const)
      addFault(setting, kind);
    await sandbox.advance(hourMs);
    await setting.settled();
    sandbox.world.faults.remove(null);
    await sandbox.advance(hourMs);
    await setting.settled();
    const { want, have } = await setting.compare(2, user, fromMs());
    t.same(have, want);
    t.equal((await connection(user)).status, 'active');
  },
);

t.test('access that ends at the provider expires the connection, and nothing more is read', async (t) => {
  const user = await setting.connect(3);
  await backfill(user);
  await fetch(`${sandbox.access.url}/people/3/health-access`, { method: 'POST' });
  const path = `/users/${user}/connections/googlehealth/backfill`;
  await api.expect(202, path, { method: 'POST', body: { days: 1 } });
  await until(async () => (await connection(user)).status !== 'active');
  await setting.settled();
  t.equal((await connection(user)).status, 'expired');
});

t.test('a disconnect ends the access at the provider, and a deleted user leaves nothing', async (t) => {
  const user = await setting.connect(4);
  await backfill(user);
  await api.expect(200, `/users/${user}/connections/googlehealth`, { method: 'DELETE' });
  const account = () => sandbox.providers.find(({ name }) => name === 'googlehealth')?.account(3);
  await until(async () => account()?.shown.connected === false);
  const second = await setting.connect(4);
  await backfill(second);
  await api.expect(200, `/users/${second}`, { method: 'DELETE' });
  const left = () =>
    api.database.query(
      `select 'connection' as what from pull.connection where user_id = $1
       union all select 'series' from timeseries.series where user_id = $1
       union all select 'sleep' from timeseries.sleep_session where user_id = $1`,
      [second],
    );
  await until(async () => (await left()).length === 0);
  t.same(await left(), []);
});

function addFault({ sandbox: { world } }: PullSetting, kind: Parameters<typeof world.faults.add>[0]['kind']) {
  const isOfReads = ['error', 'lost', 'rate_limit', 'expiry'].includes(kind);
  world.faults.add({
    ...{ kind, probability: isOfReads ? 0.1 : 0.5, provider: 'googlehealth', for_seconds: null },
    ...{ delay_ms: 1, spread_seconds: 60 },
  });
}
