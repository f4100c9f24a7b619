import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { IMigrator } from '@mikro-orm/core';
import { Migration, Migrator } from '@mikro-orm/migrations';
import { MikroORM, PostgreSqlDriver } from '@mikro-orm/postgresql';
import { connectionChoice, newClient } from '../runtime/database-client.ts';

/**
 * Migrations are SQL by hand, a pair of files each: `0001-auth.up.sql` and `0001-auth.down.sql`. (Generated ones
 * drop every table that they do not know, and each service owns a schema of its own.) Each runs in a
 * transaction; two processes that start at once take turns.
 */
const turnLock = 0x70756c73; // any fixed number: it names the right to migrate

/** Brings a database to the newest version, or to `to`; returns the names of the migrations that ran. */
export async function migrateUp(databaseUrl: string, to?: string): Promise<string[]> {
  return withMigrator(databaseUrl, (migrator) => migrator.up(to === undefined ? {} : { to }));
}

/** Takes back the newest migration, or all that came after `to`. */
export async function migrateDown(databaseUrl: string, to?: string): Promise<string[]> {
  return withMigrator(databaseUrl, (migrator) => migrator.down(to === undefined ? {} : { to }));
}

async function withMigrator(
  databaseUrl: string,
  work: (migrator: IMigrator) => Promise<{ name: string }[]>,
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
      return (await work(orm.migrator)).map(({ name }) => name);
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

async function migrationsList() {
  return Promise.all((await migrationNames()).map(migrationOf));
}

async function migrationOf(name: string) {
  const read = (direction: string) => readFile(join(import.meta.dirname, `${name}.${direction}.sql`), 'utf8');
  const [up, down] = await Promise.all([read('up'), read('down')]);
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
