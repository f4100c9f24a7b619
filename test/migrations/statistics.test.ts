import t from 'tap';
import { freshDatabase } from '../support/servers/database.ts';
import { tracesOf } from '../support/traces.ts';

const database = await freshDatabase(t);

// Two rows of each value and two values a column: ANALYZE keeps most common values and a histogram.
const record = (n: number, at: string) => `
  insert into timeseries.sample select 4711, 60, timestamptz '${at}' + i * interval '1 minute', 70.123456 + i % 2
    from generate_series(1, 10) i;
  insert into timeseries.workout (id, user_id, provider, key, device, type, raw_type, name, start_time, end_time,
    zone_offset_minutes, local_date, duration_seconds, is_parent)
    select gen_random_uuid(), gen_random_uuid(), 'devicemaker', 'k${n}', 'Planted watch ' || i % 2, 'running', 'RUNNING',
      'Planted run ' || i % 2, '${at}', '${at}', 60, '2026-01-01', 7654321 + i % 2, false from generate_series(1, 10) i;
  insert into deliveries.delivery (provider, kind, headers, body)
    select 'devicemaker', 'push', '{}', convert_to('Planted body ' || i % 2, 'UTF8') from generate_series(1, 10) i;`;
const planted = ['70.123456', '71.123456', 'Planted run', 'Planted watch', 'Planted body', '7654321'];
const gathered = async () =>
  (await tracesOf(database, planted)).filter((trace) => trace.startsWith('pg_catalog.pg_stats'));

t.test('planner statistics contain no health data', async (t) => {
  await database.query(record(1, '2026-01-01 10:00+00'));
  await database.query(record(2, '2026-08-01 12:00+00'));
  await database.query('analyze');
  t.same(await gathered(), [], 'of tables and chunks');
  await database.query('alter table timeseries.workout alter column name set statistics 100');
  await database.query('analyze timeseries.workout');
  t.not((await gathered()).length, 0, 'another column would show them');
});
