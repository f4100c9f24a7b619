import { randomUUID } from 'node:crypto';
import t from 'tap';
import { readKindDays } from '../../../services/timeseries/actions/days.ts';
import { explaining, wholeScans } from '../../support/rows/explaining.ts';
import { fill } from '../../support/rows/filling.ts';
import { activity, at, block, day, item, night, other, sleep, workout } from './items.ts';
import { anotherUser, setUp } from './setting.ts';

const setting = await setUp(t);
const { call, database, userId, store } = setting;
const ben = await anotherUser(setting);

await store([
  item({
    samples: [
      block('heart_rate', [[at('10:00:00', '2026-03-02'), 60]]),
      block('heart_rate', [[at('10:00:00', '2026-03-04'), 60]], { device: 'Ring' }),
      block('oxygen_saturation', [[at('10:00:00', '2026-03-04'), 97]]),
      block('steps', [[at('23:30:00', '2026-03-03'), 5]], { zone_offset_minutes: 120 }),
      block('devicemaker_stress_level', [[at('10:00:00', '2026-02-28'), 20]]),
    ],
  }),
  activity(workout(at('08:00:00', '2026-03-05'), 30)),
  night([
    sleep(at('00:30:00', '2026-03-02'), 300, { date: '2026-03-02' }),
    sleep(at('14:00:00', '2026-03-02'), 20, { date: '2026-03-02', is_nap: true }),
  ]),
  item({ day: day('2026-03-02', { steps: 10 }) }),
  item({ data_type: 'moveiq', other: other(at('09:00:00', '2026-03-03')) }),
]);
await store([item({ samples: [block('heart_rate', [[at('10:00:00', '2026-03-03'), 60]])] })], 'activitynet');
await ben.store([item({ samples: [block('heart_rate', [[at('10:00:00', '2026-03-03'), 60]])] })]);

const range = { provider: 'devicemaker' as const, first_date: '2026-03-01', last_date: '2026-03-05' };
const read = async (user_ids: string[], given: object = {}) => {
  const { data } = await call('timeseries.kindDays', { ...range, user_ids, ...given });
  return Object.fromEntries(
    data.map(({ user_id, kind, days }) => [`${user_id === userId ? 'ada' : 'ben'} ${kind}`, days]),
  );
};

t.test('has the local days of each kind of a provider, each once', async (t) => {
  t.same(await read([userId]), {
    ...{ 'ada activities': [4], 'ada daily_activity': [1, 3], 'ada heart_rate': [1, 3], 'ada sleep': [1] },
  });
});

t.test('of the named users only', async (t) => {
  t.same(await read([ben.userId, randomUUID()]), { 'ben heart_rate': [2] });
  t.same(Object.keys(await read([ben.userId, userId])).length, 5);
  t.same(await read([]), {});
});

t.test('of the range only', async (t) => {
  t.same(await read([userId], { first_date: '2026-03-03', last_date: '2026-03-04' }), {
    ...{ 'ada daily_activity': [1], 'ada heart_rate': [1] },
  });
});

t.test('reads no large table whole', async (t) => {
  await fill(
    database,
    [
      `insert into timeseries.series (user_id, type_id, provider, device)
       select gen_random_uuid(), type_id, 'devicemaker', 'd' from generate_series(1, 3000), unnest(array[1, 31, 20]) type_id`,
      `insert into timeseries.sample_local_day (series_id, date, n, sum, min, max)
       select id, date '2026-02-20' + i, 1, 1, 1, 1 from timeseries.series, generate_series(1, 10) i on conflict do nothing`,
      `insert into timeseries.workout (id, user_id, provider, key, device, type, raw_type, name, start_time, end_time,
         zone_offset_minutes, local_date, duration_seconds, is_parent)
       select gen_random_uuid(), gen_random_uuid(), 'devicemaker', i::text, 'd', 'running', 'RUNNING', 'n',
         timestamptz '2026-02-01' + i * interval '1 minute', timestamptz '2026-02-01' + i * interval '1 minute', 0,
         date '2026-02-01' + i / 1000, 60, false from generate_series(1, 20000) i`,
      `insert into timeseries.sleep_session (id, user_id, provider, key, device, start_time, end_time, zone_offset_minutes, date,
         is_nap, rank, asleep_seconds)
       select gen_random_uuid(), gen_random_uuid(), 'devicemaker', i::text, 'd', timestamptz '2026-02-01' + i * interval '1 hour',
         timestamptz '2026-02-01 00:30' + i * interval '1 hour', 0, date '2026-02-01' + i / 24, false, 0, 60
       from generate_series(1, 20000) i`,
      `insert into timeseries.provider_day (id, user_id, provider, key, device, date, start_time, zone_offset_minutes,
         duration_seconds)
       select gen_random_uuid(), gen_random_uuid(), 'devicemaker', i::text, 'd', date '2026-02-01' + i / 1000,
         timestamptz '2026-02-01' + i * interval '1 minute', 0, 60 from generate_series(1, 20000) i`,
    ],
    userId,
  );
  await database.query('analyze');
  const plans: string[] = [];
  const query = { ...range, user_ids: [userId, ben.userId] };
  t.equal((await readKindDays(explaining(database, plans), query)).data.length, 6);
  t.equal(plans.length, 2);
  t.same(wholeScans(plans, ['sample_local_day', 'series', 'workout', 'sleep_session', 'provider_day']), []);
});
