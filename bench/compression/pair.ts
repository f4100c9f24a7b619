import pg from 'pg';
import { dayMs } from '../../domain/time/time.ts';
import { type Database, databaseOf } from '../../mixins/database/database.ts';
import { upsertSeriesTypes } from '../../services/timeseries/queries/upsert-series-types.ts';
import { dropDatabase, withClient } from '../../stack/database/create-database.ts';
import type { Bench } from '../bench.ts';
import { freshDatabase } from '../dataset/ensure.ts';
import { insertSamples, insertSeries } from '../dataset/insert-samples.ts';
import { databaseName, startMs } from '../dataset/plan.ts';

/** One of the two databases: a pool of the service, and its pool for pages. */
export interface CompressionSide {
  readonly database: Database;
  readonly pages: Database;
}

/** The URLs of two databases with equal contents. */
export async function buildPair(bench: Bench): Promise<{ compressed: string; plain: string }> {
  const plain = await freshDatabase(bench, bench.sizes, 'plain');
  bench.say('Building the samples');
  const pool = new pg.Pool({ connectionString: plain, max: 2 });
  try {
    await fill(pool, bench);
  } finally {
    await pool.end();
  }
  const [name, source] = [databaseName('compressed', bench.sizes), databaseName('plain', bench.sizes)];
  await dropDatabase(bench.adminUrl, name);
  await withClient(bench.adminUrl, (client) =>
    client.query(`create database ${name} template ${source} strategy file_copy`),
  );
  return { compressed: plain.replace(source, name), plain };
}

async function fill(pool: pg.Pool, { plan, sizes: { compression } }: Bench): Promise<void> {
  await upsertSeriesTypes(databaseOf(pool));
  const [minutely] = plan.others;
  if (minutely === undefined) throw new Error('the plan has no series at 1/min');
  const hertz = await insertSeries(pool, plan.hertz);
  const others = await insertSeries(pool, minutely);
  const week = 7 * dayMs;
  const spans = [
    [hertz, compression.hertzDays],
    [others, compression.days],
  ] as const;
  for (const [cohort, days] of spans)
    for (let from = startMs; from < startMs + days * dayMs; from += week)
      await insertSamples(pool, cohort, from, Math.min(from + week, startMs + days * dayMs));
  await pool.query('vacuum (analyze)');
}

/** Bytes a sample of the table with its chunks, compressed chunks, indexes and toast. */
export async function sizeOf({ database }: CompressionSide): Promise<number> {
  const [row] = await database.query<{ bytes: number; n: number }>(
    `select hypertable_size('timeseries.sample')::float8 as bytes, count(*)::float8 as n from timeseries.sample`,
  );
  return (row?.bytes ?? 0) / (row?.n ?? 1);
}
