import { createServer } from 'node:net';
import t from 'tap';
import { run } from '../../fixtures/activitynet/activities.ts';
import { until } from '../../support/until.ts';
import type { Fault } from './provider.ts';
import { idle, quarterMs, setUp, turnOn } from './setting.ts';

t.jobs = 3; // the tests mostly wait, each on a database of its own

const minuteMs = 60_000;

/** An address at which nobody answers any more. */
async function nowhere(): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
}
const year = { start_date: '2026-01-01', end_date: '2027-01-01' };

const faults: readonly (readonly [name: string, fault: Fault])[] = [
  ['answers 500', 500],
  ['answers 503', 503],
  ['cuts connections', 'cut'],
  ['answers too slowly', { delayMs: 400 }],
];

for (const [name, fault] of faults) {
  t.test(
    `a provider that ${name} for an hour costs few reads, and everything arrives afterwards`,
    { buffered: true },
    async (t) => {
      const s = await setUp(t, { bus: false, pace: { timeoutMs: 150, parallel: 4 } });
      const { id, account } = await s.person();
      const ids = Array.from({ length: 20 }, (_, n) => String(18_000_000_000 + n));
      const put = (activity: string, n: number, title: string) => {
        const start_date = new Date(Date.parse('2026-02-01T08:00:00Z') + n * 86_400_000).toISOString();
        s.provider.activities.set(activity, {
          details: run(activity, { start_date, name: title }),
          streams: { time: { data: [0, 1] }, heartrate: { data: [90, 91] } },
        });
      };
      const send = (object_id: string, aspect_type: string, event_time: number) =>
        s.send({ owner_id: Number(account), object_id: Number(object_id), aspect_type, event_time });
      s.provider.fault = () => fault;
      for (const [n, activity] of ids.entries()) {
        put(activity, n, 'As it was');
        await send(activity, 'create', 100 + n);
      }
      for (let minutes = 0; minutes < 60; minutes += 5) {
        await idle(s);
        s.provider.ahead += 5 * minuteMs;
      }
      for (const [n, activity] of ids.entries()) {
        put(activity, n, 'As it is');
        await send(activity, 'update', 1000 + n);
      }
      await send(ids[0] ?? '', 'delete', 2000);
      await idle(s);
      const asked = s.provider.asked.length;
      t.ok(asked < 60, `${asked} reads in an hour`);
      s.provider.fault = null;
      while ((await s.rows()).some(({ work }) => work !== null)) {
        await idle(s);
        s.provider.ahead += 5 * minuteMs;
      }
      const { data } = await s.call('timeseries.workouts', { user_id: id, ...year });
      t.same(
        data.map((workout) => workout.name),
        ids.slice(1).map(() => 'As it is'),
        'each as it is now, and the deleted one not at all',
      );
      t.match(
        await s.rows(),
        ids.map(() => ({ error: null, failures: 0 })),
      );
      t.ok(s.provider.most().quarter <= 100);
    },
  );
}

t.test('a stumble is tried again at once', { buffered: true }, async (t) => {
  const s = await setUp(t, { bus: false });
  const { account } = await s.person();
  s.provider.activities.set('1', { details: run('1', { manual: true }) });
  let stumbles = 2;
  s.provider.fault = () => {
    stumbles -= 1;
    return stumbles >= 0 ? 502 : null;
  };
  await s.send({ owner_id: Number(account), object_id: 1 });
  await s.settled();
  t.match(await s.rows(), [{ error: null, attempt: 1 }]);
  t.same(
    s.provider.asked.map(({ status }) => status),
    [502, 502, 200],
  );
});

t.test(
  'a read that is tried again is paid for beyond the two of its activity',
  { buffered: true },
  async (t) => {
    const s = await setUp(t, { bus: false, settings: { ACTIVITYNET_READS_PER_15_MIN: '2' } });
    s.provider.tells = () => null;
    const { account } = await s.person();
    s.provider.activities.set('1', { details: run('1', { manual: true }) });
    s.provider.fault = () => (s.provider.asked.length < 2 ? 502 : null);
    await s.send({ owner_id: Number(account), object_id: 1 });
    await until(async () => s.provider.asked.length === 2);
    await idle(s);
    t.same(
      s.provider.asked.map(({ status }) => status),
      [502, 502],
      'two reads are all that the quarter hour has',
    );
    turnOn(s, quarterMs);
    await s.settled();
    t.same(
      s.provider.asked.map(({ status }) => status),
      [502, 502, 200],
    );
  },
);

t.test(
  'one activity that never answers does not hold up the others, and is given up in the end',
  { buffered: true },
  async (t) => {
    const s = await setUp(t, { bus: false });
    const { id, account } = await s.person();
    for (const n of [1, 2, 3]) {
      const start_date = `2026-02-0${n}T08:00:00Z`;
      s.provider.activities.set(String(n), { details: run(String(n), { manual: true, start_date }) });
    }
    s.provider.fault = (path) => (path.endsWith('/1') ? 500 : null);
    for (const object_id of [1, 2, 3])
      await s.send({ owner_id: Number(account), object_id, event_time: object_id });
    for (let turns = 0; turns < 200 && (await s.rows()).some(({ work }) => work !== null); turns += 1) {
      await idle(s);
      s.provider.ahead += 60 * minuteMs;
    }
    t.match(await s.rows(), [
      { error: 'HTTP_500', failures: 30, work: null },
      { error: null },
      { error: null },
    ]);
    t.match(await s.call('activitynet-ingest.figures', {}), { given_up: 1, live_waiting: 0 });
    s.provider.fault = null;
    // The last failure may have come after the last turn of the clock, and reads pause after failures.
    s.provider.ahead += 60 * minuteMs;
    await s.send({ owner_id: Number(account), object_id: 1, aspect_type: 'update', event_time: 9 });
    await s.settled();
    t.equal(
      (await s.call('timeseries.workouts', { user_id: id, ...year })).data.length,
      3,
      'a later event revives it',
    );
  },
);

t.test(
  'a provider that cannot be reached costs nothing of what may be read',
  { buffered: true },
  async (t) => {
    const s = await setUp(t, { bus: false, settings: { ACTIVITYNET_API_URL: await nowhere() } });
    const { account } = await s.person();
    await s.send({ owner_id: Number(account), object_id: 1 });
    for (let minutes = 0; minutes < 10; minutes += 1) {
      await idle(s);
      s.provider.ahead += minuteMs;
    }
    const [row] = await s.rows();
    t.match(row, { work: 'fetch', error: 'NO_ANSWER' });
    t.ok((row?.failures ?? 0) > 3);
    t.match(await s.call('activitynet-ingest.figures', {}), { budget: { day_used: 0 }, live_waiting: 1 });
  },
);
