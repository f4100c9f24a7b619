import t from 'tap';
import { StoreItem } from '../../../domain/records/records.ts';
import { type Database, databaseOf } from '../../../mixins/database/database.ts';
import { deleteWorkout } from '../../../services/timeseries/actions/deletions.ts';
import { keptAll } from '../../../services/timeseries/work/kept-days.ts';
import { store } from '../../../services/timeseries/work/store.ts';
import { explaining, wholeScans } from '../../support/rows/explaining.ts';
import { fill } from '../../support/rows/filling.ts';
import { activity, at, block, workout } from './items.ts';
import { setUp } from './setting.ts';

const tables = ['activity_block', 'other_instants', 'workout', 'item', 'series', 'sample'];
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
  for (const minutes of [60, 30]) await store(on, { ...deletion, items: [made(minutes)] }, circumstances);
  await deleteWorkout(on, deletion, circumstances);
  t.ok(plans.length > 50, 'the plans were seen');
  t.strictSame(wholeScans(plans, tables), []);
});
