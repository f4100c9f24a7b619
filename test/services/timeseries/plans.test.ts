import t, { type Test } from 'tap';
import { calendarKinds } from '../../../contracts/timeseries/calendar.ts';
import { StoreItem } from '../../../domain/records/records.ts';
import { type Database, databaseOf } from '../../../mixins/database/database.ts';
import { readBody } from '../../../services/timeseries/actions/body.ts';
import { deleteWorkout } from '../../../services/timeseries/actions/deletions.ts';
import { readEvents } from '../../../services/timeseries/actions/events.ts';
import { readNights } from '../../../services/timeseries/actions/nights.ts';
import { readSamples } from '../../../services/timeseries/actions/samples.ts';
import { selectCalendar } from '../../../services/timeseries/tables/calendar.ts';
import { selectActivityDays } from '../../../services/timeseries/tables/days.ts';
import {
  type EventRow,
  otherTable,
  sleepTable,
  workoutTable,
} from '../../../services/timeseries/tables/events.ts';
import { selectLocalDays } from '../../../services/timeseries/tables/local-days.ts';
import { selectScores } from '../../../services/timeseries/tables/scores.ts';
import { keptAll } from '../../../services/timeseries/work/kept-days.ts';
import { settleLocalDays } from '../../../services/timeseries/work/local-days.ts';
import { store as storeItems } from '../../../services/timeseries/work/store.ts';
import { explaining, wholeScans } from '../../support/rows/explaining.ts';
import { fill } from '../../support/rows/filling.ts';
import { countingRows } from '../../support/rows/rows-read.ts';
import { activity, at, block, item, workout } from './items.ts';
import { setUp } from './setting.ts';

const shownAs = (provider: string) => provider;

t.test('reads no large table whole, for any page, count or direction', async (t) => {
  const { store, database, userId } = await setUp(t);
  await store([
    item({
      samples: [
        block('heart_rate', [[Date.UTC(2025, 0, 1), 60]]),
        block('steps', [[Date.UTC(2025, 0, 1), 6]]),
      ],
    }),
  ]);
  await fill(
    database,
    [
      `insert into timeseries.sample (series_id, zone_offset_minutes, ts, value)
     select s.id, 0, timestamptz '2025-01-01 00:00:01+00' + i * interval '2 minutes', 60
     from timeseries.series s, generate_series(1, 60000) i`,
      `insert into timeseries.workout (id, user_id, provider, key, device, type, raw_type, name, start_time, end_time,
       zone_offset_minutes, local_date, duration_seconds, is_parent)
     select gen_random_uuid(), case when i % 50 = 0 then $1 else gen_random_uuid() end, 'devicemaker', i::text, 'd',
       'running', 'RUNNING', 'n', timestamptz '2025-01-01' + i * interval '10 minutes',
       timestamptz '2025-01-01' + i * interval '10 minutes', 0, '2025-01-01', 60, false
     from generate_series(1, 20000) i`,
      `insert into timeseries.sleep_session (id, user_id, provider, key, device, start_time, end_time,
       zone_offset_minutes, date, is_nap, rank, asleep_seconds)
     select gen_random_uuid(), case when i % 50 = 0 then $1 else gen_random_uuid() end, 'devicemaker', i::text, 'd',
       timestamptz '2025-01-01' + i * interval '10 minutes', timestamptz '2025-01-01' + i * interval '10 minutes',
       0, '2025-01-01', false, 0, 60
     from generate_series(1, 20000) i`,
      `insert into timeseries.other_record (id, user_id, provider, type, key, device, start_time, end_time,
       zone_offset_minutes, local_date, data)
     select gen_random_uuid(), case when i % 50 = 0 then $1 else gen_random_uuid() end, 'devicemaker', 'moveiq',
       i::text, 'd', timestamptz '2025-01-01' + i * interval '10 minutes',
       timestamptz '2025-01-01' + i * interval '10 minutes', 0, '2025-01-01', '{}'
     from generate_series(1, 20000) i`,
      `insert into timeseries.series (user_id, type_id, provider, device)
     select gen_random_uuid(), 1, 'devicemaker', 'd' from generate_series(1, 5000)`,
      `insert into timeseries.sample_hour (series_id, bucket, n, sum, min, max, last, last_ts, mask)
     select 1000000 + i, '2025-01-01', 1, 1, 1, 1, 1, '2025-01-01', 1 from generate_series(1, 20000) i`,
      `insert into timeseries.sample_day (series_id, bucket, n, n1, n5, n15, n60)
     select 1000000 + i, '2025-01-01', 1, 1, 1, 1, 1 from generate_series(1, 20000) i`,
    ],
    userId,
  );
  await database.query('analyze');
  const plans: string[] = [];
  const on = explaining(database, plans);
  const bounds = [Date.UTC(2025, 0, 1, 5, 7, 1), Date.UTC(2025, 2, 20, 5, 50, 3)];
  const [start, end] = bounds.map((ms) => ({ ms, dateOnly: false }));
  if (start === undefined || end === undefined) throw new Error('two bounds');
  for (const resolution of ['raw', '1min', '5min', '15min', '1hour'] as const) {
    const query = { user_id: userId, start_time: start, end_time: end, resolution, limit: 100 };
    const settings = { shownAs, sourceOrder: { providers: [], deviceTypes: [] } };
    const first = await readSamples(on, settings, query);
    const cursor = first.pagination.next_cursor ?? '';
    const second = await readSamples(on, settings, { ...query, cursor });
    t.equal(second.data.length, 100, resolution);
    const previous = await readSamples(on, settings, {
      ...query,
      cursor: second.pagination.previous_cursor ?? '',
    });
    t.strictSame(previous.data, first.data, resolution);
  }
  for (const [table, types] of [
    [workoutTable, [undefined, 'running']],
    [sleepTable, [undefined]],
    [otherTable, [undefined, 'moveiq']],
  ] as const)
    for (const type of types) {
      const kind = { table, toWire: ({ id }: EventRow) => id };
      const query = { user_id: userId, start_date: start, end_date: end, type, limit: 5 };
      const first = await readEvents(on, kind, query);
      const cursor = first.pagination.next_cursor ?? '';
      const second = await readEvents(on, kind, { ...query, cursor });
      t.equal(second.data.length, 5, table.name);
      const back = { ...query, cursor: second.pagination.previous_cursor ?? '' };
      t.strictSame((await readEvents(on, kind, back)).data, first.data, table.name);
    }
  t.ok(plans.length > 40, 'the plans were seen');
  const tables = [
    'sample',
    'sample_hour',
    'sample_day',
    'workout',
    'sleep_session',
    'other_record',
    'item',
    'series',
  ];
  t.strictSame(wholeScans(plans, tables), []);
});

const activityTables = ['activity_block', 'other_instants', 'workout', 'item', 'series', 'sample'];
const fillStatements = [
  `insert into timeseries.activity_block (user_id, provider, data_type, key, hash, part, series_id, day,
     zone_offset_minutes, times, vals)
   select case when i % 20 = 0 then $1 else gen_random_uuid() end, 'devicemaker', 'activityDetails', i::text, 'h', 0,
     1000000 + i, date '2025-01-01' + i % 400, 0, '', '' from generate_series(1, 20000) i`,
  `insert into timeseries.other_instants (series_id, day, times)
   select 1000000 + i, date '2025-01-01' + i % 400, '' from generate_series(1, 20000) i`,
  `insert into timeseries.series (user_id, type_id, provider, device)
   select gen_random_uuid(), 1, 'devicemaker', 'd' from generate_series(1, 20000)`,
  `insert into timeseries.item (user_id, provider, data_type, key, duration_seconds, hash, is_first, record_ids)
   select case when i % 20 = 0 then $1 else gen_random_uuid() end, 'devicemaker', 'activityDetails', i::text, 1, 'h',
     true, '{}' from generate_series(1, 20000) i`,
  `insert into timeseries.workout (id, user_id, provider, key, device, type, raw_type, name, start_time, end_time,
     zone_offset_minutes, local_date, duration_seconds, is_parent)
   select gen_random_uuid(), case when i % 20 = 0 then $1 else gen_random_uuid() end, 'devicemaker', i::text, 'd',
     'running', 'RUNNING', 'n', timestamptz '2024-01-01' + i * interval '1 hour',
     timestamptz '2024-01-01 00:30' + i * interval '1 hour', 0, date '2025-01-01' + i / 24, 60, false
   from generate_series(1, 20000) i`,
];

t.test('cropping and deleting an activity scans no large table', async (t) => {
  const { database, userId } = await setUp(t);
  await fill(database, fillStatements, userId);
  await database.query('analyze');
  const plans: string[] = [];
  const on: Database = {
    ...databaseOf(database.pool),
    transaction: (work) =>
      database.transaction((transaction) => work(explaining({ ...database, ...transaction }, plans))),
  };
  const start = at('08:00:00');
  const made = (minutes: number) =>
    StoreItem.parse(
      activity(workout(start, minutes), {
        key: 'a',
        data_type: 'activityDetails',
        samples: [
          block(
            'speed',
            Array.from({ length: minutes }, (_, n) => [start + n * 60_000, n] as const),
          ),
        ],
      }),
    );
  const deletion = { user_id: userId, provider: 'devicemaker' as const, key: 'a' };
  const circumstances = {
    how: 'mark' as const,
    order: { providers: [], deviceTypes: [] },
    kept: keptAll,
    timeZone: null,
    nowMs: Date.now(),
    origin: { actor: null, requestId: null },
  };
  for (const minutes of [60, 30])
    await storeItems(on, { ...deletion, items: [made(minutes)] }, circumstances);
  await deleteWorkout(on, deletion, circumstances);
  t.ok(plans.length > 50, 'the plans were seen');
  t.strictSame(wholeScans(plans, activityTables), []);
});

const tables = [
  'sample',
  'sample_hour',
  'sample_local_day',
  'workout',
  'sleep_session',
  'epoch_part',
  'provider_day',
  'other_record',
  'day_value',
  'score',
  'series',
];

// Half of the records are the user's own: a page of days must not read what lies outside its range either.
const crowd = [
  `insert into timeseries.series (user_id, type_id, provider, device)
   select gen_random_uuid(), type_id, 'devicemaker', 'd' from generate_series(1, 2000), unnest(array[1, 31, 20]) type_id`,
  `insert into timeseries.sample_local_day (series_id, date, n, sum, min, max)
   select id, date '2025-01-01' + i, 1, 1, 1, 1 from timeseries.series, generate_series(1, 20) i on conflict do nothing`,
  `insert into timeseries.sample_hour (series_id, bucket, n, sum, min, max, last, last_ts, mask)
   select id, timestamptz '2024-01-01' + i * interval '1 hour', 1, 1, 1, 1, 1, '2024-01-01', 1
   from timeseries.series, generate_series(1, 10) i on conflict do nothing`,
];

const records = [
  `insert into timeseries.workout (id, user_id, provider, key, device, type, raw_type, name, start_time, end_time,
     zone_offset_minutes, local_date, duration_seconds, is_parent)
   select gen_random_uuid(), case when i % 20 = 0 then $1 else gen_random_uuid() end, 'devicemaker', i::text, 'd',
     'running', 'RUNNING', 'n', timestamptz '2025-01-01' + i * interval '1 hour',
     timestamptz '2025-01-01 00:30' + i * interval '1 hour', 0, date '2025-01-01' + i / 24, 60, false
   from generate_series(1, 20000) i`,
  `insert into timeseries.sleep_session (id, user_id, provider, key, device, start_time, end_time,
     zone_offset_minutes, date, is_nap, rank, asleep_seconds)
   select gen_random_uuid(), case when i % 20 = 0 then $1 else gen_random_uuid() end, 'devicemaker', i::text, 'd',
     timestamptz '2025-01-01' + i * interval '1 hour', timestamptz '2025-01-01 00:30' + i * interval '1 hour', 0,
     date '2025-01-01' + i / 24, false, 0, 60
   from generate_series(1, 20000) i`,
  `insert into timeseries.provider_day (id, user_id, provider, key, device, date, start_time, zone_offset_minutes,
     duration_seconds)
   select gen_random_uuid(), case when i % 20 = 0 then $1 else gen_random_uuid() end, 'devicemaker', i::text, 'd',
     date '2025-01-01' + i / 24, timestamptz '2025-01-01' + i * interval '1 hour', 0, 60
   from generate_series(1, 20000) i`,
  `insert into timeseries.epoch_part (user_id, provider, start_time, activity_type, device, zone_offset_minutes,
     local_date, sedentary_seconds, vals)
   select case when i % 20 = 0 then $1 else gen_random_uuid() end, 'devicemaker',
     timestamptz '2025-01-01' + i * interval '1 hour', 'WALKING', 'd', 0, date '2025-01-01' + i / 24, 60, '{}'
   from generate_series(1, 20000) i`,
  `insert into timeseries.other_record (id, user_id, provider, type, key, device, start_time, end_time,
     zone_offset_minutes, local_date, data)
   select gen_random_uuid(), case when i % 20 = 0 then $1 else gen_random_uuid() end, 'devicemaker', 'moveiq',
     i::text, 'd', timestamptz '2025-01-01' + i * interval '1 hour', timestamptz '2025-01-01' + i * interval '1 hour',
     0, date '2025-01-01' + i / 24, '{}'
   from generate_series(1, 20000) i`,
  `insert into timeseries.score (id, user_id, provider, data_type, key, kind, device, date, start_time, end_time,
     value, components)
   select gen_random_uuid(), case when i % 20 = 0 then $1 else gen_random_uuid() end, 'devicemaker', 'scores',
     i::text, 'strain', 'd', date '2025-01-01' + i / 24, timestamptz '2025-01-01' + i * interval '1 hour',
     timestamptz '2025-01-01' + i * interval '1 hour', 1, '{}'
   from generate_series(1, 20000) i`,
  `insert into timeseries.day_value (id, user_id, provider, data_type, key, device, date, start_time,
     duration_seconds, vals)
   select gen_random_uuid(), case when i % 20 = 0 then $1 else gen_random_uuid() end, 'devicemaker', 'dailies',
     i::text, 'd', date '2025-01-01' + i / 24, timestamptz '2025-01-01' + i * interval '1 hour', 60,
     '{"average_stress_level": 31}'
   from generate_series(1, 20000) i`,
];

async function crowded(t: Test) {
  const { store, database, userId } = await setUp(t);
  const start = at('00:00:00', '2025-01-10');
  const samples = Array.from({ length: 20_000 }, (_, index) => [start + index * 120_000, 60] as const);
  for (const type of ['heart_rate', 'steps', 'weight'] as const)
    await store([item({ samples: [block(type, samples)] })]);
  await fill(database, [...crowd, ...records], userId);
  await database.query('analyze');
  return { database, userId, samples, store };
}

const { database, userId, samples, store } = await crowded(t);

t.test('days, nights and bodies read no large table whole', async (t) => {
  const plans: string[] = [];
  const on = explaining(database, plans);
  const range = { user_id: userId, first_date: '2025-01-05', last_date: '2025-02-20', after: null };
  for (const order of ['asc', 'desc'] as const) {
    const page = { ...range, order, limit: 11 };
    t.ok((await selectActivityDays(on, page, false)).rows.length > 10);
    t.equal((await readNights(on, page)).nights.length, 11);
  }
  const now = { now_ms: samples.at(-1)?.[0] ?? 0, period_days: 7, window_hours: 24 };
  t.equal((await readBody(on, { user_id: userId, ...now })).slow.length, 1);
  t.ok(plans.length >= 10, 'the plans were seen');
  t.strictSame(wholeScans(plans, tables), []);
});

t.test('a page of scores reads no large table whole', async (t) => {
  const plans: string[] = [];
  const filter = { userId, firstDate: '2025-01-05', lastDate: '2025-02-20', kind: null, provider: null };
  for (const direction of ['next', 'previous'] as const) {
    const page = await selectScores(explaining(database, plans), filter, { direction, after: null }, 11);
    t.equal(page.rows.length, 11);
  }
  t.equal(plans.length, 4, 'the plans were seen');
  t.strictSame(wholeScans(plans, tables), []);
});

t.test('to put records on their local day reads no large table whole', async (t) => {
  const plans: string[] = [];
  const on = explaining(database, plans);
  const whose = { user_id: userId, provider: 'devicemaker' };
  const covered = [{ startMs: at('00:00:00', '2025-01-15'), endMs: at('23:00:00', '2025-01-15') }];
  const days = await selectLocalDays(on, whose, covered[0] ?? { startMs: 0, endMs: 0 });
  t.ok(days.spans.length > 5);
  await settleLocalDays(on, whose, days, { covered, workouts: [] });
  t.ok(plans.length >= 8, 'the plans were seen');
  t.strictSame(wholeScans(plans, tables), []);
});

t.test('a calendar reads a row a day of each series, whatever the number of samples', async (t) => {
  const range = { userId, firstDate: '2025-01-05', lastDate: '2025-02-20', typeIds: null, providers: null };
  const plans: string[] = [];
  for (const kind of calendarKinds)
    t.ok((await selectCalendar(explaining(database, plans), kind, range)).length > 0, kind);
  t.equal(plans.length, calendarKinds.length * 2, 'the plans were seen');
  t.strictSame(wholeScans(plans, tables), []);
  const readOf = async () => {
    const { on, read } = countingRows(database);
    await selectCalendar(on, 'sample', range);
    return read;
  };
  const before = await readOf();
  const more = samples.map(([ms]) => [ms + 60_000, 61] as const);
  await store([item({ samples: [block('heart_rate', more)] })]);
  t.strictSame(await readOf(), before, 'twice the samples');
  t.notOk(before.has('sample'));
  t.ok((before.get('sample_local_day') ?? 0) <= 4 * 47);
});
