import { join } from 'node:path';
import t from 'tap';
import { migrateDown, migrateUp, migrationNames, migrationText } from '../../migrations/migrate.ts';
import { schemas } from '../../stack/database/service-rights.ts';
import { run } from '../../stack/machine/processes.ts';
import { defaultStackDir } from '../../stack/machine/unprivileged.ts';
import { debianPrograms } from '../../stack/packages/debian-packages.ts';
import { unsafe } from './additive.ts';
import { databaseOfRelease, emptyDatabase, loadRows, rowsOf } from './release.ts';
import { schemaOf } from './schema.ts';

const names = await migrationNames();
const newest = names.at(-1) ?? '';

t.test('each migration up and down with data results in the same tables', async (t) => {
  const database = await databaseOfRelease(t);
  await loadRows(database);
  const schemas: string[][] = [await schemaOf(database)];
  for (const name of names) {
    t.strictSame(await migrateUp(database.url, name), [name]);
    schemas.push(await schemaOf(database));
  }
  t.strictSame(await migrateUp(database.url), [], 'nothing is left to do');
  const rows = await rowsOf(database);
  t.ok(Object.keys(rows).length > 10, 'there is something to lose');
  await database.query("delete from auth.audit_entry where action like 'project.%'");
  for (let version = names.length; version > 0; version -= 1) {
    t.strictSame(await migrateDown(database.url), [names[version - 1]]);
    t.strictSame(await schemaOf(database), schemas[version - 1], `${names[version - 1]} is taken back whole`);
  }
  t.strictSame(await migrateDown(database.url), [], 'there is no way back from 0.3.0');
  t.strictSame(await migrateUp(database.url), names);
  t.strictSame(await schemaOf(database), schemas.at(-1));
  t.strictSame(await rowsOf(database), rows, 'the data is as it was');
});

t.test('the baseline makes what 0.3.0 and the steps make', async (t) => {
  const [steps, baseline] = [await databaseOfRelease(t), await emptyDatabase(t)];
  t.strictSame(await migrateUp(steps.url), names);
  t.strictSame(await migrateUp(baseline.url), names);
  t.strictSame(await schemaOf(baseline), await schemaOf(steps));
  t.strictSame(await rowsOf(baseline), await rowsOf(steps));
  t.strictSame(await dumpOf(baseline.url), await dumpOf(steps.url));
});

t.test('a database of an older release names the release that reads it', async (t) => {
  const database = await databaseOfRelease(t);
  await database.query("delete from migration where name = '0230-cheaper-statistics'");
  await t.rejects(migrateUp(database.url), { name: 'OlderRelease', message: /Start release 0\.3\.0/ });
  t.strictSame(await database.query("select from migration where name > '0230'"), [], 'and is left as it is');
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
  const database = await databaseOfRelease(t);
  await database.query('create index person_of_project on users.person (id)');
  await t.rejects(migrateUp(database.url), /person_of_project/);
  t.strictSame(await database.query("select to_regclass('timeseries.retention_rule') as made"), [
    { made: null },
  ]);
  await database.query('drop index users.person_of_project');
  t.ok(
    (await migrateUp(database.url)).includes('0320-retention-rules'),
    'and runs once what hindered it is gone',
  );
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
  t.strictSame(numbers, [...new Set(numbers)]);
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

// Steps 0430 to 0439 of release 0.4.0 drop what its ended promises used, so 0.3.0 is stopped before (docs/operating.md).
t.test('no other migration breaks the previous version', async (t) => {
  const additive = names.filter((name) => !name.startsWith('043'));
  t.ok(additive.length > 0);
  for (const name of additive) t.strictSame(unsafe(await migrationText(name, 'up')), [], name);
});
