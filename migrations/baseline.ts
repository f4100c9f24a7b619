import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Client } from 'pg';

/** The schemas, each a file of `baseline/`, in the order in which their triggers find the functions that they call. */
const schemas = [
  ...['jobs', 'changes', 'auth', 'users', 'timeseries', 'deliveries', 'activitynet'],
  ...['backfill', 'connect', 'webhooks', 'gateway', 'phone', 'pull'],
];

/**
 * Makes the tables of a new database as the steps of `to-0.3` would, and notes these steps as done, in one transaction.
 * The table of migrations exists.
 */
export async function makeBaseline(client: Client, steps: readonly string[]): Promise<void> {
  const texts = await Promise.all(schemas.map(textOf));
  await client.query('begin');
  try {
    await client.query('set local check_function_bodies = off');
    for (const text of texts) await client.query(text);
    await client.query('insert into migration (name) select unnest($1::text[])', [steps]);
    await client.query('commit');
  } catch (error) {
    await client.query('rollback');
    throw error;
  }
}

function textOf(schema: string): Promise<string> {
  return readFile(join(import.meta.dirname, 'baseline', `${schema}.sql`), 'utf8');
}
