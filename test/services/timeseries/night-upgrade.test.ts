import { randomBytes, randomUUID } from 'node:crypto';
import pg from 'pg';
import t, { type Test } from 'tap';
import { migrateUp, migrationNames } from '../../../migrations/migrate.ts';
import { type Database, databaseOf } from '../../../mixins/database/database.ts';
import timeseries from '../../../services/timeseries/timeseries.service.ts';
import { createDatabase, dropDatabase } from '../../../stack/database/create-database.ts';
import { startBroker } from '../../support/servers/broker.ts';
import { adminUrl } from '../../support/servers/database.ts';
import { until } from '../../support/until.ts';
import { keptNights, nightsAnew } from './night-oracle.ts';

const names = await migrationNames();
const before = names[names.findIndex((name) => name.endsWith('night-means')) - 1];

async function formerDatabase(t: Test): Promise<Database & { readonly url: string }> {
  const name = `test_${randomBytes(8).toString('hex')}`;
  const url = await createDatabase(adminUrl(), name);
  const pool = new pg.Pool({ connectionString: url, max: 2 });
  pool.on('error', () => undefined);
  t.teardown(async () => {
    await pool.end();
    await dropDatabase(adminUrl(), name);
  });
  await migrateUp(url, before);
  return { url, ...databaseOf(pool) };
}

const people = [randomUUID(), randomUUID(), randomUUID()];

// Two hundred nights of each, the last of them a nap, with a heart rate a quarter of an hour.
const rows = [
  `insert into timeseries.series_type (id, name, bucket) values (1, 'heart_rate', 'avg')`,
  `insert into timeseries.series (user_id, type_id, provider, device)
   select id, 1, 'devicemaker', 'Watch' from unnest($1::uuid[]) id`,
  `insert into timeseries.sleep_session (id, user_id, provider, key, device, start_time, end_time, zone_offset_minutes,
     date, is_nap, rank, asleep_seconds)
   select gen_random_uuid(), u, 'devicemaker', n::text, 'Watch', timestamptz '2025-01-01 22:10+00' + n * interval '1 day',
     timestamptz '2025-01-02 05:50+00' + n * interval '1 day', 0, date '2025-01-02' + n, n = 200, 1, 27000
   from unnest($1::uuid[]) u, generate_series(1, 200) n`,
  `insert into timeseries.sample select s.id, 0, timestamptz '2025-01-01' + n * interval '15 minutes', 50 + (n % 40) / 4.0
   from timeseries.series s, generate_series(1, 200 * 96) n`,
];

const jobs = (database: Database) =>
  database.query("select payload from jobs.job where kind = 'timeseries.night_marking'");

t.test('nights that were stored before the upgrade are kept by a job, and right until then', async (t) => {
  const database = await formerDatabase(t);
  for (const text of rows) await database.query(text, text.includes('$1') ? [people] : []);
  await migrateUp(database.url);
  t.same(await jobs(database), [{ payload: { after: null } }]);
  const { call } = await startBroker(t, { databaseUrl: database.url, services: [timeseries] });
  const read = async (user_id: string) => {
    const range = { first_date: '2025-03-01', last_date: '2025-03-30', after: null, order: 'asc' as const };
    const { nights } = await call('timeseries.nights', { user_id, ...range, limit: 30 });
    return nights.map(({ date, sources }) => [date, sources[0]?.main?.means.heart_rate]);
  };
  const anew = await nightsAnew(database);
  t.equal(anew.length, 3 * 199);
  const wanted = (user_id: string) =>
    anew
      .filter((one) => one.user_id === user_id && one.date >= '2025-03-01' && one.date <= '2025-03-30')
      .map(({ date, heart_rate }) => [date, heart_rate]);
  const areSame = async () => {
    for (const user of people) t.same(await read(user), wanted(user));
    return (await keptNights(database)).length === anew.length;
  };
  await until(areSame);
  t.same(await keptNights(database), anew);
  await until(async () => (await jobs(database)).length === 0);
});

t.test('without nights there is nothing to mark', async (t) => {
  const database = await formerDatabase(t);
  await migrateUp(database.url);
  t.same(await jobs(database), []);
});
