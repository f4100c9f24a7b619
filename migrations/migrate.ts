import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { IMigrator } from '@mikro-orm/core';
import { Migration, Migrator } from '@mikro-orm/migrations';
import { MikroORM, PostgreSqlDriver } from '@mikro-orm/postgresql';
import type { Client } from 'pg';
import { connectionChoice, newClient } from '../runtime/database/database-client.ts';
import { makeBaseline } from './baseline.ts';

/** The steps of releases before 0.3. */
const stepsFolder = join(import.meta.dirname, 'to-0.3');

/**
 * Migrations are SQL by hand, a pair of files each: `0240-name.up.sql` and `0240-name.down.sql`. (Generated ones drop every
 * table that they do not know, and each service owns a schema of its own.) Each runs in a transaction; two processes that
 * start at once take turns. A new database gets `baseline/` instead of the steps of `to-0.3/`, which serve databases of before.
 */
const turnLock = 0x70756c73; // any fixed number: it names the right to migrate

/**
 * Brings a database to the newest version, or step by step to `to`. Returns the names of the migrations that ran, or that
 * the baseline stands for.
 */
export async function migrateUp(databaseUrl: string, to?: string): Promise<string[]> {
  return withMigrator(databaseUrl, async (migrator, client) => {
    if (to !== undefined) return migrator.up({ to });
    const isNew = (await migrator.getExecuted()).length === 0;
    const steps = isNew ? await namesIn(stepsFolder) : [];
    if (isNew) await makeBaseline(client, steps);
    return [...steps.map((name) => ({ name })), ...(await migrator.up())];
  });
}

/** Takes back the newest migration, or all that came after `to`. */
export async function migrateDown(databaseUrl: string, to?: string): Promise<string[]> {
  return withMigrator(databaseUrl, (migrator) => migrator.down(to === undefined ? {} : { to }));
}

async function withMigrator(
  databaseUrl: string,
  work: (migrator: IMigrator, client: Client) => Promise<{ name: string }[]>,
): Promise<string[]> {
  const turn = newClient(databaseUrl);
  await turn.connect();
  try {
    await turn.query('select pg_advisory_lock($1)', [turnLock]);
    await turn.query(
      'do $$ begin create extension if not exists timescaledb; exception when others then null; end $$',
    );
    const { connectionString, ...client } = connectionChoice(databaseUrl);
    const orm = await MikroORM.init({
      driver: PostgreSqlDriver,
      clientUrl: connectionString,
      driverOptions: client,
      entities: [],
      discovery: { warnWhenNoEntities: false },
      extensions: [Migrator],
      migrations: {
        tableName: 'migration',
        silent: true,
        snapshot: false,
        allOrNothing: false,
        migrationsList: await migrationsList(),
      },
    });
    try {
      return (await work(orm.migrator, turn)).map(({ name }) => name);
    } finally {
      await orm.close(true);
    }
  } finally {
    await turn.end();
  }
}

/** The names of all migrations, oldest first. */
export async function migrationNames(): Promise<string[]> {
  return [...(await namesIn(stepsFolder)), ...(await namesIn(import.meta.dirname))].sort();
}

/** The SQL of a migration in one direction. */
export async function migrationText(name: string, direction: 'up' | 'down'): Promise<string> {
  const isStep = (await namesIn(stepsFolder)).includes(name);
  return readFile(join(isStep ? stepsFolder : import.meta.dirname, `${name}.${direction}.sql`), 'utf8');
}

async function namesIn(folder: string): Promise<string[]> {
  const files = (await readdir(folder)).filter((file) => /^\d{4}-[a-z-]+\.up\.sql$/.test(file));
  return files.map((file) => file.replace(/\.up\.sql$/, '')).sort();
}

async function migrationsList() {
  return Promise.all((await migrationNames()).map(migrationOf));
}

async function migrationOf(name: string) {
  const [up, down] = await Promise.all([migrationText(name, 'up'), migrationText(name, 'down')]);
  return {
    name,
    class: class extends Migration {
      override up() {
        this.addSql(up);
      }
      override down() {
        this.addSql(down);
      }
    },
  };
}
