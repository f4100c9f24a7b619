import t from 'tap';
import { readEvents } from '../../../services/timeseries/actions/events.ts';
import { readSamples } from '../../../services/timeseries/actions/samples.ts';
import {
  type EventRow,
  otherTable,
  sleepTable,
  workoutTable,
} from '../../../services/timeseries/tables/events.ts';
import { explaining, wholeScans } from '../../support/rows/explaining.ts';
import { fill } from '../../support/rows/filling.ts';
import { block, item } from './items.ts';
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
