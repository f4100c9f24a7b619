import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import pg from 'pg';
import t, { type Test } from 'tap';
import { migrateDown, migrateUp, migrationNames, migrationText } from '../../migrations/migrate.ts';
import { type Database, databaseOf } from '../../mixins/database/database.ts';
import { createDatabase, dropDatabase } from '../../stack/database/create-database.ts';
import { schemas } from '../../stack/database/service-rights.ts';
import { run } from '../../stack/machine/processes.ts';
import { defaultStackDir } from '../../stack/machine/unprivileged.ts';
import { debianPrograms } from '../../stack/packages/debian-packages.ts';
import { adminUrl } from '../support/servers/database.ts';
import { unsafe } from './additive.ts';
import { schemaOf } from './schema.ts';

const names = await migrationNames();
const newest = names.at(-1) ?? '';
const firstData = '0004-deliveries';

async function emptyDatabase(t: Test): Promise<Database & { readonly url: string }> {
  const name = `test_${randomBytes(8).toString('hex')}`;
  const url = await createDatabase(adminUrl(), name);
  const pool = new pg.Pool({ connectionString: url, max: 2 });
  pool.on('error', () => undefined);
  t.teardown(async () => {
    await pool.end();
    await dropDatabase(adminUrl(), name);
  });
  return { url, ...databaseOf(pool) };
}

// A row of each kind that was there before there were changes to make.
const rows = `
  insert into auth.developer (id, email, password) values (gen_random_uuid(), 'a@example.com', 'x');
  insert into auth.api_key (hash, name, created_by) values ('h', 'Key', gen_random_uuid());
  insert into users.person (id, external_user_id) values ('00000000-0000-4000-8000-000000000001', '42');
  insert into users.connection (user_id, provider, provider_user_id, status, scope)
    values ('00000000-0000-4000-8000-000000000001', 'devicemaker', 'a', 'active', '{}');
  insert into timeseries.series_type values (1, 'heart_rate', 'avg');
  insert into timeseries.series (user_id, type_id, provider, device)
    values ('00000000-0000-4000-8000-000000000001', 1, 'devicemaker', 'Watch');
  insert into timeseries.sample select id, 60, timestamptz '2026-01-01' + n * interval '7 minutes', 60 + n % 9
    from timeseries.series, generate_series(1, 500) n;
  insert into timeseries.workout (id, user_id, provider, key, device, type, raw_type, name, start_time, end_time,
    zone_offset_minutes, local_date, duration_seconds, is_parent)
    values (gen_random_uuid(), '00000000-0000-4000-8000-000000000001', 'devicemaker', 'k', 'Watch', 'running', 'RUNNING',
      'Run', '2026-01-01 10:00+00', '2026-01-01 11:00+00', 60, '2026-01-01', 3600, false);
  insert into deliveries.delivery (provider, kind, headers, body) values ('devicemaker', 'push', '{}', '{}');`;

const tables = `
  select n.nspname || '.' || c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where c.relkind = 'r' and n.nspname in ('auth', 'users', 'timeseries', 'deliveries', 'changes') order by 1`;

/** Every row of the tables that hold any, without the marks of when it was written. */
async function contentOf(database: Database): Promise<Record<string, unknown[]>> {
  const content: Record<string, unknown[]> = {};
  for (const { name } of await database.query<{ name: string }>(tables)) {
    const found = await database.query(`select to_jsonb(x) as row from ${name} x order by to_jsonb(x)::text`);
    if (found.length > 0) content[name] = found;
  }
  return content;
}

t.test('each migration up and down with data results in the same tables', async (t) => {
  const database = await emptyDatabase(t);
  const schemas: string[][] = [await schemaOf(database)];
  for (const name of names) {
    t.strictSame(await migrateUp(database.url, name), [name]);
    if (name === firstData) await database.query(rows);
    schemas.push(await schemaOf(database));
  }
  t.strictSame(await migrateUp(database.url), [], 'nothing is left to do');
  const content = await contentOf(database);
  t.ok(Object.keys(content).length > 10, 'there is something to lose');
  const kept = names.indexOf(firstData) + 1;
  for (let version = names.length; version > kept; version -= 1) {
    t.strictSame(await migrateDown(database.url), [names[version - 1]]);
    t.strictSame(await schemaOf(database), schemas[version - 1], `${names[version - 1]} is taken back whole`);
  }
  t.strictSame(await migrateUp(database.url), names.slice(kept));
  t.strictSame(await schemaOf(database), schemas.at(-1));
  t.strictSame(await contentOf(database), content, 'the data is as it was');
  await migrateDown(database.url, names[0]);
  t.strictSame(await migrateDown(database.url), [names[0]]);
  t.strictSame(await schemaOf(database), schemas[0], 'nothing is left at the end');
});

t.test('the baseline makes what the steps make', async (t) => {
  const [steps, baseline] = [await emptyDatabase(t), await emptyDatabase(t)];
  t.strictSame(await migrateUp(steps.url, newest), names);
  t.strictSame(await migrateUp(baseline.url), names);
  t.strictSame(await schemaOf(baseline), await schemaOf(steps));
  t.strictSame(await contentOf(baseline), await contentOf(steps));
  t.strictSame(await dumpOf(baseline.url), await dumpOf(steps.url));
});

/** The schema as pg_dump writes it. */
async function dumpOf(url: string): Promise<string[]> {
  const { postgresBin } = await debianPrograms({
    stackDir: process.env.STACK_DIR ?? defaultStackDir(),
    log: () => {},
  });
  const options = [
    '--schema-only',
    '--no-owner',
    '--no-privileges',
    ...schemas.flatMap((name) => ['-n', name]),
  ];
  const stdout = await run(join(postgresBin, 'pg_dump'), [...options, url]);
  return stdout.split('\n').filter((line) => !/^(--|\\|$)/.test(line));
}

t.test('a failed migration is rolled back', async (t) => {
  const database = await emptyDatabase(t);
  await migrateUp(database.url, '0013-covering-statistics');
  const before = names[names.indexOf('0015-retention') - 1];
  await migrateUp(database.url, before);
  await database.query('create index epoch_part_with_values on timeseries.epoch_part (local_date)');
  await t.rejects(migrateUp(database.url), /epoch_part_with_values/);
  t.strictSame(await database.query("select to_regclass('timeseries.retention') as made"), [{ made: null }]);
  await database.query('drop index timeseries.epoch_part_with_values');
  t.ok((await migrateUp(database.url)).includes('0015-retention'), 'and runs once what hindered it is gone');
});

t.test('concurrent migrations run once, up and down', async (t) => {
  const database = await emptyDatabase(t);
  const up = await Promise.all([1, 2, 3].map(() => migrateUp(database.url)));
  t.strictSame(up.map(({ length }) => length).sort(), [0, 0, names.length].sort());
  t.strictSame(await Promise.all([1, 2].map(() => migrateUp(database.url))), [[], []]);
  const down = await Promise.all([1, 2].map(() => migrateDown(database.url, names.at(-2))));
  t.strictSame(down.flat(), [newest]);
});

t.test('every migration has a down file and a unique number', async (t) => {
  const numbers = names.map((name) => name.slice(0, 4));
  // Two were made side by side before there was a release.
  t.strictSame(
    numbers.filter((number, index) => numbers.indexOf(number) !== index),
    ['0006'],
  );
  for (const name of names) t.match(await migrationText(name, 'down'), /^(drop|alter|create)/, name);
});

t.test('the check recognises changes that break the previous version', async (t) => {
  const wrong = [
    'drop table users.person',
    'alter table a.b drop column c',
    'alter table a.b drop c;',
    'alter table a.b add column d int, drop if exists c',
    'alter table a.b rename column c to d',
    'alter table a.b rename to c',
    'alter table a.b alter column c type bigint',
    'alter table a.b alter column c set not null',
    'alter table a.b add column c int not null',
    'alter table a.b add c int not null check (c > 0)',
    'alter table a.b add column d text, add column c int not null',
    'drop schema users cascade',
  ];
  for (const sql of wrong) t.ok(unsafe(sql).length > 0, sql);
  const right = [
    'create table a.b (c int not null)',
    'alter table a.b add column c int',
    'alter table a.b add column c int not null default 0',
    'alter table a.b add column c int default 0 not null',
    'alter table a.b drop constraint c, add primary key (d) include (e)',
    'drop index a.b; create index b on a.c (d)',
    '-- drop table a.b\nalter table a.b add column c text;',
    'alter table a.b alter column c drop not null',
  ];
  for (const sql of right) t.strictSame(unsafe(sql), [], sql);
});

t.test('no migration after the first thirteen breaks the previous version', async (t) => {
  const later = names.filter((name) => name > '0014');
  t.ok(later.length > 0);
  for (const name of later) t.strictSame(unsafe(await migrationText(name, 'up')), [], name);
});
