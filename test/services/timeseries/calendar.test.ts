import { randomUUID } from 'node:crypto';
import t from 'tap';
import { mostCalendarDays, mostCountedDays } from '../../../contracts/timeseries/calendar.ts';
import { minuteMs } from '../../../domain/time/time.ts';
import { readKindDays } from '../../../services/timeseries/actions/days.ts';
import { refusal } from '../../support/refusal.ts';
import { explaining, wholeScans } from '../../support/rows/explaining.ts';
import { fill } from '../../support/rows/filling.ts';
import { activity, at, block, day, item, night, other, sleep, workout } from './items.ts';
import { anotherUser, setUp } from './setting.ts';

const setting = await setUp(t);
const { call, database, userId, store } = setting;
const minutes = (from: string, count: number, date?: string) =>
  Array.from({ length: count }, (_, index) => [at(from, date) + index * minuteMs, 60] as const);

await store([
  item({
    samples: [
      block('heart_rate', minutes('10:00:00', 12)),
      block('heart_rate', minutes('11:00:00', 3), { device: 'Ring' }),
      block('heart_rate', minutes('10:00:00', 120, '2026-03-04')),
      block('steps', minutes('23:30:00', 5), { zone_offset_minutes: 120 }),
    ],
  }),
  activity(workout(at('08:00:00'), 30)),
  night([
    sleep(at('00:30:00'), 300, { date: '2026-03-01' }),
    sleep(at('14:00:00'), 20, { date: '2026-03-01', is_nap: true }),
  ]),
  item({ day: day('2026-03-02', { steps: 10 }) }),
  item({ data_type: 'moveiq', other: other(at('09:00:00')) }),
]);
await store([item({ samples: [block('heart_rate', minutes('12:00:00', 1, '2026-03-02'))] })], 'activitynet');

const range = { user_id: userId, start_date: '2026-02-25', end_date: '2026-03-10' };
const read = (given: object = {}) => call('timeseries.calendar', { ...range, ...given });
const row = (kind: string, type: string | null, dates: [string, string], levels: string, total: number) => ({
  ...{ kind, type, provider: 'devicemaker', first_date: dates[0], last_date: dates[1] },
  ...{ day_count: levels.replaceAll('0', '').length, total, levels },
});

t.test('has a row for each type and provider, devices added up, in local days', async (t) => {
  t.strictSame(await read(), {
    start_date: '2026-02-25',
    end_date: '2026-03-10',
    data: [
      {
        ...row('sample', 'heart_rate', ['2026-03-02', '2026-03-02'], '1', 1),
        provider: 'activitynet',
      },
      row('sample', 'heart_rate', ['2026-03-01', '2026-03-04'], '2003', 135),
      row('sample', 'steps', ['2026-03-02', '2026-03-02'], '1', 5),
      row('workout', null, ['2026-03-01', '2026-03-01'], '1', 1),
      row('sleep', null, ['2026-03-01', '2026-03-01'], '1', 2),
      row('day', null, ['2026-03-02', '2026-03-02'], '1', 1),
      row('other', 'moveiq', ['2026-03-01', '2026-03-01'], '1', 1),
    ],
  });
});

t.test('returns exact counts on request', async (t) => {
  const { data } = await read({ counts: 'true', types: 'heart_rate', providers: 'devicemaker' });
  t.strictSame(
    data.map(({ counts }) => counts),
    [[15, 0, 0, 120]],
  );
});

t.test('a range, kinds, types and providers limit the rows', async (t) => {
  const shown = async (given: object) =>
    (await read(given)).data.map(({ kind, type, provider }) => [kind, type, provider].join(' ').trim());
  t.strictSame(await shown({ types: ['steps'] }), ['sample steps devicemaker']);
  t.strictSame(await shown({ types: ['steps'], kinds: ['sample', 'day'] }), [
    'sample steps devicemaker',
    'day  devicemaker',
  ]);
  t.strictSame(await shown({ kinds: 'sleep,other' }), ['sleep  devicemaker', 'other moveiq devicemaker']);
  t.strictSame(await shown({ providers: 'activitynet' }), ['sample heart_rate activitynet']);
  t.strictSame(await shown({ start_date: '2026-03-03' }), ['sample heart_rate devicemaker']);
  t.strictSame(await shown({ end_date: '2026-02-28' }), []);
});

t.test('equals a count of the samples themselves', async (t) => {
  const [counted] = await database.query<{ counts: number[] }>(
    `select array_agg(n order by date) as counts from (
       select (x.ts + x.zone_offset_minutes * interval '1 minute')::date as date, count(*)::int as n
       from timeseries.sample x join timeseries.series s on s.id = x.series_id
       where s.user_id = $1 and s.provider = 'devicemaker' and s.type_id = 1 group by 1) by_day`,
    [userId],
  );
  const { data } = await read({ counts: true, types: 'heart_rate', providers: 'devicemaker' });
  t.strictSame(
    data.flatMap(({ counts = [] }) => counts.filter((n) => n > 0)),
    counted?.counts,
  );
});

t.test('a deleted workout is not counted', async (t) => {
  const one = await anotherUser({ database, call });
  await one.store([activity(workout(at('08:00:00'), 30)), activity(workout(at('12:00:00'), 30))]);
  const [first] = await database.query<{ key: string }>(
    'select key from timeseries.workout where user_id = $1 order by start_time limit 1',
    [one.userId],
  );
  const counted = async () => (await read({ user_id: one.userId, kinds: 'workout' })).data[0]?.total;
  t.equal(await counted(), 2);
  const key = first?.key ?? '';
  await call('timeseries.deleteWorkout', { user_id: one.userId, provider: 'devicemaker', key });
  t.equal(await counted(), 1);
});

t.test('an unknown user is 404, and a user without data has no rows', async (t) => {
  await t.rejects(read({ user_id: randomUUID() }), refusal('USER_NOT_FOUND'));
  const { id } = await call('users.create', {});
  t.strictSame((await read({ user_id: id })).data, []);
});

t.test('a range that is empty or too long is refused', async (t) => {
  const long = (days: number) => ({
    start_date: '2020-01-01',
    end_date: new Date(Date.UTC(2020, 0, days)).toISOString().slice(0, 10),
  });
  await t.rejects(read({ start_date: '2026-03-11' }), refusal('RANGE_INVALID'));
  await t.resolves(read(long(mostCalendarDays)));
  await t.rejects(read(long(mostCalendarDays + 1)), {
    ...refusal('RANGE_INVALID'),
    data: { errors: [{ field: 'end_date' }] },
  });
  await t.resolves(read({ ...long(mostCountedDays), counts: true }));
  await t.rejects(read({ ...long(mostCountedDays + 1), counts: true }), refusal('RANGE_INVALID'));
});

const ada = await anotherUser(setting);
const ben = await anotherUser(setting);

await ada.store([
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
await ada.store(
  [item({ samples: [block('heart_rate', [[at('10:00:00', '2026-03-03'), 60]])] })],
  'activitynet',
);
await ben.store([item({ samples: [block('heart_rate', [[at('10:00:00', '2026-03-03'), 60]])] })]);

const kindRange = { provider: 'devicemaker' as const, first_date: '2026-03-01', last_date: '2026-03-05' };
const readKinds = async (user_ids: string[], given: object = {}) => {
  const { data } = await call('timeseries.kindDays', { ...kindRange, user_ids, ...given });
  return Object.fromEntries(
    data.map(({ user_id, kind, days }) => [`${user_id === ada.userId ? 'ada' : 'ben'} ${kind}`, days]),
  );
};

t.test('has the local days of each kind of a provider, each once', async (t) => {
  t.same(await readKinds([ada.userId]), {
    ...{ 'ada activities': [4], 'ada daily_activity': [1, 3], 'ada heart_rate': [1, 3], 'ada sleep': [1] },
  });
});

t.test('of the named users only', async (t) => {
  t.same(await readKinds([ben.userId, randomUUID()]), { 'ben heart_rate': [2] });
  t.same(Object.keys(await readKinds([ben.userId, ada.userId])).length, 5);
  t.same(await readKinds([]), {});
});

t.test('of the range only', async (t) => {
  t.same(await readKinds([ada.userId], { first_date: '2026-03-03', last_date: '2026-03-04' }), {
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
    ada.userId,
  );
  await database.query('analyze');
  const plans: string[] = [];
  const query = { ...kindRange, user_ids: [ada.userId, ben.userId] };
  t.equal((await readKindDays(explaining(database, plans), query)).data.length, 6);
  t.equal(plans.length, 2);
  t.same(wholeScans(plans, ['sample_local_day', 'series', 'workout', 'sleep_session', 'provider_day']), []);
});
