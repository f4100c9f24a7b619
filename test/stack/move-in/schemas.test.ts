import { createHash } from 'node:crypto';
import t from 'tap';
import { z } from 'zod';
import { startApi } from '../../support/api.ts';
import { callBefore, reportFolder, runMoveIn } from '../../support/move-in/run-move-in.ts';
import { sourceDatabase } from '../../support/move-in/source-database.ts';
import {
  addInstallation,
  addSamples,
  addSource,
  addUser,
  insert,
  seriesIds,
} from '../../support/move-in/source-rows.ts';

const api = await startApi(t);
const Page = z.object({ pagination: z.object({ total_count: z.int() }) });

const Items = z.array(z.object({ samples: z.array(z.object({ at: z.array(z.number()) })) }));

t.test('columns and tables that a version lacks are not needed', async (t) => {
  const source = await sourceDatabase(t);
  const { ada, key } = await addInstallation(source);
  await source.query(`
    delete from data_point_series where is_daily_total;
    alter table data_point_series drop column zone_offset, drop column is_daily_total, drop column external_id;
    alter table event_record drop column zone_offset, drop column external_id;
    alter table user_connection drop column scope, drop column last_synced_at;
    alter table data_source drop column original_source_name, drop column device_type;
    alter table data_point_series_archive add column date date;
    update data_point_series_archive set date = (bucket_start_at at time zone 'UTC')::date;
    alter table data_point_series_archive drop column bucket_start_at, drop column aggregation_type;
    drop table menstrual_cycle_details, health_score, provider_priority, device_type_priority;
    create table meal_details (record_id uuid primary key); insert into meal_details values (gen_random_uuid())`);
  const { ledger, comparison } = await runMoveIn({ api, source, folder: reportFolder(t) });
  t.match(ledger.counts, {
    data_point_series_archive: { read: 2, moved: 1, left: { 'samples of the day are there': 1 } },
    event_record: { read: 5, moved: 4 },
    meal_details: { read: 1, left: { 'its table has no place here': 1 } },
  });
  t.match(comparison, {
    counts: { differences: [] },
    samples: { differences: [] },
    records: { differences: [] },
  });
  t.equal((await api.ask(`/api/v1/users/${ada}`, { key })).status, 200);
});

t.test('keys that a newer version has hashed are valid too', async (t) => {
  const source = await sourceDatabase(t);
  await source.query(
    'drop table api_key; create table api_key (id uuid primary key, key_hash varchar(64), key_prefix varchar(10), name varchar, created_at timestamptz)',
  );
  const key = 'sk-0123456789abcdef0123456789abcdef';
  const hash = createHash('sha256').update(key).digest('hex');
  await insert(source, 'api_key', {
    id: '00000000-0000-4000-8000-000000000001',
    key_hash: hash,
    name: 'Hashed',
  });
  const { ledger } = await runMoveIn({ api, source, folder: reportFolder(t) });
  t.match(ledger.counts.api_key, { read: 1, moved: 1 });
  t.equal((await api.ask('/api/v1/users', { key })).status, 200);
});

t.test(
  'a user whose id is no UUID of the standard is left with all data, and the others are moved',
  async (t) => {
    const source = await sourceDatabase(t);
    const odd = '00000000-0000-0000-0000-000000000001';
    await insert(source, 'user', { id: odd });
    const user = await addUser(source);
    await insert(source, 'data_source', { id: odd.replace('1', '2'), user_id: user, provider: 'garmin' });
    const samples = {
      series: seriesIds.heartRate,
      start: '2026-03-02T10:00:00Z',
      count: 9,
      step_seconds: 60,
    };
    await addSamples(source, { ...samples, source: odd.replace('1', '2') });
    await addSamples(source, { ...samples, source: await addSource(source, odd, 'garmin') });
    const { ledger } = await runMoveIn({ api, source, folder: reportFolder(t) });
    t.match(ledger.counts, {
      user: { read: 2, moved: 1, left: { 'a column has a value that it should not have': 1 } },
      data_source: { read: 2, moved: 1, left: { 'its user was not moved': 1 } },
      data_point_series: { read: 18, moved: 9, left: { 'its user was not moved': 9 } },
    });
  },
);

t.test('a week with more samples than are held at once is moved in parts', async (t) => {
  const source = await sourceDatabase(t);
  const user = await addUser(source);
  const own = await addSource(source, user, 'garmin', { device_model: 'Forerunner 965' });
  const count = 70_000;
  await addSamples(source, {
    ...{ source: own, series: seriesIds.heartRate, start: '2026-03-01T22:00:00Z', count, step_seconds: 5 },
  });
  // The totals of a day stay one record, whatever part their times are in.
  const total = { data_source_id: own, is_daily_total: true, zone_offset: '+02:00' };
  const day = '2026-03-03T21:59:30Z';
  await insert(source, 'data_point_series', {
    ...total,
    series_type_definition_id: seriesIds.steps,
    recorded_at: day,
    value: 8000,
  });
  await insert(source, 'data_point_series', {
    ...total,
    series_type_definition_id: 100,
    recorded_at: '2026-03-02T22:00:00Z',
    value: 6000,
  });
  const folder = reportFolder(t);
  const first = await runMoveIn({ api, source, folder });
  t.match(first.ledger.counts.data_point_series, { read: count + 2, moved: count + 2 });
  t.match(first.comparison, { counts: { compared: 1, differences: [] }, samples: { differences: [] } });
  const query = 'start_time=2026-03-01&end_time=2026-03-09&types=heart_rate&limit=1';
  const stored = Page.parse(await api.expect(200, `/users/${user}/timeseries?${query}`));
  t.equal(stored.pagination.total_count, count);
  const summary = await api.expect(
    200,
    `/users/${user}/summaries/activity?start_date=2026-03-03&end_date=2026-03-03`,
  );
  t.match(summary, { data: [{ steps: 8000, distance_meters: 6000 }] });

  let sent = 0;
  const call = callBefore(api, (name, params) => {
    if (name === 'timeseries.store')
      for (const { samples } of Items.parse(params.items)) for (const { at } of samples) sent += at.length;
  });
  await runMoveIn({ api, source, folder, call });
  t.equal(sent, 0, 'what is unchanged is not sent again');
  await source.query(`update data_point_series set value = 61 where recorded_at = '2026-03-03T10:00:00Z'`);
  const changed = await runMoveIn({ api, source, folder, call });
  t.ok(sent > 0 && sent <= 2 * 60 * 12, `${sent} samples: two hours of them`);
  t.match(changed.comparison, { counts: { differences: [] }, samples: { differences: [] } });
});
