import t from 'tap';
import { steps, watch } from './interval-items.ts';
import { activity, at, block, item, night, other, sleep, workout } from './items.ts';
import { setUp, withUser } from './setting.ts';

const setting = await setUp(t);
const { call, database } = setting;
const days = { start_date: '2026-03-01', end_date: '2026-03-02' };

async function wearer() {
  const user = withUser(database, call, (await call('users.create', {})).id);
  const list = { user_id: user.userId, ...days };
  const zonesOf = async () => ({
    workouts: (await call('timeseries.workouts', list)).data.map(({ zone_offset }) => zone_offset),
    sleeps: (await call('timeseries.sleeps', list)).data.map(({ zone_offset }) => zone_offset),
    others: (await call('timeseries.others', list)).data.map(({ zone_offset }) => zone_offset),
  });
  const range = { user_id: user.userId, start_time: '2026-03-01', end_time: '2026-03-02' };
  const samples = (query = {}) => call('timeseries.samples', { ...range, ...query });
  return { ...user, list, zonesOf, samples };
}

const records = (zone_offset_minutes: number | null, start = '07:00:00') => {
  const zone = { zone_offset_minutes };
  return [
    activity(workout(at(start), 30, zone), { key: `run ${start}` }),
    night([sleep(at('10:00:00'), 60, zone)], { key: 'night' }),
    item({ data_type: 'moveiq', key: 'walk', other: other(at('12:00:00'), zone) }),
  ];
};

t.test('workouts, sleeps and other events have the clock that the provider sent', async (t) => {
  const user = await wearer();
  await user.store(records(-210));
  t.strictSame(await user.zonesOf(), { workouts: ['-03:30'], sleeps: ['-03:30'], others: ['-03:30'] });
  const [{ id } = { id: '' }] = (await call('timeseries.workouts', user.list)).data;
  t.match(await call('timeseries.workout', { user_id: user.userId, event_id: id }), {
    zone_offset: '-03:30',
  });
  await user.store(records(0));
  t.strictSame(await user.zonesOf(), { workouts: ['+00:00'], sleeps: ['+00:00'], others: ['+00:00'] });
});

t.test('without a clock it is null, although the local day follows the known one', async (t) => {
  const user = await wearer();
  await user.store([
    item({ samples: [block('steps', [[at('06:00:00'), 5]], { zone_offset_minutes: 540 })] }),
  ]);
  await user.store(records(null));
  t.strictSame(await user.zonesOf(), { workouts: [null], sleeps: [null], others: [null] });
  const [row] = await database.query(
    'select zone_offset_minutes as stored from timeseries.workout where user_id = $1',
    [user.userId],
  );
  t.strictSame(row, { stored: 540 });
});

t.test('samples have their clock on request only, buckets none', async (t) => {
  const user = await wearer();
  const bare = await wearer();
  const beats = (minutes: number | null, time: string) =>
    block('heart_rate', [[at(time), 60]], { zone_offset_minutes: minutes });
  await user.store([
    item({ samples: [beats(120, '08:00:00'), beats(330, '09:00:00'), beats(null, '11:00:00')] }),
  ]);
  await user.storeIntervals([watch], [steps(at('10:00:00'), 10, 300, { zone_offset_minutes: -60 })]);
  const plain = await user.samples();
  t.notOk(plain.data.some((one) => 'zone_offset' in one));
  const zoned = await user.samples({ include: 'zone' });
  t.same(
    zoned.data.map(({ zone_offset, ...rest }) => rest),
    plain.data,
  );
  t.same(
    zoned.data.map(({ timestamp, zone_offset }) => [timestamp.slice(11, 16), zone_offset]),
    [
      ['08:00', '+02:00'],
      ['09:00', '+05:30'],
      ['10:00', '-01:00'],
      ['11:00', '+05:30'],
    ],
  );
  const page = await user.samples({ include: ['zone'], limit: 2 });
  const cursor = page.pagination.next_cursor ?? '';
  t.match((await user.samples({ include: 'zone', limit: 1, cursor })).data, [{ zone_offset: '-01:00' }]);
  const buckets = await user.samples({ include: 'zone', resolution: '15min' });
  t.ok(buckets.data.every(({ zone_offset }) => zone_offset === null));
  await bare.store([item({ samples: [beats(null, '08:00:00')] })]);
  t.strictSame((await bare.samples({ include: 'zone' })).data[0]?.zone_offset, null, 'no clock is known');
});
