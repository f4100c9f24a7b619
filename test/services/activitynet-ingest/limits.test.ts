import t from 'tap';
import { run } from '../../fixtures/activitynet/activities.ts';
import { dayMs, fast, idle, quarterMs, type Setting, setUp, turnOn } from './setting.ts';

t.setTimeout(400_000);

async function open(s: Setting): Promise<number> {
  const [row] = await s.database.query(
    'select count(*)::int as n from activitynet.activity where work is not null',
  );
  return row?.n ?? 0;
}

/** Sends an event for each of `count` activities, oldest last, shared by ten people. */
async function flood(s: Setting, count: number): Promise<string[]> {
  const people = await Promise.all(Array.from({ length: 10 }, () => s.person()));
  const ids = Array.from({ length: count }, (_, n) => String(18_000_000_000 + n));
  const start = (n: number) => new Date(Date.parse('2026-01-01T00:00:00Z') + n * 3_600_000).toISOString();
  const streams = { time: { data: [0, 1, 2] }, heartrate: { data: [100, 101, 102] } };
  for (const [n, id] of ids.entries()) {
    const details = run(id, { start_date: start(n), elapsed_time: 1200, moving_time: 1100 });
    s.provider.activities.set(id, { details, streams });
  }
  const next = ids.entries();
  const worker = async () => {
    for (const [n, id] of next) {
      const owner = people[n % people.length];
      await s.send({ owner_id: Number(owner?.account), object_id: Number(id), event_time: 2_000_000 - n });
    }
  };
  await Promise.all(Array.from({ length: 12 }, worker));
  return ids;
}

t.test('three processes fetch 90 activities in the first windows that allow it', async (t) => {
  // Live work may use all that there is: 60 reads a day are 30 activities, so that 90 take three days of three
  // quarter hours each.
  const settings = { ACTIVITYNET_READS_PER_15_MIN: '20', ACTIVITYNET_READS_PER_DAY: '60' };
  const s = await setUp(t, { processes: 3, settings, pace: { ...fast, parallel: 6 } });
  const startDay = Math.floor((Date.now() + s.provider.ahead + dayMs) / dayMs);
  turnOn(s, dayMs);
  s.provider.limits = { quarter: 0, day: 0 };
  await s.database.query(`update activitynet.budget set paused_until = 'infinity'`);
  const ids = await flood(s, 90);
  s.provider.limits = { quarter: 20, day: 60 };
  await s.database.query('update activitynet.budget set paused_until = null');
  const quarters = new Set<number>();
  for (let rounds = 0; (await open(s)) > 0 && rounds < 400; rounds += 1) {
    await idle(s);
    for (const { atMs } of s.provider.asked.slice(-1)) quarters.add(Math.floor(atMs / quarterMs));
    const [used] = await s.database.query('select day_used >= 60 as is_used from activitynet.budget');
    turnOn(s, used?.is_used ? dayMs : quarterMs);
  }
  const { quarter, day, refused } = s.provider.most();
  t.same({ quarter, day, refused }, { quarter: 20, day: 60, refused: 0 });
  t.equal(s.provider.asked.length, 180, 'each activity costs two reads, and none is read twice');
  t.same([...new Set(s.provider.asked.map(({ atMs }) => Math.floor(atMs / dayMs) - startDay))], [0, 1, 2]);
  t.equal(quarters.size, 9);
  const stored = await s.database.query('select key from timeseries.workout order by key');
  t.same(
    stored.map(({ key }) => key),
    ids,
    'none is lost',
  );
  t.match(await s.database.query('select count(*)::int as n from timeseries.sample'), [{ n: 270 }]);
  const details = s.provider.asked.map(({ path }) => path).filter((path) => !path.endsWith('/streams'));
  const order = details.map((path) => Number(path.split('/').at(-1)));
  const early = new Set(order.slice(0, 30));
  t.ok(
    [...early].every((id) => id >= 18_000_000_000 + 45),
    'the oldest events go first',
  );
});

t.test('a refusal that nobody foresaw waits for the next quarter hour, and nothing is dropped', async (t) => {
  const s = await setUp(t, { bus: false });
  s.provider.limits = { quarter: 10, day: 1000 };
  s.provider.tells = () => null;
  const ids = await flood(s, 12);
  await idle(s);
  const refusedAtFirst = s.provider.most().refused;
  t.ok(refusedAtFirst > 0);
  const askedAtFirst = s.provider.asked.length;
  await idle(s);
  t.equal(s.provider.asked.length, askedAtFirst, 'it is quiet until then');
  for (let rounds = 0; (await open(s)) > 0 && rounds < 10; rounds += 1) {
    turnOn(s, quarterMs);
    await idle(s);
  }
  const stored = await s.database.query('select key from timeseries.workout order by key');
  t.same(
    stored.map(({ key }) => key),
    ids,
  );
});

t.test('reads that others of the application made are left room for', async (t) => {
  const s = await setUp(t, { bus: false });
  s.provider.others = 40;
  s.provider.tells = () => 'read';
  await flood(s, 50);
  await idle(s);
  t.equal(s.provider.most().refused, 0);
  t.ok(s.provider.most().quarter > 90, 'and hardly more than that');
});

t.test('history leaves room for live events, which go first', async (t) => {
  const s = await setUp(t, { bus: false, settings: { ACTIVITYNET_READS_PER_15_MIN: '20' } });
  s.provider.limits = { quarter: 20, day: 1000 };
  const { id, account } = await s.person();
  for (let n = 0; n < 30; n += 1) {
    const start_date = new Date(Date.parse('2026-01-01T08:00:00Z') + n * dayMs).toISOString();
    s.provider.activities.set(String(100 + n), {
      details: run(String(100 + n), { start_date, manual: true }),
    });
  }
  const span = { start_ms: Date.parse('2026-01-01T00:00:00Z'), end_ms: Date.parse('2026-02-01T00:00:00Z') };
  await s.call('activitynet-ingest.startBackfill', { user_id: id, ...span });
  await idle(s);
  const byHistory = s.provider.asked.length;
  t.ok(byHistory <= 10, `${byHistory} reads`);
  const live = run('900', { start_date: '2026-03-01T08:00:00Z', manual: true });
  s.provider.activities.set('900', { details: live });
  await s.send({ owner_id: Number(account), object_id: 900 });
  await idle(s);
  t.match(s.provider.asked.slice(byHistory), [{ path: '/api/v3/activities/900', status: 200 }]);
});
