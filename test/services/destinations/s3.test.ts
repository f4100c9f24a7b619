import { randomUUID } from 'node:crypto';
import t from 'tap';
import { dayMs, hourMs, isoTime, minuteMs } from '../../../domain/time/time.ts';
import { advance } from '../../../services/destinations/tables/destinations.ts';
import { startS3Store } from '../../support/servers/s3-store.ts';
import { until } from '../../support/until.ts';
import { activity, day, item, night, sleep, workout } from '../timeseries/items.ts';
import { nothingPending } from '../webhooks/setting.ts';
import { type Manifest, manifestOf, rowsInDatabase, rowsInStore } from './manifest-rows.ts';
import { checkCopy, heart, old, storeAll } from './scenario.ts';
import { startDestinations } from './setting.ts';

const store = await startS3Store();
t.teardown(store.stop);
const clock = { aheadMs: 0 };
const pace = { now: () => Date.now() + clock.aheadMs };
const s = await startDestinations(t, { DESTINATION_HOSTS: store.host }, { pace });
const settings = { ...store.settings, interval_seconds: 1 };

/** The objects that contain the id of a user. */
async function holders(user: string): Promise<string[]> {
  const bytes = Buffer.from(user.replaceAll('-', ''), 'hex');
  const keys: string[] = [];
  for (const key of await store.keys()) if ((await store.get(key))?.includes(bytes)) keys.push(key);
  return keys;
}

await checkCopy(t, s, {
  ...{ kind: 's3', settings: { ...settings, prefix: 'shared' }, proof: 'files_rewritten' },
  rows: () => rowsInStore(store, 'shared/'),
  traces: async (user) => (await holders(user)).length,
});

const prefix = 'pulsebus';
const today = Math.floor(Date.now() / dayMs) * dayMs;

async function checked(id: string) {
  await s.written(id);
  const [found, wanted] = [await rowsInStore(store, `${prefix}/`), await rowsInDatabase(s.database)];
  return { found, wanted };
}

const user = await storeAll(s);
await s.store(user, [heart(today, 10)]);
// A user of another project, whose data is never copied.
const { id: stranger } = await s.call(
  'users.create',
  {},
  { meta: { caller: { kind: 'api-key', id: randomUUID(), scopes: null, project_id: 'stage' } } },
);
await s.store(stranger, [heart(old, 7), night([sleep(old, 200)])]);
await s.call('timeseries.storeIntervals', {
  ...{ user_id: user, provider: 'phone' },
  sources: [{ device_type: 'watch', device: 'Watch', app: 'Steps' }],
  intervals: [
    { id: 'a', type: 'steps', source: 0, start_ms: old - minuteMs, end_ms: old + minuteMs, value: 90 },
    { id: 'b', type: 'steps', source: 0, start_ms: old + hourMs, end_ms: old + 2 * hourMs, value: 900 },
  ],
});
// All of it is copied from the tables: nothing of it is told by a later change.
await nothingPending(s.database);
const { id } = await s.call('destinations.create', { kind: 's3', settings: { ...settings, prefix } });

t.test('a day that is over is one file of a type, and today has one for each hour', async (t) => {
  const { found, wanted } = await checked(id);
  t.ok(wanted.length > 220);
  t.same(found, wanted);
  const { files, sequence } = await manifestOf(store, `${prefix}/`);
  const date = isoTime(today).slice(0, 10);
  const ofToday = files.filter((file) => file.type === 'heart_rate' && file.date === date);
  t.same(
    ofToday.map(({ hour }) => hour),
    [0],
  );
  t.same(
    files.filter((file) => file.date < date && file.hour !== null),
    [],
  );
  t.match(sequence, /^\d+$/);
  t.match(await s.get(id), { state: 'running', snapshot_complete: true });
});

t.test('changes and a late month rewrite their files only', async (t) => {
  const before = await manifestOf(store, `${prefix}/`);
  await s.store(user, [
    heart(old, 40, 90),
    heart(Date.parse('2025-09-30T22:00:00Z'), 300),
    activity(workout(old + 30 * hourMs, 60, { name: 'Evening run' }), { key: 'run' }),
    item({ key: 'day', hash: 'later', duration_seconds: 7200, day: day('2026-03-01', { steps: 5000 }) }),
  ]);
  const { found, wanted } = await checked(id);
  t.same(found, wanted);
  const after = await manifestOf(store, `${prefix}/`);
  const fileOf = (manifest: typeof after) => manifest.files.find(({ type }) => type === 'sleep')?.path;
  t.equal(fileOf(after), fileOf(before));
  t.ok(Number(after.sequence) > Number(before.sequence));
  t.ok(after.files.some(({ date }) => date === '2025-10-01'));
});

t.test(
  'a deleted user is removed while the destination is paused, with objects that no manifest names',
  async (t) => {
    const other = await s.user();
    await s.store(other, [heart(old, 3)]);
    await s.written(id);
    const stray = `${prefix}/type=heart_rate/date=2020-01-01/part-stray.parquet`;
    await store.put(stray, 'left over');
    await s.call('destinations.pause', { destination_id: id });
    await s.database.query('update users.person set deleted_at = now() where id = $1', [other]);
    await s.call('destinations.forgetUser', { user_id: other });
    await until(async () => (await s.get(id)).erasures_open === 0);
    t.equal((await s.get(id)).state, 'paused');
    t.same(await rowsInStore(store, `${prefix}/`), await rowsInDatabase(s.database));
    t.equal(await store.get(stray), null);
    for (const table of ['erasure', 'user_span', 'record']) {
      const rows = `select from destinations.${table} where user_id = $1`;
      await until(async () => (await s.database.query(rows, [other])).length === 0, table);
    }
    await s.call('destinations.resume', { destination_id: id });
  },
);

t.test('the hours of a day become one file when it is over', async (t) => {
  await s.written(id);
  const current = async () => (await manifestOf(store, `${prefix}/`)).files;
  const isHourly = ({ hour }: Manifest['files'][number]) => hour !== null;
  t.ok((await current()).some(isHourly));
  clock.aheadMs = 3 * dayMs;
  await s.store(user, [heart(old + 9 * dayMs, 2)]);
  const mixed = new Set<string>();
  await until(async () => {
    const files = await current();
    const whole = new Set(files.filter((one) => !isHourly(one)).map(({ type, date }) => `${type} ${date}`));
    for (const { type, date } of files.filter(isHourly))
      if (whole.has(`${type} ${date}`)) mixed.add(`${type} ${date}`);
    return !files.some(isHourly);
  });
  t.same([...mixed], [], 'no commit has both');
  const { found, wanted } = await checked(id);
  t.same(found, wanted);
});

t.test('a series that goes without a span takes all of its rows along', async (t) => {
  const other = await s.user();
  await s.store(other, [heart(old + 50 * dayMs, 4), heart(old + 60 * dayMs, 4)]);
  await s.written(id);
  await s.database.transaction(async (transaction) => {
    await transaction.query("set local changes.unrecorded = 'on'");
    const own = 'series_id in (select id from timeseries.series where user_id = $1)';
    await transaction.query(`delete from timeseries.sample where ${own}`, [other]);
    await transaction.query("set local changes.unrecorded = 'off'");
    await transaction.query('delete from timeseries.series where user_id = $1', [other]);
  });
  const { found, wanted } = await checked(id);
  t.same(found, wanted);
});

t.test('after changes that are not kept any more everything is compared', async (t) => {
  await s.call('destinations.pause', { destination_id: id });
  await s.store(user, [heart(old + 70 * dayMs, 4)]);
  await nothingPending(s.database);
  await s.database.query('update changes.expired set last_id = (select max(id) from changes.change)');
  await s.database.query('delete from changes.change');
  await s.call('destinations.resume', { destination_id: id });
  await until(async () => (await rowsInStore(store, `${prefix}/`)).some((row) => row.includes('2026-05-10')));
  const { found, wanted } = await checked(id);
  t.same(found, wanted);
});

t.test('a commit of a process that lost its lease is refused', async (t) => {
  const [row] = await s.database.query<{ id: string; version: string; position: string }>(
    'select id, version, position from destinations.destination where id = $1',
    [id],
  );
  if (row === undefined) throw new Error('no destination');
  const stale = { ...row, version: String(Number(row.version) - 1) };
  const next = { position: row.position, snapshot: null, progress: {}, rows: 0 };
  await t.rejects(advance(s.database, stale, next), { message: 'stopped' });
});
