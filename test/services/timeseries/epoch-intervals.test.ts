import t from 'tap';
import { hourMs, minuteMs } from '../../../domain/time/time.ts';
import { phone, steps } from './interval-items.ts';
import { at, epoch, item } from './items.ts';
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

t.test('a slot that is processed again with another sum has the new one', async (t) => {
  const user = await newUser();
  const { userId: user_id } = user;
  const wrong = slot(0, 2);
  const right = { ...wrong, epoch: epoch(nine, { values: { steps: 2250 } }) };
  const given = { user_id, provider: 'devicemaker' as const, received_ms: receivedMs };
  await s.call('timeseries.store', { ...given, items: [wrong] });
  await s.call('timeseries.store', { ...given, items: [right], normaliser_version: 2, reprocess: true });
  t.same(await hours(user_id, '1hour'), [[0, 'devicemaker', 2250]]);
});
