import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { IMigrator } from '@mikro-orm/core';
import { Migration, Migrator } from '@mikro-orm/migrations';
import { MikroORM, PostgreSqlDriver } from '@mikro-orm/postgresql';
import type { Client } from 'pg';
import { connectionChoice, newClient } from '../runtime/database/database-client.ts';
import { OlderRelease } from './older-release.ts';

/** The schemas, each a file of `baseline/`, in the order in which their triggers find the functions that they call. */
const schemas = [
  'jobs',
  'changes',
  'auth',
  'users',
  'timeseries',
  'deliveries',
  'activitynet',
  'backfill',
  'connect',
  'webhooks',
  'gateway',
  'phone',
  'pull',
  'imports',
  'freshness',
  'insights',
  'fhir',
  'destinations',
];

/** The last step of release 0.3.0. Each database has its name, one that the baseline made too. */
const oldestStep = '0230-cheaper-statistics';

/** `baseline/` makes what 0.3.0 and the steps up to this one make. */
const lastStepOfBaseline = '0438-listings';

/**
 * Migrations are SQL by hand, a pair of files each: `0240-name.up.sql` and `0240-name.down.sql`. (Generated ones drop every
 * table that they do not know, and each service owns a schema of its own.) Each runs in a transaction; two processes that
 * start at once take turns. A new database gets `baseline/`, a database of 0.3.0 the steps that came after it.
 */
const turnLock = 0x70756c73; // any fixed number: it names the right to migrate

/**
 * Brings a database to the newest version, or step by step to `to`. Returns the names of the migrations that ran, or that
 * the baseline stands for.
 * @throws OlderRelease for a database of a release before 0.3.0.
 */
export async function migrateUp(databaseUrl: string, to?: string): Promise<string[]> {
  return withMigrator(databaseUrl, async (migrator, client) => {
    const executed = (await migrator.getExecuted()).map(({ name }) => name);
    const steps = executed.length === 0 ? await makeBaseline(client) : [];
    if (executed.length > 0 && !executed.includes(oldestStep)) throw new OlderRelease('The database');
    return [...steps.map((name) => ({ name })), ...(await migrator.up(to === undefined ? {} : { to }))];
  });
}

/** Makes the tables of a new database and notes the steps that it stands for, in one transaction. */
async function makeBaseline(client: Client): Promise<string[]> {
  const names = (await migrationNames()).filter((name) => name <= lastStepOfBaseline);
  const folder = join(import.meta.dirname, 'baseline');
  const texts = await Promise.all(schemas.map((schema) => readFile(join(folder, `${schema}.sql`), 'utf8')));
  await client.query('begin');
  try {
    await client.query('set local check_function_bodies = off');
    for (const text of texts) await client.query(text);
    await client.query('insert into migration (name) select unnest($1::text[])', [[oldestStep, ...names]]);
    await client.query('commit');
  } catch (error) {
    await client.query('rollback');
    throw error;
  }
  return names;
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
  const files = (await readdir(import.meta.dirname)).filter((file) => /^\d{4}-[a-z-]+\.up\.sql$/.test(file));
  return files.map((file) => file.replace(/\.up\.sql$/, '')).sort();
}

/** The SQL of a migration in one direction. */
export function migrationText(name: string, direction: 'up' | 'down'): Promise<string> {
  return readFile(join(import.meta.dirname, `${name}.${direction}.sql`), 'utf8');
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
