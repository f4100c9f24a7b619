import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { Reprocess } from '../../../contracts/deliveries/reprocess.ts';
import { recordTypeOf } from '../../../providers/phone/normalise/record.ts';
import { reprocessForNewNormalisers } from '../../../services/deliveries/actions/reprocess.ts';
import { startApi } from '../../support/api.ts';
import { until } from '../../support/until.ts';
import { storedOf } from '../timeseries/stored-of-user.ts';
import { type App, installApp, phase, record } from './app.ts';

const api = await startApi(t, { SANDBOX: 'off' });
const { database } = api;
const token = api.developerToken;
const steps = 'HKQuantityTypeIdentifierStepCount';
const heartRate = 'HKQuantityTypeIdentifierHeartRate';
const fat = 'HKQuantityTypeIdentifierBodyFatPercentage';
const at = (time: string) => `2026-03-02T${time}:00Z`;

t.beforeEach(() => database.query('truncate deliveries.delivery, deliveries.reprocess_run cascade'));

async function run(body: object = {}): Promise<Reprocess> {
  const asked = { token, body: { provider: 'phone', ...body } };
  const { body: started, text } = await api.ask('/api/v1/deliveries/reprocess', asked);
  const { id } = Reprocess.parse(started, { error: () => text });
  for (;;) {
    const found = Reprocess.parse((await api.ask(`/api/v1/reprocess-runs/${id}`, { token })).body);
    if (found.status !== 'running') return found;
    await sleep(100);
  }
}

/** Body fat is taken for a number. */
async function withFault(work: () => Promise<unknown>): Promise<void> {
  const faults: [string, object][] = [[fat, { fraction: 1 }]];
  const types = faults.map(([name, fault]) => ({ type: recordTypeOf(name) ?? {}, fault }));
  const right = types.map(({ type }) => ({ ...type }));
  for (const { type, fault } of types) Object.assign(type, fault);
  await work().finally(() => types.forEach(({ type }, index) => void Object.assign(type, right[index])));
}

/** Everything that is stored of a user, with intervals and without the times at which rows were written. */
async function everythingOf({ userId }: App) {
  const intervals = await database.query(
    `select t.name, s.device, i.start_time, i.duration_ms, i.value, i.zone_offset_minutes, i.key
     from timeseries.interval_value i join timeseries.series s on s.id = i.series_id
     join timeseries.series_type t on t.id = s.type_id where s.user_id = $1 order by 1, 3, 5`,
    [userId],
  );
  // The key of a night is random.
  const { sleep_session, ...stored } = await storedOf(database, userId);
  const nights = await database.query(
    `select to_jsonb(s) - array['id', 'user_id', 'key'] as night from timeseries.sleep_session s where user_id = $1`,
    [userId],
  );
  return { ...stored, nights, intervals };
}

const settled = ({ userId }: App) =>
  until(async () => {
    const open = 'select from phone.phase where user_id = $1 and settled_at is null';
    return (await database.query(open, [userId])).length === 0;
  });

/** Two uploads: the second one changes records of the first one. */
function uploads() {
  const walk = record(steps, at('08:00'), 100);
  const pulse = record(heartRate, at('08:00'), 16);
  const moved = record(heartRate, at('08:20'), 17);
  const night = phase('asleep', at('00:00'), at('05:00'));
  const ride = {
    id: walk.id.replace(/^./, '0'),
    type: 'cycling',
    startDate: at('09:00'),
    endDate: at('10:00'),
  };
  return [
    {
      records: [
        walk,
        pulse,
        moved,
        record(fat, at('08:00'), 0.21, { unit: '%' }),
        record(steps, at('07:00'), 7),
      ],
      sleep: [night],
      workouts: [{ ...ride, values: [{ type: 'distance', value: 9000, unit: 'm' }] }],
    },
    {
      records: [{ ...walk, value: 120 }, { ...pulse, value: 18 }, record(steps, at('08:30'), 30)],
      sleep: [{ ...night, endDate: at('06:00') }],
      workouts: [{ ...ride, values: [{ type: 'distance', value: 9500, unit: 'm' }] }],
    },
  ] as const;
}

t.test('a faulty mapping of uploads is repaired, and a newer upload of a record counts', async (t) => {
  const [faulty, other, fresh] = [await installApp(api), await installApp(api), await installApp(api)];
  const [first, second] = uploads();
  await withFault(async () => {
    await faulty.sync(first);
    await faulty.sync(second);
  });
  await other.sync({ records: [record(heartRate, at('08:00'), 60), record(steps, at('08:00'), 60)] });
  await settled(faulty);
  const untouched = await everythingOf(other);

  t.match(await run(), { deliveries: { done: 3, failed: 0 } });
  await settled(faulty);

  await fresh.sync(first);
  await fresh.sync(second);
  await settled(fresh);
  t.same(await everythingOf(faulty), await everythingOf(fresh));
  t.same(await everythingOf(other), untouched);
});

t.test('deleted records stay deleted', async (t) => {
  const app = await installApp(api);
  const [first, second] = uploads();
  await app.sync(first);
  await app.sync(second);
  await app.sync({ deleted: [{ id: first.records[4].id, type: steps }] });
  await settled(app);
  const stored = await everythingOf(app);
  t.match(await run(), { deliveries: { done: 3, failed: 0 } });
  await settled(app);
  t.same(await everythingOf(app), stored);
});

t.test('data of an erased user, and of a connection that was made again, is not stored', async (t) => {
  const [erased, again, later] = [await installApp(api), await installApp(api), await installApp(api)];
  const body = { records: [record(heartRate, at('08:00'), 60), record(steps, at('08:00'), 60)] };
  await erased.sync(body);
  await again.sync(body);
  await api.expect(200, `/users/${erased.userId}`, { method: 'DELETE' });
  await api.expect(200, `/users/${again.userId}/connections/phone?purge=true`, { method: 'DELETE' });
  await later.sync(body);
  await database.query('update users.connection set connected_at = now() where user_id = $1', [later.userId]);
  t.match(await run(), { deliveries: { failed: 0 } });
  for (const app of [erased, again]) t.match(await everythingOf(app), { sample: [], intervals: [] });
});

t.test('an upload that arrives while an older one is processed again counts', async (t) => {
  const app = await installApp(api);
  const [first, second] = uploads();
  await app.sync(first);
  await settled(app);
  const [ended] = await Promise.all([run(), app.sync(second)]);
  t.match(ended, { deliveries: { failed: 0 } });
  await settled(app);
  const { intervals, nights } = await everythingOf(app);
  t.match(intervals, [
    { name: 'steps', value: 7 },
    { name: 'steps', value: 120 },
    { name: 'steps', value: 30 },
  ]);
  t.match(nights, [{ night: { asleep_seconds: 6 * 3600 } }]);
});

t.test('uploads that an older normaliser processed are processed again, once', async (t) => {
  const app = await installApp(api);
  await withFault(() => app.sync({ records: [record(fat, at('08:00'), 0.21, { unit: '%' })] }));
  const runs = () => database.query('select id from deliveries.reprocess_run where provider = $1', ['phone']);
  await reprocessForNewNormalisers(database);
  t.same(await runs(), [], 'the version is that of the last start');
  await database.query(`update deliveries.normaliser set version = version - 1 where provider = 'phone'`);
  await Promise.all([reprocessForNewNormalisers(database), reprocessForNewNormalisers(database)]);
  t.equal((await runs()).length, 1);
  await until(async () => {
    const found = await database.query<{ value: number }>(
      `select x.value from timeseries.sample x join timeseries.series s on s.id = x.series_id where s.user_id = $1`,
      [app.userId],
    );
    return found.length === 1 && found[0]?.value === 21;
  });
  await reprocessForNewNormalisers(database);
  t.equal((await runs()).length, 1);
});
