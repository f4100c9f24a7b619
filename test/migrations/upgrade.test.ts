import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { migrateDown, migrateUp } from '../../migrations/migrate.ts';
import users from '../../services/users/users.service.ts';
import { schemas } from '../../stack/database/service-rights.ts';
import { startBroker } from '../support/servers/broker.ts';
import { freshDatabase, type TestDatabase } from '../support/servers/database.ts';

/*
 * The rows of a database of 0.3.0 get the columns of projects and lose them again.
 */
const release = '0230-cheaper-statistics';
const database = await freshDatabase(t);

const ordinary = `
  select n.nspname || '.' || c.relname as name, c.relfilenode::text as file
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where c.relkind = 'r' and n.nspname = any($1) order by 1`;

const tablesOf = (on: TestDatabase) => on.query<{ name: string; file: string }>(ordinary, [schemas]);

async function rowsOf(on: TestDatabase): Promise<Record<string, unknown[]>> {
  const found: Record<string, unknown[]> = {};
  for (const { name } of await tablesOf(on)) {
    const rows = await on.query(`select to_jsonb(x) as row from ${name} x order by to_jsonb(x)::text`);
    if (rows.length > 0) found[name] = rows;
  }
  return found;
}

async function loadRelease(): Promise<void> {
  const text = await readFile(join(import.meta.dirname, 'data-of-0.3.sql'), 'utf8');
  const own = await tablesOf(database);
  await database.query(`truncate ${own.map(({ name }) => name).join(', ')} cascade`);
  // Triggers would record the rows as changes.
  await database.transaction(async (on) => {
    const triggers = async (state: 'enable' | 'disable') => {
      const filled = own.filter(({ name }) => text.includes(`INSERT INTO ${name} `));
      for (const { name } of filled) await on.query(`alter table ${name} ${state} trigger user`);
    };
    await triggers('disable');
    await on.query(text);
    await triggers('enable');
    // The services of the test would work on a job that is due.
    await on.query("update jobs.job set run_at = now() + interval '1 day' where run_at is not null");
    await on.query("select setval(pg_get_serial_sequence('auth.audit_entry', 'id'), 1000)");
  });
}

await migrateDown(database.url, release);
await loadRelease();
const before = await rowsOf(database);
const files = await tablesOf(database);

t.test(
  'a database of 0.3.0 is upgraded without a rewritten table, and every row is in `default`',
  async (t) => {
    t.ok((await migrateUp(database.url)).includes('0300-projects'));
    const after = await rowsOf(database);
    for (const [name, rows] of Object.entries(before)) t.equal(after[name]?.length, rows.length, name);
    const now = new Map((await tablesOf(database)).map(({ name, file }) => [name, file]));
    t.strictSame(
      files.filter(({ name, file }) => now.get(name) !== file),
      [],
      'no table has another file',
    );
    for (const table of [
      'users.person',
      'users.connection',
      'auth.api_key',
      'auth.application',
      'auth.audit_entry',
      'changes.change',
      'webhooks.endpoint',
    ])
      t.strictSame(
        await database.query(`select distinct project_id from ${table}`),
        [{ project_id: 'default' }],
        table,
      );
    t.strictSame(await database.query('select distinct is_owner from auth.developer'), [{ is_owner: true }]);
    t.strictSame(await database.query('select scopes, expires_at, addresses from auth.api_key'), [
      { scopes: null, expires_at: null, addresses: null },
    ]);
    const { call } = await startBroker(t, { databaseUrl: database.url, services: [users] });
    t.match(await call('users.list', {}), { total: 2, items: { length: 2 } });
    t.match(await call('users.figures', { project_id: 'default' }), {
      users: 2,
      connections: [{ count: 1 }, { count: 1 }],
    });
  },
);

t.test('the way back loses no row, and is refused while another project exists', async (t) => {
  await database.query("insert into auth.project (id, name) values ('other', 'Other')");
  await t.rejects(migrateDown(database.url, release), /delete them before/);
  await database.query("delete from auth.project where id = 'other'");
  await database.query("delete from auth.audit_entry where action like 'project.%'");
  await migrateDown(database.url, release);
  t.strictSame(await rowsOf(database), before);
});
