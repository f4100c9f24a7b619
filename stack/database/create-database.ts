import type pg from 'pg';
import { newClient } from '../../runtime/database/database-client.ts';

// Creates databases on a running server: the one of `npm start`, and one per test file.

const NAME = /^[a-z][a-z0-9_]{0,62}$/;

/** Runs `work` with a connection. */
export async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = newClient(url);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/**
 * Creates a database, with TimescaleDB if the server has it, and returns its URL. An existing database does not change.
 * `owner` is another role that owns it.
 * @param adminUrl any database of the server, as a role that may create databases
 */
export async function createDatabase(adminUrl: string, name: string, owner?: string): Promise<string> {
  const url = urlOf(adminUrl, name);
  await withClient(adminUrl, async (client) => {
    const found = await client.query('select from pg_database where datname = $1', [name]);
    if (found.rowCount === 0)
      await client.query(`create database ${name}${owner === undefined ? '' : ` owner ${owner}`}`);
  });
  if (await hasTimescale(url))
    await withClient(url, (c) => c.query('create extension if not exists timescaledb'));
  return url;
}

/** Drops a database and ends its connections. A missing database is not an error. */
export async function dropDatabase(adminUrl: string, name: string): Promise<void> {
  urlOf(adminUrl, name);
  await withClient(adminUrl, (client) => client.query(`drop database if exists ${name} with (force)`));
}

/** Whether the extension can be created on a server. */
export async function hasTimescale(url: string): Promise<boolean> {
  const found = await withClient(url, (client) =>
    client.query("select from pg_available_extensions where name = 'timescaledb'"),
  );
  return found.rowCount !== 0;
}

/** Names are inserted into SQL, so only names that need no quoting are allowed. */
function urlOf(adminUrl: string, name: string): string {
  if (!NAME.test(name)) throw new Error(`not a database name: ${name}`);
  const url = new URL(adminUrl);
  url.pathname = `/${name}`;
  return url.href;
}
