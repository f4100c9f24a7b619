import { createHash, randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import type { Test } from 'tap';
import { migrateUp } from '../../../migrations/migrate.ts';
import { type Database, databaseOf } from '../../../mixins/database/database.ts';

/** A database of one test file's own, migrated, dropped when the file ends. */
export interface TestDatabase extends Database {
  readonly url: string;
}

/** The server that `npm test` started, or that TEST_DATABASE_URL names. */
export function adminUrl(): string {
  const url = process.env.TEST_DATABASE_URL;
  if (url === undefined) throw new Error('run the tests with npm test, which starts a database for them');
  return url;
}

/** The bus that `npm test` started. */
export function natsUrl(): string {
  const url = process.env.TEST_NATS_URL;
  if (url === undefined) throw new Error('run the tests with npm test, which starts a bus for them');
  return url;
}

/** Clones the migrated template of this version of the migrations into a database of the test's own. */
export async function freshDatabase(t: Test): Promise<TestDatabase> {
  const name = `test_${randomBytes(8).toString('hex')}`;
  template ??= ensureTemplate();
  const source = await template;
  await asAdmin((admin) => admin.query(`create database ${name} template ${source} strategy file_copy`));
  const url = urlOf(name);
  const pool = new pg.Pool({ connectionString: url, max: 8 });
  pool.on('error', () => undefined);
  t.teardown(async () => {
    await pool.end();
    await asAdmin((admin) => admin.query(`drop database if exists ${name} with (force)`));
  });
  return { url, ...databaseOf(pool) };
}

let template: Promise<string> | undefined;

// Several processes run test files: the first one migrates, the others wait for the lock.
async function ensureTemplate(): Promise<string> {
  const name = `template_${fingerprint()}`;
  await asAdmin(async (admin) => {
    await admin.query('select pg_advisory_lock(1)');
    try {
      await makeTemplate(admin, name);
    } finally {
      await admin.query('select pg_advisory_unlock(1)');
    }
  });
  return name;
}

async function makeTemplate(admin: pg.PoolClient, name: string): Promise<void> {
  const { rowCount } = await admin.query('select from pg_database where datname = $1', [name]);
  if (rowCount === 1) return;
  await admin.query(`drop database if exists ${name}_new with (force)`);
  await admin.query(`create database ${name}_new`);
  await migrateUp(urlOf(`${name}_new`));
  await admin.query(`alter database ${name}_new allow_connections false`);
  // Workers of the server, such as those of autovacuum, belong to others, and give way to the new name by themselves.
  const own =
    'select pg_terminate_backend(pid) from pg_stat_activity where datname = $1 and usename = current_user';
  await admin.query(own, [`${name}_new`]);
  await admin.query(`alter database ${name}_new rename to ${name}`);
}

function fingerprint(): string {
  const folder = join(import.meta.dirname, '../../../migrations');
  const hash = createHash('sha256');
  for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort())
    if (file.endsWith('.sql')) hash.update(readFileSync(join(folder, file)));
  return hash.digest('hex').slice(0, 16);
}

function urlOf(database: string): string {
  const url = new URL(adminUrl());
  url.pathname = `/${database}`;
  return url.href;
}

// One connection for all databases of the process, which may end with it open.
let admin: pg.Pool | undefined;

async function asAdmin<T>(work: (admin: pg.PoolClient) => Promise<T>): Promise<T> {
  if (admin === undefined) {
    admin = new pg.Pool({ connectionString: adminUrl(), max: 4, allowExitOnIdle: true });
    admin.on('error', () => undefined);
  }
  const client = await admin.connect();
  try {
    return await work(client);
  } finally {
    client.release();
  }
}
