import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { z } from 'zod';
import { type Counts, leftOf } from '../../../stack/move-in/ledger.ts';
import { createUser, startApi } from '../../support/api.ts';
import { reportFolder, runMoveIn } from '../../support/move-in/run-move-in.ts';
import { sourceDatabase } from '../../support/move-in/source-database.ts';
import {
  addInstallation,
  addRecord,
  addSamples,
  insert,
  seriesIds,
} from '../../support/move-in/source-rows.ts';
import { until } from '../../support/until.ts';

const api = await startApi(t);
const source = await sourceDatabase(t);
const { ada, bob, carol, garmin, workout, night, key, token } = await addInstallation(source);
const folder = reportFolder(t);

const unbalanced = (counts: Counts) =>
  Object.entries(counts).filter(([, of]) => of.read !== of.moved + leftOf(of));

/** The tables of which not every row was read. */
async function unread(counts: Counts): Promise<string[]> {
  const tables = Object.entries(counts).map(async ([table, { read }]) => {
    const [row] = await source.query<{ n: number }>(`select count(*)::int as n from "${table}"`);
    return row?.n === read ? [] : [`${table}: ${read} of ${row?.n}`];
  });
  return (await Promise.all(tables)).flat();
}

/** All that is stored of users, and a sum over it that a changed row changes. */
async function stored(): Promise<unknown> {
  return api.database.query(
    `select (select count(*)::int from timeseries.sample) as samples, (select sum(value) from timeseries.sample) as sum,
       (select md5(string_agg(x::text, ',' order by id)) from timeseries.workout x) as workouts,
       (select md5(string_agg(x::text, ',' order by id)) from timeseries.sleep_session x) as sleeps,
       (select md5(string_agg(x::text, ',' order by id)) from timeseries.provider_day x) as days,
       (select md5(string_agg(x::text, ',' order by id)) from users.connection x) as connections,
       (select md5(string_agg(x::text, ',' order by id)) from users.person x) as people,
       (select count(*)::int from auth.audit_entry) as entries, (select count(*)::int from auth.family) as families,
       (select count(*)::int from changes.pending) + (select count(*)::int from changes.change) as changes`,
  );
}

t.test('a dry run counts every row and writes nothing', async (t) => {
  const before = await stored();
  const { ledger, comparison, page } = await runMoveIn({ api, source, folder, args: ['--dry-run'] });
  t.same(unbalanced(ledger.counts), []);
  t.same(comparison, null);
  t.match(ledger.counts.user, { read: 3, moved: 3 });
  t.same(await stored(), before);
  t.match(readFileSync(page, 'utf8'), '# Dry run of a move from Open Wearables');
});

t.test('every row of the source is moved, or left with a reason', async (t) => {
  const { ledger, comparison, page } = await runMoveIn({ api, source, folder });
  t.same(unbalanced(ledger.counts), []);
  t.same(await unread(ledger.counts), []);
  t.match(ledger.counts, {
    user: { moved: 3, left: {} },
    data_point_series: {
      left: {
        'we have no such provider': 11,
        'no series has this code': 7,
        'location data, which no series has': 3,
        'has no valid time': 1,
        'is before 1990': 1,
        'its user was not moved': 6,
        'it belongs to nothing': 4,
      },
    },
    event_record: { read: 5, moved: 4, left: { 'ends before it starts': 1 } },
    health_score: { moved: 1 },
    application: { left: { malformed_hash: 1 } },
  });
  t.match(comparison, {
    counts: { differences: [] },
    samples: { differences: [] },
    records: { differences: [] },
  });
  t.match(readFileSync(page, 'utf8'), 'SOURCE_PRIORITY=oura,devicemaker');
});

t.test('the same users, keys, tokens and records are there', async (t) => {
  const asked = (path: string) => api.ask(`/api/v1${path}`, { key });
  t.match((await asked(`/users/${ada}`)).body, {
    ...{ id: ada, first_name: 'Ada', email: 'shared@example.com', external_user_id: 'ext-ada' },
    created_at: '2025-02-03T04:05:06Z',
  });
  t.match((await asked(`/users/${bob}`)).body, { first_name: 'Bob', email: 'shared@example.com' });
  t.match((await asked(`/users/${carol}`)).body, { id: carol });
  const Connections = z.array(z.looseObject({ provider: z.string() }));
  const connections = Connections.parse((await asked(`/users/${ada}/connections`)).body);
  t.match(
    connections.toSorted((a, b) => (a.provider < b.provider ? -1 : 1)),
    [
      { provider: 'activitynet', status: 'revoked' },
      { provider: 'devicemaker', status: 'active', provider_user_id: 'garmin-1', scope: ['A', 'B'] },
      { provider: 'googlehealth', status: 'expired' },
      { provider: 'polar', status: 'expired' },
    ],
  );
  t.match((await asked(`/users/${bob}/connections`)).body, [{ provider: 'phone', status: 'active' }]);
  t.match((await asked(`/users/${ada}/events/workouts/${workout}`)).body, {
    ...{ id: workout, type: 'running', start_time: '2026-03-02T06:00:00Z', end_time: '2026-03-02T07:00:00Z' },
    ...{ calories_kcal: 640, max_heart_rate_bpm: 177, zone_offset: '+02:00' },
  });
  t.match((await asked(`/users/${ada}/events/sleep/${night}`)).body, { id: night, duration_seconds: 27_000 });
  const refreshed = await api.ask('/api/v1/token/refresh', { body: { refresh_token: token } });
  t.equal(refreshed.status, 200);
  const range = 'start_date=2026-03-02&end_date=2026-03-02';
  t.match((await asked(`/users/${ada}/summaries/activity?${range}`)).body, { data: [{ steps: 9000 }] });
});

t.test('no secret and no value stands in the report', async (t) => {
  const files = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'));
  for (const secret of [
    key,
    token,
    'access-of-garmin',
    'refresh-of-garmin',
    'old-api',
    'shared@example.com',
    '9000',
  ])
    t.notOk(
      files.some((text) => text.includes(secret)),
      secret,
    );
  t.same(readdirSync(folder).toSorted(), [
    'dry-run.md',
    'dry-run.ndjson',
    'left-out.ndjson',
    'report.md',
    'state.ndjson',
  ]);
});

/** The store places days without an offset in the background, by clocks that came after them. */
const settled = () =>
  until(async () => {
    const open = await api.database.query(
      "select from jobs.job where kind like 'timeseries.%' and key <> '' and dead_at is null limit 1",
    );
    return open.length === 0;
  });

t.test('a second run changes nothing', async (t) => {
  await settled();
  const before = await stored();
  const lines = readFileSync(join(folder, 'left-out.ndjson'), 'utf8').split('\n').toSorted();
  const { ledger } = await runMoveIn({ api, source, folder });
  t.same(unbalanced(ledger.counts), []);
  await settled();
  t.same(await stored(), before);
  t.same(readFileSync(join(folder, 'left-out.ndjson'), 'utf8').split('\n').toSorted(), lines);
});

t.test('a later run brings what came meanwhile, and changes nothing that was changed here', async (t) => {
  await addSamples(source, {
    ...{
      source: garmin,
      series: seriesIds.heartRate,
      start: '2026-04-01T10:00:00Z',
      count: 3,
      step_seconds: 60,
    },
  });
  const late = await addRecord(source, garmin, {
    ...{ external_id: '777', category: 'workout', type: 'cycling', duration_seconds: 600 },
    ...{ start_datetime: '2026-04-01T10:00:00Z', end_datetime: '2026-04-01T10:10:00Z' },
  });
  await api.expect(200, `/users/${ada}`, { method: 'PATCH', body: { first_name: 'Augusta' } });
  const { comparison } = await runMoveIn({ api, source, folder });
  t.match(comparison, { counts: { differences: [] }, records: { differences: [] } });
  t.match(await api.expect(200, `/users/${ada}`), { first_name: 'Augusta' });
  t.match(await api.expect(200, `/users/${ada}/events/workouts/${late}`), { id: late });
  const query = 'start_time=2026-04-01&end_time=2026-04-01&types=heart_rate';
  const Page = z.object({ data: z.array(z.unknown()) });
  t.equal(Page.parse(await api.expect(200, `/users/${ada}/timeseries?${query}`)).data.length, 3);
});

t.test(
  'a user who was deleted here does not come back, and all rows of the user have the reason',
  async (t) => {
    await api.expect(200, `/users/${bob}`, { method: 'DELETE' });
    const { ledger } = await runMoveIn({ api, source, folder });
    t.same(unbalanced(ledger.counts), []);
    t.same(await unread(ledger.counts), []);
    t.match(ledger.counts.user, { moved: 2, left: { erased: 1 } });
    t.equal(ledger.counts.data_point_series?.left['its user was not moved'], 6 + 50 + 20);
    t.equal((await api.ask(`/api/v1/users/${bob}`, { key: api.apiKey })).status, 404);
  },
);

t.test('an external id that another user has here is left to the operator', async (t) => {
  await createUser(api, { external_user_id: 'taken' });
  await insert(source, 'user', { id: '00000000-0000-4000-8000-00000000abcd', external_user_id: 'taken' });
  const { ledger } = await runMoveIn({ api, source, folder });
  t.match(ledger.counts.user, { left: { external_id_taken: 1 } });
});

t.test('--users and --since move a part', async (t) => {
  const part = reportFolder(t);
  const { ledger } = await runMoveIn({
    api,
    source,
    folder: part,
    args: ['--users', ada, '--since', '2026-03-20'],
  });
  t.match(ledger.counts, {
    user: { read: 1, moved: 1 },
    data_point_series: { moved: 103, left: { 'has no valid time': 1 } },
    event_record: { read: 1, moved: 1 },
    user_connection: { read: 4 },
  });
  t.notOk(Object.hasOwn(ledger.counts, 'developer'));
});
