import pg from 'pg';
import { databaseOf, planningOptions } from '../../mixins/database/database.ts';
import { compressOldChunks } from '../../services/timeseries/compression/compression.ts';
import { canCompress } from '../../services/timeseries/compression/queries/chunks.ts';
import type { Bench, Measurement } from '../bench.ts';
import { buildPair, type CompressionSide, sizeOf } from '../compression/pair.ts';
import { readers } from '../compression/reads.ts';
import { writers } from '../compression/writes.ts';
import { figuresOf, inRounds } from '../rounds.ts';
import { pairRow, type Row } from '../row.ts';

/** Compressed samples against plain ones. It needs a server with the community edition of TimescaleDB. */
export const compression: Measurement = {
  name: 'compression',
  hasOwnData: true,
  async run(bench) {
    return {
      title: 'Compressed samples',
      about: `Two databases with the same samples: one at 1/s for ${bench.sizes.compression.hertzDays} days, eight at 1/min for ${bench.sizes.compression.days} days, values random. A: compressed. B: plain. Times are of the service's own functions over one connection, without HTTP.`,
      rows: await measure(bench),
    };
  },
};

async function measure(bench: Bench): Promise<Row[]> {
  const urls = await buildPair(bench);
  const pools = [urls.compressed, urls.plain].map(
    (url) => new pg.Pool({ connectionString: url, max: 2, ...planningOptions('each') }),
  );
  const pages = [urls.compressed, urls.plain].map(
    (url) => new pg.Pool({ connectionString: url, max: 2, ...planningOptions('once') }),
  );
  try {
    const side = (at: number): CompressionSide => ({
      database: databaseOf(pools[at] as pg.Pool),
      pages: databaseOf(pages[at] as pg.Pool),
    });
    return await compare(bench, side(0), side(1));
  } finally {
    for (const pool of [...pools, ...pages]) await pool.end();
  }
}

async function compare(bench: Bench, a: CompressionSide, b: CompressionSide): Promise<Row[]> {
  if (!(await canCompress(a.database))) throw new Error('compression: the server has the Apache edition');
  bench.say('Compressing');
  await compressOldChunks({ database: a.database, afterDays: 14 });
  await a.database.query('vacuum analyze');
  const rows = [await sizes('bytes a sample: table, index and toast', a, b, { most: 4 })];
  for (const { what, unit, rounds, measure: run } of [...readers(bench), ...writers(bench)]) {
    bench.say(what);
    const figures = await inRounds(rounds, { a: () => run(a, 'a'), b: () => run(b, 'b') });
    rows.push(pairRow({ what, a: figures.a, b: figures.b, unit }));
  }
  await compressOldChunks({ database: a.database, afterDays: 14 });
  rows.push(await sizes('bytes a sample after the late writes, compressed again', a, b));
  return rows;
}

async function sizes(what: string, a: CompressionSide, b: CompressionSide, goal?: { most: number }) {
  const [compressed, plain] = [await sizeOf(a), await sizeOf(b)];
  const verdict = goal === undefined || compressed < goal.most ? '' : ' (goal: less than 4)';
  return pairRow({
    what: `${what}${verdict}`,
    a: figuresOf([compressed]),
    b: figuresOf([plain]),
    unit: 'bytes',
  });
}
