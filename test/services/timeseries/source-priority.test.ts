import t from 'tap';
import { refusal } from '../../support/refusal.ts';
import { until } from '../../support/until.ts';
import { phone, steps, watch } from './interval-items.ts';
import { at } from './items.ts';
import { anotherUser, setUp, unknownUser } from './setting.ts';

const s = await setUp(t, { DEVICE_PRIORITY: 'watch,phone' });
const nine = at('09:00:00');

/** A user whose watch and phone measured the same hour. */
async function newUser() {
  const user = await anotherUser(s);
  await user.storeIntervals(
    [watch, phone],
    ['steps' as const, 'energy' as const].flatMap((type) => [
      steps(nine, 60, 100, { type }),
      steps(nine, 60, 200, { type, source: 1 }),
    ]),
  );
  return user;
}

/** What counts on the day by type, once it is settled. */
async function counted(user_id: string) {
  const kind = 'timeseries.interval_settlement';
  await until(
    async () => (await s.database.query('select from jobs.job where kind = $1', [kind])).length === 0,
  );
  const { days } = await s.call('timeseries.activityDays', {
    ...{ user_id, first_date: '2026-03-01', last_date: '2026-03-01', after: null },
    ...{ order: 'asc', limit: 1 },
  });
  const cut = days[0]?.sources[0]?.intervals;
  return [cut?.steps, cut?.active_calories_kcal];
}

const bucket = async (user_id: string) => {
  const range = { start_time: '2026-03-01', end_time: '2026-03-01', types: ['steps' as const] };
  const { data } = await s.call('timeseries.samples', { user_id, ...range, resolution: '15min', limit: 1 });
  return data[0]?.source.device;
};

t.test('the order of a user counts for days, hours and buckets, until it is removed', async (t) => {
  const { userId: user_id } = await newUser();
  t.same(await counted(user_id), [100, 100]);
  const change = (fields: object) => s.call('timeseries.changeSourcePriority', { user_id, ...fields });
  const entry = { series_type: null, providers: null, device_types: ['phone', 'watch'] };
  const { configured, overrides } = await change({ device_types: ['phone', 'watch'] });
  t.same(configured.device_types, ['watch', 'phone']);
  t.same(overrides, [entry]);
  t.same(await counted(user_id), [200, 200]);
  t.equal(await bucket(user_id), 'Phone 15');
  const ofSteps = { series_type: 'steps', providers: null, device_types: ['watch'] };
  await change({ series_type: 'steps', device_types: ['watch'] });
  t.same(await counted(user_id), [100, 200], 'one type has an order of its own');
  t.equal(await bucket(user_id), 'Watch 7');
  t.same((await s.call('timeseries.sourcePriority', { user_id })).overrides, [entry, ofSteps]);
  await change({ series_type: 'steps', device_types: null });
  await change({ device_types: null });
  t.same((await s.call('timeseries.sourcePriority', { user_id })).overrides, []);
  t.same(await counted(user_id), [100, 100]);
});

t.test('the order of providers goes before that of devices', async (t) => {
  const user = await newUser();
  const other = [{ ...phone, device: 'Other phone' }];
  await user.storeIntervals(other, [steps(nine, 60, 300)], 'activitynet');
  const sums = async () => {
    await counted(user.userId);
    const rows = await s.database.query<{ device: string; sum: number }>(
      `select s.device, d.sum from timeseries.series s join timeseries.sample_local_day d on d.series_id = s.id
       where s.user_id = $1 and s.type_id = 31 and d.sum > 0`,
      [user.userId],
    );
    return rows.map(({ device, sum }) => [device, sum]);
  };
  const whole = await s.call('timeseries.sourcePriority', { user_id: user.userId });
  const isFirst =
    whole.configured.providers.indexOf('devicemaker') < whole.configured.providers.indexOf('activitynet');
  t.same(await sums(), [isFirst ? ['Watch 7', 100] : ['Other phone', 300]]);
  const providers = isFirst ? ['activitynet' as const] : ['devicemaker' as const];
  await s.call('timeseries.changeSourcePriority', { user_id: user.userId, providers });
  t.same(await sums(), [isFirst ? ['Other phone', 300] : ['Watch 7', 100]]);
});

t.test(
  'of two devices of equal rank the one that counted more in a slot counts, whatever its name',
  async (t) => {
    const other = { ...watch, device: 'Watch 6', device_id: 'w-2' };
    for (const devices of [
      [watch, other],
      [other, watch],
    ]) {
      const user = await anotherUser(s);
      await user.storeIntervals(devices, [
        steps(nine, 15, 0),
        steps(nine, 15, 172, { source: 1 }),
        steps(nine + 15 * 60_000, 15, 90),
        steps(nine + 15 * 60_000, 15, 80, { source: 1 }),
        // A zero is finer than what the other device counted.
        steps(nine + 60 * 60_000, 5, 0),
        steps(nine + 60 * 60_000, 15, 60, { source: 1 }),
      ]);
      t.same((await counted(user.userId))[0], 172 + 90 + 60);
    }
  },
);

t.test('another configured order is applied to stored intervals', async (t) => {
  const user = await newUser();
  await s.database.query("update timeseries.interval_set set ranked_by = 'another' where user_id = $1", [
    user.userId,
  ]);
  await s.database.query(
    'update timeseries.sample_local_day set sum = 1 where series_id in (select id from timeseries.series where user_id = $1)',
    [user.userId],
  );
  await s.database.query("update jobs.job set run_at = now() where kind = 'timeseries.interval_order'");
  await until(async () => {
    const rows = await s.database.query(
      "select from timeseries.interval_set where user_id = $1 and ranked_by = 'another'",
      [user.userId],
    );
    return rows.length === 0;
  });
  t.same(await counted(user.userId), [100, 100]);
});

t.test('refuses unknown users, and orders that name something twice', async (t) => {
  await t.rejects(s.call('timeseries.sourcePriority', { user_id: unknownUser }), refusal('USER_NOT_FOUND'));
  const change = { user_id: unknownUser, device_types: ['phone' as const] };
  await t.rejects(s.call('timeseries.changeSourcePriority', change), refusal('USER_NOT_FOUND'));
  const twice = { ...change, device_types: ['phone' as const, 'phone' as const] };
  await t.rejects(s.call('timeseries.changeSourcePriority', twice), refusal('VALIDATION_FAILED'));
});
