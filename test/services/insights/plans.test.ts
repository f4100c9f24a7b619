import t from 'tap';
import { readDayFacts, readGlucose } from '../../../services/timeseries/actions/insights.ts';
import { selectDaySpan } from '../../../services/timeseries/tables/facts.ts';
import { explaining, wholeScans } from '../../support/rows/explaining.ts';
import { fill } from '../../support/rows/filling.ts';
import { at, block, item, night, sleep } from '../timeseries/items.ts';
import { setUp } from '../timeseries/setting.ts';

const tables = [
  'sample',
  'sample_hour',
  'sample_local_day',
  'workout',
  'sleep_session',
  'provider_day',
  'series',
];

const crowd = [
  `insert into timeseries.series (user_id, type_id, provider, device)
   select gen_random_uuid(), type_id, 'devicemaker', 'd' from generate_series(1, 2000), unnest(array[1, 4, 31]) type_id`,
  `insert into timeseries.sample_local_day (series_id, date, n, sum, min, max)
   select id, date '2025-01-01' + i, 700, 1, 1, 1 from timeseries.series, generate_series(1, 20) i on conflict do nothing`,
  `insert into timeseries.sample_hour (series_id, bucket, n, sum, min, max, last, last_ts, mask)
   select id, timestamptz '2024-01-01' + i * interval '1 hour', 1, 1, 1, 1, 1, '2024-01-01', 1
   from timeseries.series, generate_series(1, 10) i on conflict do nothing`,
  `insert into timeseries.workout (id, user_id, provider, key, device, type, raw_type, name, start_time, end_time,
     zone_offset_minutes, local_date, duration_seconds, is_parent)
   select gen_random_uuid(), case when i % 20 = 0 then $1 else gen_random_uuid() end, 'devicemaker', i::text, 'd',
     'running', 'RUNNING', 'n', timestamptz '2025-01-01' + i * interval '1 hour',
     timestamptz '2025-01-01 00:30' + i * interval '1 hour', 0, date '2025-01-01' + i / 24, 60, false
   from generate_series(1, 20000) i`,
  `insert into timeseries.sleep_session (id, user_id, provider, key, device, start_time, end_time,
     zone_offset_minutes, date, is_nap, rank, asleep_seconds)
   select gen_random_uuid(), gen_random_uuid(), 'devicemaker', i::text, 'd',
     timestamptz '2025-01-01' + i * interval '1 hour', timestamptz '2025-01-01 00:30' + i * interval '1 hour', 0,
     date '2025-01-01' + i / 24, false, 0, 60
   from generate_series(1, 20000) i`,
  `insert into timeseries.provider_day (id, user_id, provider, key, device, date, start_time, zone_offset_minutes,
     duration_seconds)
   select gen_random_uuid(), gen_random_uuid(), 'devicemaker', i::text, 'd',
     date '2025-01-01' + i / 24, timestamptz '2025-01-01' + i * interval '1 hour', 0, 60
   from generate_series(1, 20000) i`,
];

t.test('the inputs of insights read no large table whole', async (t) => {
  const { store, database, userId } = await setUp(t);
  const start = at('00:00:00', '2025-01-10');
  const samples = Array.from({ length: 20_000 }, (_, index) => [start + index * 60_000, 60] as const);
  for (const type of ['heart_rate', 'steps', 'heart_rate_variability_rmssd', 'blood_glucose'] as const)
    await store([item({ key: type, samples: [block(type, samples)] })]);
  await store([night([sleep(at('22:00:00', '2025-01-11'), 480, { date: '2025-01-12' })])]);
  await fill(database, crowd, userId);
  await database.query('analyze');
  const plans: string[] = [];
  const on = explaining(database, plans);
  const range = { user_id: userId, first_date: '2025-01-05', last_date: '2025-02-20' };
  const facts = await readDayFacts(on, range);
  t.match(facts.night_means, [{ date: '2025-01-12', n: 480, mean: 60 }]);
  t.ok(facts.step_minutes.length >= 13 && facts.workouts.length > 50);
  t.ok((await readGlucose(on, range)).values.length === 20_000);
  t.match(await selectDaySpan(on, range), { first_date: '2025-01-05', last_date: '2025-02-20' });
  t.ok(plans.length >= 7, 'the plans were seen');
  t.strictSame(wholeScans(plans, tables), []);
});
