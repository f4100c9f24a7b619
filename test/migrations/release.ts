import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import type { Test } from 'tap';
import { type Database, databaseOf } from '../../mixins/database/database.ts';
import { createDatabase, dropDatabase } from '../../stack/database/create-database.ts';
import { schemas } from '../../stack/database/service-rights.ts';
import { adminUrl } from '../support/servers/database.ts';

/** A database without tables, dropped with the test. */
export async function emptyDatabase(t: Test): Promise<Database & { readonly url: string }> {
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

const textOf = (file: string) => readFile(join(import.meta.dirname, file), 'utf8');

/** A database as release 0.3.0 made it. */
export async function databaseOfRelease(t: Test): Promise<Database & { readonly url: string }> {
  const database = await emptyDatabase(t);
  await database.query(await textOf('schema-of-0.3.sql'));
  return database;
}

/** Puts rows that 0.3.0 wrote in place of those of a database of 0.3.0. */
export async function loadRows(database: Database): Promise<void> {
  const text = await textOf('data-of-0.3.sql');
  const tables = await tablesOf(database);
  await database.query(`truncate ${tables.map(({ name }) => name).join(', ')} cascade`);
  // Triggers would record the rows as changes.
  await database.transaction(async (on) => {
    const triggers = async (state: 'enable' | 'disable') => {
      const filled = tables.filter(({ name }) => text.includes(`INSERT INTO ${name} `));
      for (const { name } of filled) await on.query(`alter table ${name} ${state} trigger user`);
    };
    await triggers('disable');
    await on.query(text);
    await triggers('enable');
    // The services of a test would work on a job that is due.
    await on.query("update jobs.job set run_at = now() + interval '1 day' where run_at is not null");
    await on.query("select setval(pg_get_serial_sequence('auth.audit_entry', 'id'), 1000)");
  });
}

const ordinary = `
  select n.nspname || '.' || c.relname as name, c.relfilenode::text as file
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where c.relkind = 'r' and n.nspname = any($1) order by 1`;

/** The tables of the services, and the files that hold them. */
export function tablesOf(database: Database): Promise<{ name: string; file: string }[]> {
  return database.query<{ name: string; file: string }>(ordinary, [schemas]);
}

/** The rows of the tables that have any. */
export async function rowsOf(database: Database): Promise<Record<string, unknown[]>> {
  const found: Record<string, unknown[]> = {};
  for (const { name } of await tablesOf(database)) {
    const rows = await database.query(`select to_jsonb(x) as row from ${name} x order by to_jsonb(x)::text`);
    if (rows.length > 0) found[name] = rows;
  }
  return found;
}
