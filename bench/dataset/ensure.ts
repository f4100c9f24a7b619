import pg from 'pg';
import { migrateUp } from '../../migrations/migrate.ts';
import { createDatabase, dropDatabase, withClient } from '../../stack/database/create-database.ts';
import type { Sizes } from '../sizes.ts';
import { checkStatistics } from './check.ts';
import { fill } from './fill.ts';
import { insertCrowd } from './insert-crowd.ts';
import { insertOperations } from './insert-operations.ts';
import { insertUsers } from './insert-users.ts';
import { databaseName, planOf } from './plan.ts';

/** The server on which data sets are created. */
export interface Place {
  readonly adminUrl: string;
  readonly say: (line: string) => void;
}

/** The database of the samples and the many users. It is built if it does not exist. */
export function ensureDataset(place: Place, sizes: Sizes): Promise<string> {
  return ensure(place, databaseName('data', sizes), async (pool) => {
    await fill(pool, planOf(sizes), place.say);
    const { checked } = await checkStatistics(pool, sizes.checks, Math.floor(Math.random() * 1e9));
    place.say(`${checked} statistics, chosen at random, equal a calculation from the samples.`);
  });
}

/** The database with few users and no samples. */
export function ensureFewUsers(place: Place, sizes: Sizes): Promise<string> {
  return ensure(place, databaseName('few', sizes), (pool) => insertUsers(pool, sizes.fewUsers, []));
}

/** The database of a crowd: many users with few samples each. */
export function ensureCrowd(place: Place, sizes: Sizes, users: number): Promise<string> {
  return ensure(place, databaseName(`crowd${users}`, sizes), (pool) => insertCrowd(pool, users, place.say));
}

/** The database of the lists of operators: users, connections, deliveries and changes. */
export function ensureOperations(place: Place, sizes: Sizes, users: number): Promise<string> {
  return ensure(place, databaseName(`operations${users}`, sizes), (pool) => insertOperations(pool, users));
}

/** A migrated, empty database. An existing one of the same name is dropped. */
export async function freshDatabase(place: Place, sizes: Sizes, part = 'ingest'): Promise<string> {
  const url = await emptyDatabase(place, sizes, part);
  await migrateUp(url);
  return url;
}

/** A database without a schema. An existing one of the same name is dropped. */
export async function emptyDatabase({ adminUrl }: Place, sizes: Sizes, part: string): Promise<string> {
  const name = databaseName(part, sizes);
  await dropDatabase(adminUrl, name);
  return createDatabase(adminUrl, name);
}

// A comment marks a complete database. An incomplete one is dropped and built again.
async function ensure(
  { adminUrl, say }: Place,
  name: string,
  build: (pool: pg.Pool) => Promise<void>,
): Promise<string> {
  const isBuilt = await hasMark(adminUrl, name);
  if (!isBuilt) await dropDatabase(adminUrl, name);
  const url = await createDatabase(adminUrl, name);
  await migrateUp(url);
  if (isBuilt) return url;
  const pool = new pg.Pool({ connectionString: url, max: 3 });
  const began = performance.now();
  try {
    say(`Building the database ${name}.`);
    await build(pool);
    await pool.query('vacuum (analyze)');
    await pool.query('checkpoint').catch(() => undefined); // a privilege that not every role has
    await pool.query(`comment on database ${name} is 'built'`);
  } finally {
    await pool.end();
  }
  say(`Built in ${Math.round((performance.now() - began) / 1000)} s; it is kept for the next run.`);
  return url;
}

function hasMark(adminUrl: string, name: string): Promise<boolean> {
  return withClient(adminUrl, async (client) => {
    const found = await client.query(
      "select from pg_database where datname = $1 and shobj_description(oid, 'pg_database') = 'built'",
      [name],
    );
    return found.rowCount === 1;
  });
}
