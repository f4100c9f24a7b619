// The two roles of a server that the product starts, each with its own password: the superuser `postgres`, which only
// this folder uses, and `pulsebus`, which owns the database and is the role of the services.
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type pg from 'pg';
import { OlderRelease } from '../../migrations/older-release.ts';
import { applicationLogLevel } from '../servers/postgres-settings.ts';
import { endSynchronous } from '../servers/synchronous-standby.ts';
import { withClient } from './create-database.ts';

/** Rights of a role beyond owning its database. */
export interface ApplicationRights {
  /** Tests and benchmarks create databases and roles, and end connections to drop them. */
  readonly createsDatabases: boolean;
}

/** The URL of a database as a role. */
type UrlOf = (user: string, password: string, database: string) => string;

/** The password of the application's role, made at the first start. */
export function applicationPassword(dataDir: string): string {
  return keptPassword(join(dataDir, 'database-password'));
}

/** The password that a new data folder gives its superuser. */
export function superuserPassword(dataDir: string): string {
  return keptPassword(superuserFile(dataDir));
}

/**
 * Makes both roles what they are to be, and returns the superuser's URL of the database `postgres`.
 * @throws OlderRelease for a folder of a release before 0.3.0.
 */
export async function ensureRoles(dataDir: string, urlOf: UrlOf, rights: ApplicationRights): Promise<string> {
  if (!existsSync(superuserFile(dataDir))) throw new OlderRelease(`The folder of DATA_DIR (${dataDir})`);
  const superuser = urlOf('postgres', superuserPassword(dataDir), 'postgres');
  await withClient(superuser, endSynchronous);
  await withClient(superuser, (client) =>
    ensureApplicationRole(client, applicationPassword(dataDir), rights),
  );
  return superuser;
}

async function ensureApplicationRole(
  client: pg.Client,
  password: string,
  { createsDatabases }: ApplicationRights,
): Promise<void> {
  const found = await client.query("select from pg_roles where rolname = 'pulsebus'");
  if (found.rowCount === 0) await client.query(`create role pulsebus login password '${password}'`);
  const createdb = createsDatabases ? 'createdb createrole' : 'nocreatedb nocreaterole';
  await client.query(`alter role pulsebus nosuperuser noreplication nobypassrls ${createdb}`);
  await client.query(`alter role pulsebus set log_min_messages = '${applicationLogLevel}'`);
  // `drop database … with (force)` ends TimescaleDB's worker there too.
  const change = createsDatabases ? 'grant pg_signal_backend to' : 'revoke pg_signal_backend from';
  await client.query(`${change} pulsebus`);
}

const superuserFile = (dataDir: string) => join(dataDir, 'superuser-password');

/** A password in a file, made at the first call. Hexadecimal, so that it needs no quoting in SQL or in a URL. */
export function keptPassword(file: string): string {
  if (!existsSync(file)) writeFileSync(file, randomBytes(24).toString('hex'), { mode: 0o600 });
  return readFileSync(file, 'utf8');
}
