import t from 'tap';
import { hourMs, minuteMs } from '../../../domain/time/time.ts';
import { phone, steps } from './interval-items.ts';
import { at, block, epoch, item } from './items.ts';
import { setUp, withUser } from './setting.ts';

const s = await setUp(t);
const nine = at('09:00:00');
const range = { start_time: '2026-01-01', end_time: '2026-12-31', types: ['steps' as const], limit: 100 };

async function newUser() {
  const { id } = await s.call('users.create', {});
  return withUser(s.database, s.call, id);
}

type User = Awaited<ReturnType<typeof newUser>>;

const slot = (index: number, value: number, fields: Parameters<typeof epoch>[1] = {}) => {
  const startMs = nine + index * 15 * minuteMs;
  const part = epoch(startMs, { values: { steps: value, average_met: 3 }, ...fields });
  return item({ data_type: 'epochs', key: `${startMs}/${part.activity_type}`, epoch: part });
};

/** What both devices counted of the same hour. */
async function walk(user: User, order: 'watch first' | 'phone first') {
  const byWatch = () => user.store([0, 1, 2, 3].map((index) => slot(index, 2250)));
  const byPhone = () =>
    user.storeIntervals(
      [phone],
      [0, 10, 20].map((minute) => steps(nine + minute * minuteMs, 10, 1300)),
      'phone',
    );
  for (const store of order === 'watch first' ? [byWatch, byPhone] : [byPhone, byWatch]) await store();
}

async function hours(user_id: string, resolution: '15min' | '1hour') {
  const { data } = await s.call('timeseries.samples', { user_id, ...range, resolution });
  return data.map(({ timestamp, source, value }) => [
    (Date.parse(timestamp) - nine) / minuteMs,
    source.provider,
    value,
  ]);
}

for (const order of ['watch first', 'phone first'] as const)
  t.test(`a walk that epochs and a phone counted is counted once: ${order}`, async (t) => {
    const user = await newUser();
    await walk(user, order);
    t.same(await hours(user.userId, '1hour'), [[0, 'devicemaker', 9000]]);
    t.same(
      await hours(user.userId, '15min'),
      [0, 15, 30, 45].map((minute) => [minute, 'devicemaker', 2250]),
    );
  });

const receivedMs = nine + hourMs;

/** Stores slots of an earlier release, which stored sums as samples. */
async function storeAsBefore(user: User, items: readonly ReturnType<typeof slot>[]) {
  const { userId } = user;
  const provider = 'devicemaker' as const;
  await s.call('timeseries.store', { user_id: userId, provider, items: [...items], received_ms: receivedMs });
  const [set] = await s.database.query<{ id: number }>(
    'select id from timeseries.interval_set where user_id = $1',
    [userId],
  );
  await s.database.query('delete from timeseries.interval_value where set_id = $1', [set?.id]);
  await s.database.query('delete from timeseries.interval_set where id = $1', [set?.id]);
  await s.database.query('delete from timeseries.series where user_id = $1 and is_interval', [userId]);
  const values = [0, 1, 2, 3].map((index) => [nine + index * 15 * minuteMs, 2250] as const);
  await user.store([item({ samples: [block('steps', values)] })]);
}

t.test('slots of an earlier release become intervals when they are processed again', async (t) => {
  const user = await newUser();
  const { userId: user_id } = user;
  const slots = [0, 1, 2, 3].map((index) => slot(index, 2250));
  await storeAsBefore(user, slots);
  await user.storeIntervals([phone], [steps(nine, 30, 3900)], 'phone');
  t.same(
    (await hours(user_id, '1hour')).map(([, , value]) => value).sort(),
    [3900, 9000],
    'both count in an hour',
  );
  const again = () =>
    s.call('timeseries.reprocess', {
      ...{ user_id, provider: 'devicemaker', items: slots, normaliser_version: 2 },
      ...{ received_ms: receivedMs, dry_run: false },
    });
  await again();
  t.same(await hours(user_id, '1hour'), [[0, 'devicemaker', 9000]]);
  const { data } = await s.call('timeseries.samples', { user_id, ...range });
  t.same(data.map(({ source, value }) => `${source.device} ${value}`).sort(), [
    'Phone 15 3900',
    ...Array(4).fill('Watch 7 2250'),
  ]);
  const second = await again();
  t.match(
    second,
    { changes: { samples: { added: 0, changed: 0, removed: 0 } } },
    'nothing is left to change',
  );
});

t.test('a slot that is processed again with another sum has the new one', async (t) => {
  const user = await newUser();
  const { userId: user_id } = user;
  const wrong = slot(0, 2);
  const right = { ...wrong, epoch: epoch(nine, { values: { steps: 2250 } }) };
  const given = { user_id, provider: 'devicemaker' as const, received_ms: receivedMs };
  await s.call('timeseries.store', { ...given, items: [wrong] });
  const reprocess = { ...given, items: [right], normaliser_version: 2, dry_run: false };
  await s.call('timeseries.reprocess', reprocess);
  t.same(await hours(user_id, '1hour'), [[0, 'devicemaker', 2250]]);
});
