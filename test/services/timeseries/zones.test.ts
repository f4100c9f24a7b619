import t from 'tap';
import { steps, watch } from './interval-items.ts';
import { activity, at, block, item, night, other, sleep, workout } from './items.ts';
import { anotherUser, setUp, withUser } from './setting.ts';

const setting = await setUp(t);
const { call, database } = setting;
const days = { start_date: '2026-03-01', end_date: '2026-03-02' };

async function wearer() {
  const user = await anotherUser({ database, call });
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

t.test(
  'data without an offset has the zone of its user, whatever clocks of other times are known',
  async (t) => {
    const { id } = await call('users.create', { time_zone: 'America/New_York' });
    const user = withUser(database, call, id);
    const bare = { zone_offset_minutes: null };
    // 23:30 before the clocks change, and 0:30 after it.
    const [before, after] = ['2026-03-08T04:30:00Z', '2026-03-09T04:30:00Z'].map((time) => Date.parse(time));
    const parts = (ms = 0) => [
      activity(workout(ms, 30, bare), { key: `run ${ms}` }),
      item({ data_type: 'moveiq', key: `walk ${ms}`, other: other(ms, { ...bare, date: null }) }),
      item({ data_type: 'beats', key: `beats ${ms}`, samples: [block('heart_rate', [[ms, 60]], bare)] }),
    ];
    const stored = () =>
      database.query(
        `select local_date::text as date, zone_offset_minutes as minutes from timeseries.workout where user_id = $1
       union all select local_date::text, zone_offset_minutes from timeseries.other_record where user_id = $1
       union all select timeseries.local_midnight(ts, x.zone_offset_minutes)::date::text, x.zone_offset_minutes
         from timeseries.sample x join timeseries.series s on s.id = x.series_id where s.user_id = $1
       union all select timeseries.local_midnight(start_time, x.zone_offset_minutes)::date::text, x.zone_offset_minutes
         from timeseries.interval_value x join timeseries.series s on s.id = x.series_id where s.user_id = $1
       order by 1, 2`,
        [id],
      );
    await user.store([...parts(before), ...parts(after)]);
    await user.storeIntervals([watch], [steps(before ?? 0, 10, 300, bare), steps(after ?? 0, 10, 300, bare)]);
    const rows = (date: string, minutes: number) => Array.from({ length: 4 }, () => ({ date, minutes }));
    t.strictSame(await stored(), [...rows('2026-03-07', -300), ...rows('2026-03-09', -240)]);

    const known = block('steps', [[at('06:00:00'), 5]], { zone_offset_minutes: 540 });
    await user.store([item({ data_type: 'beats', key: 'known', samples: [known] })]);
    await user.storeIntervals([watch], [steps(at('12:00:00'), 10, 300, bare)]);
    t.match(await stored(), [
      { date: '2026-03-01', minutes: -300 },
      { date: '2026-03-01', minutes: 540 },
    ]);
  },
);
