import type pg from 'pg';
import type { Resolution } from '../../contracts/timeseries/schemas.ts';
import type { SeriesType } from '../../domain/records/series.ts';
import { dayMs, isoTime, minuteMs } from '../../domain/time/time.ts';
import { type Database, databaseOf, planningOptions } from '../../mixins/database/database.ts';
import { readSamples } from '../../services/timeseries/actions/samples.ts';
import { canCompress } from '../../services/timeseries/tables/chunks.ts';
import { selectExportSamples } from '../../services/timeseries/tables/export.ts';
import { type StoredSample, writeStoredSamples } from '../../services/timeseries/tables/samples.ts';
import { upsertSeriesTypes } from '../../services/timeseries/tables/series.ts';
import { compressOldChunks } from '../../services/timeseries/work/compression.ts';
import { dropDatabase, withClient } from '../../stack/database/create-database.ts';
import { freshDatabase } from '../dataset/ensure.ts';
import { insertSamples, insertSeries } from '../dataset/insert-samples.ts';
import { databaseName, startMs } from '../dataset/plan.ts';
import type { Bench, Measurement } from '../measurement.ts';
import { meanMs, median } from '../rounds.ts';
import type { Unit } from '../row.ts';

/** Compressed samples against plain ones. It needs a server with the community edition of TimescaleDB. */
export const compression: Measurement = {
  name: 'compression',
  title: 'Compressed samples',
  hasOwnData: true,
  isOnDemand: true,
  async *lines(bench) {
    const { days, hertzDays } = bench.sizes.compression;
    yield `Two databases with the same samples: one at 1/s for ${hertzDays} days, eight at 1/min for ${days} days, values random. A: compressed. B: plain. Times are of the service's own functions over one connection, without HTTP.`;
    const urls = await buildPair(bench);
    const [a, b] = [sideOf(bench, urls.compressed), sideOf(bench, urls.plain)];
    if (!(await canCompress(a.database))) throw new Error('compression: the server has the Apache edition');
    const compress = () => compressOldChunks({ database: a.database, afterDays: 14 });
    await compress();
    await a.database.query('vacuum analyze');
    const bytes = await sizesOf(a, b);
    const what = 'bytes a sample: table, index and toast';
    yield { what, figures: bytes, unit: 'bytes' };
    yield { what: `${what}, compressed`, value: bytes[0], unit: 'bytes', goal: { most: 4 } };
    for (const { what, unit, sideOn } of [...readings(bench), ...writings(bench)]) {
      bench.say(what);
      yield { what, unit, sides: [sideOn(a), sideOn(b)] };
    }
    await compress();
    yield {
      what: 'bytes a sample after the late writes, compressed again',
      figures: await sizesOf(a, b),
      unit: 'bytes',
    };
  },
};

/** One of the two databases: a pool of the service, and its pool for pages. */
interface Side {
  readonly database: Database;
  readonly pages: Database;
}

function sideOf({ connect }: Bench, url: string): Side {
  return {
    database: databaseOf(connect(url, planningOptions('each'))),
    pages: databaseOf(connect(url, planningOptions('once'))),
  };
}

/** The URLs of two databases with equal contents. */
async function buildPair(bench: Bench): Promise<{ compressed: string; plain: string }> {
  const plain = await freshDatabase(bench, bench.sizes, 'plain');
  bench.say('Building the samples');
  const pool = bench.connect(plain);
  await fill(pool, bench);
  await pool.end();
  const [name, source] = [databaseName('compressed', bench.sizes), databaseName('plain', bench.sizes)];
  await dropDatabase(bench.adminUrl, name);
  await withClient(bench.adminUrl, (client) =>
    client.query(`create database ${name} template ${source} strategy file_copy`),
  );
  return { compressed: plain.replace(source, name), plain };
}

async function fill(pool: pg.Pool, { plan, sizes: { compression } }: Bench): Promise<void> {
  await upsertSeriesTypes(databaseOf(pool));
  const week = 7 * dayMs;
  for (const [cohort, days] of [
    [await insertSeries(pool, plan.hertz), compression.hertzDays],
    [await insertSeries(pool, plan.minutely), compression.days],
  ] as const)
    for (let from = startMs, end = startMs + days * dayMs; from < end; from += week)
      await insertSamples(pool, cohort, from, Math.min(from + week, end));
  await pool.query('vacuum (analyze)');
}

/** Bytes a sample of the table with its chunks, compressed chunks, indexes and toast, on each side. */
async function sizesOf(...sides: readonly [Side, Side]) {
  const [a = Number.NaN, b = Number.NaN] = await Promise.all(
    sides.map(async ({ database }) => {
      const [row] = await database.query<{ bytes: number }>(
        `select hypertable_size('timeseries.sample')::float8 / count(*)::float8 as bytes from timeseries.sample`,
      );
      return row?.bytes ?? Number.NaN;
    }),
  );
  return [[a], [b]] as const;
}

/** What is measured once a round on each side. */
interface Comparison {
  readonly what: string;
  readonly unit: Unit;
  sideOn(side: Side): () => Promise<number>;
}

/** Pages and the export. */
function readings({ plan, sizes }: Bench): Comparison[] {
  const { days, hertzDays } = sizes.compression;
  const { minuteId, hertzId } = plan;
  const page = (what: string, choice: Omit<Page, 'requests'>): Comparison => ({
    what,
    unit: 'ms',
    sideOn: (side) => () => pageMs(side, { ...choice, requests: sizes.requestsPerRound }),
  });
  const day = { user_id: minuteId, within: days, days: 1, resolution: 'raw' } as const;
  return [
    page('page of 100 of a day, 1 series', { ...day, types: ['heart_rate'] }),
    page('page of 100 of a day, 8 series', day),
    page(`15min page of ${days} days, 8 series`, { ...day, days, resolution: '15min' }),
    page('15min page of a day at 1/s', { ...day, user_id: hertzId, within: hertzDays, resolution: '15min' }),
    {
      what: 'export of the series at 1/s',
      unit: 'values/s',
      sideOn: (side) => () => exportRate(side, hertzId),
    },
  ];
}

interface Page {
  readonly user_id: string;
  readonly days: number;
  readonly resolution: Resolution;
  readonly types?: SeriesType[];
  /** The number of days to choose the start of a range from. */
  readonly within: number;
  readonly requests: number;
}

const settings = {
  sourceOrder: { providers: [], deviceTypes: [] },
  shownAs: (provider: string) => provider,
};

/** The median time of pages of different days. */
async function pageMs({ pages }: Side, { days, within, requests, ...query }: Page): Promise<number> {
  const took: number[] = [];
  for (let index = 0; index < requests; index += 1) {
    const firstMs = startMs + ((index * 7) % Math.max(1, within - days + 1)) * dayMs;
    const start_time = { ms: firstMs, dateOnly: false };
    const end_time = { ms: firstMs + days * dayMs, dateOnly: false };
    const read = async () => {
      const { data } = await readSamples(pages, settings, { ...query, start_time, end_time, limit: 100 });
      if (data.length === 0) throw new Error(`no samples of ${days} days from ${isoTime(firstMs)}`);
    };
    took.push(await meanMs(read));
  }
  return median(took);
}

async function exportRate({ database }: Side, userId: string): Promise<number> {
  const text = 'select id from timeseries.series where user_id = $1';
  const [series] = await database.query<{ id: number }>(text, [userId]);
  let read = 0;
  const tookMs = await meanMs(async () => {
    for (let most = 5000, rows = most, after = 0; rows === most && series !== undefined; read += rows) {
      const { at } = await selectExportSamples(database, userId, series.id, after, most);
      after = at.at(-1) ?? after;
      rows = at.length;
    }
  });
  return (1000 * read) / tookMs;
}

/** Writes of old data. Each round takes another day, and its samples as they are or changed. */
function writings({ plan, sizes }: Bench): Comparison[] {
  const { days, hertzDays } = sizes.compression;
  const month = Math.min(28, days);
  const upsert = (
    what: string,
    rowsOn: (side: Side, round: number) => Promise<StoredSample[]>,
  ): Comparison => ({
    what,
    unit: 'values/s',
    sideOn(side) {
      let round = 0;
      return async () => {
        const rows = await rowsOn(side, round++);
        const write = () => side.database.transaction((all) => writeStoredSamples(all, rows));
        return (1000 * rows.length) / (await meanMs(write));
      };
    },
  });
  const old = (userId: string, count: number, from: number, change: number) => (side: Side, round: number) =>
    oldDay(side, userId, startMs + ((from + round) % count) * dayMs, change);
  return [
    // They begin on different days, so that they do not write the same.
    upsert('an old day of 8 series, unchanged', old(plan.minuteId, days, 0, 0)),
    upsert('an old day of 8 series, changed', old(plan.minuteId, days, 40, 1)),
    upsert('an old day at 1/s, changed', old(plan.hertzId, hertzDays, 0, 1)),
    upsert(`${month} days of a new series at 1/min`, (side, round) =>
      newSeries(side, plan.minutely, round, month),
    ),
  ];
}

function oldDay(
  { database }: Side,
  userId: string,
  firstMs: number,
  change: number,
): Promise<StoredSample[]> {
  return database.query<StoredSample>(
    `select x.series_id, (extract(epoch from x.ts) * 1000)::float8 as ms, x.value + $4 as value, x.zone_offset_minutes,
       x.placed_by
     from timeseries.sample x
     where x.series_id = any(array(select id from timeseries.series where user_id = $1)) and x.ts >= $2 and x.ts < $3
     order by 1, 2`,
    [userId, new Date(firstMs), new Date(firstMs + dayMs), change],
  );
}

/** A new series at 1/min, among compressed ones. */
async function newSeries(
  { database }: Side,
  minutely: Bench['plan']['minutely'],
  round: number,
  days: number,
) {
  const userId = `00000000-0000-4000-8000-${String(round).padStart(12, '0')}`;
  const series = minutely.series.slice(0, 1).map((one) => ({ ...one, userId }));
  const { ids } = await insertSeries(database.pool, { ...minutely, series });
  return Array.from({ length: days * 1440 }, (_, minute) => ({
    series_id: ids[0] ?? 0,
    ms: startMs + minute * minuteMs,
    value: 60 + ((minute * 7919) % 97),
    zone_offset_minutes: 0,
    placed_by: null,
  }));
}
