import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import t, { type Test } from 'tap';
import { hourMs, minuteMs } from '../../../domain/time/time.ts';
import { databaseOf } from '../../../mixins/database/database.ts';
import { canCompress, selectSampleBytes } from '../../../services/timeseries/tables/chunks.ts';
import { compressOldChunks } from '../../../services/timeseries/work/compression.ts';
import { grantRights } from '../../../stack/database/grant-rights.ts';
import { roleOf } from '../../../stack/database/service-rights.ts';
import { notRun } from '../../runner/not-run.ts';
import { freshDatabase, type TestDatabase } from '../../support/servers/database.ts';
import { block, item } from './items.ts';
import { type Setting, setUp, withUser } from './setting.ts';
import { wrongStatistics } from './statistics.ts';

const bare = await freshDatabase(t);
const isCommunity = await canCompress(bare);

/** Tests of the community edition. They run with DATABASE_URL of a server that has it, and are only named otherwise. */
const onCommunity = (name: string, work: (t: Test) => Promise<void>): unknown =>
  isCommunity ? t.test(name, work) : notRun(t, name, 'the Apache edition of TimescaleDB');

const startMs = Date.parse('2026-03-02T00:00:00Z');
const none = { compressed: 0, recompressed: 0, left: 0 };
const stored = 'select series_id, ts::text, value from timeseries.sample order by 1, 2';

/** Samples of an hour rate each minute, from an offset in minutes. */
function minutely(minutes: number, value: (minute: number) => number, fromMinute = 0) {
  const rows = Array.from({ length: minutes }, (_, index) => {
    const minute = fromMinute + index;
    return [startMs + minute * minuteMs, value(minute)] as const;
  });
  return item({ samples: [block('heart_rate', rows)] });
}

async function plainRows(database: TestDatabase): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  const chunks = await database.query<{ name: string }>(
    "select show_chunks('timeseries.sample')::text as name",
  );
  for (const { name } of chunks)
    for (const row of await database.query<{ series_id: number; n: number }>(
      `select series_id, count(*)::int as n from only ${name} group by 1`,
    ))
      counts[row.series_id] = (counts[row.series_id] ?? 0) + row.n;
  return counts;
}

const seriesOf = async ({ database, userId }: Pick<Setting, 'database' | 'userId'>) => {
  const [row] = await database.query<{ id: number }>('select id from timeseries.series where user_id = $1', [
    userId,
  ]);
  return row?.id ?? 0;
};

/** A user with two days of samples, all compressed. */
async function compressed(t: Test): Promise<Setting> {
  const setting = await setUp(t, { SAMPLE_COMPRESS_AFTER_DAYS: '0' });
  await setting.store([minutely(2880, (minute) => 60 + (minute % 9))]);
  t.strictSame(await compressOldChunks({ database: setting.database, afterDays: 14 }), {
    ...none,
    compressed: 1,
  });
  return setting;
}

t.test('compresses nothing with 0 days, or on the Apache edition', async (t) => {
  const { database, store } = await setUp(t, { SAMPLE_COMPRESS_AFTER_DAYS: '0' });
  await store([minutely(60, () => 60)]);
  t.strictSame(await compressOldChunks({ database, afterDays: isCommunity ? 0 : 14 }), none);
});

t.test('no statement is one that compressed samples refuse or that misses some', async (t) => {
  const root = join(import.meta.dirname, '../../..');
  const files = (folder: string) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.(ts|up\.sql)$/.test(name))
      .map((name) => join(root, folder, name));
  const texts = files('services/timeseries').map((file) => readFileSync(file, 'utf8').toLowerCase());
  t.ok(texts.length > 50);
  for (const text of texts) t.notMatch(text, /repeatable read|serializable|merge into/);
  const later = files('migrations').filter(
    (file) => file.includes('.up.sql') && !/\/00|\/01[012]/.test(file),
  );
  t.ok(later.length > 0);
  for (const file of later)
    t.notMatch(readFileSync(file, 'utf8'), /alter table timeseries\.sample\b[^;]*\btype\b/, file);
});

onCommunity('a change in a compressed chunk keeps the statistics', async (t) => {
  const { database, store } = await compressed(t);
  const before = await database.query(stored);
  await store([minutely(90, () => 101, 30)]);
  t.strictSame(await wrongStatistics(database), []);
  const changed = (await database.query<{ value: number }>(stored)).filter(({ value }) => value === 101);
  t.equal(changed.length, 90);
  t.equal((await database.query(stored)).length, before.length);
  await database.query('delete from timeseries.sample where ts < $1', [new Date(startMs + hourMs)]);
  t.strictSame(await wrongStatistics(database), [], 'after a delete of the previous version');
});

onCommunity('the job and late writes need only the rights of the service', async (t) => {
  const { database, store, userId } = await setUp(t, { SAMPLE_COMPRESS_AFTER_DAYS: '0' });
  const role = roleOf('timeseries');
  await database.query(`do $$ begin create role ${role}; exception when duplicate_object then null; end $$`);
  await grantRights(database.url);
  const pool = new pg.Pool({ connectionString: database.url, options: `-c role=${role}` });
  t.teardown(() => pool.end());
  const asService = databaseOf(pool);
  await store([minutely(2880, () => 60)]);
  t.strictSame(await compressOldChunks({ database: asService, afterDays: 14 }), { ...none, compressed: 1 });
  const id = await seriesOf({ database, userId });
  const hour = [new Date(startMs), new Date(startMs + hourMs)];
  await asService.query(
    `update timeseries.sample set value = 101 where series_id = ${id} and ts between $1 and $2`,
    hour,
  );
  await asService.query(`delete from timeseries.sample where series_id = ${id} and ts = $1`, [hour[0]]);
  t.strictSame(await wrongStatistics(database), []);
  t.ok((await plainRows(database))[id], 'changed rows are not compressed');
  t.strictSame(await compressOldChunks({ database: asService, afterDays: 14 }), { ...none, recompressed: 1 });
  t.strictSame(await plainRows(database), {}, 'the emptied chunk may be vacuumed');
  t.strictSame(await wrongStatistics(database), []);
});

onCommunity('without the marked chunk the statistics would be lost', async (t) => {
  const { database, store } = await setUp(t, { SAMPLE_COMPRESS_AFTER_DAYS: '0' });
  await store([minutely(2880, () => 60)]);
  await database.query('select timeseries.enable_compression()');
  await database.query("select compress_chunk(c) from show_chunks('timeseries.sample') c");
  await store([minutely(90, () => 101, 30)]);
  t.not((await wrongStatistics(database)).length, 0);
});

onCommunity('a delete decompresses batches of its own series only', async (t) => {
  const setting = await setUp(t, { SAMPLE_COMPRESS_AFTER_DAYS: '0' });
  const other = withUser(setting.database, setting.call, randomUUID());
  const { database } = setting;
  for (const { store } of [setting, other]) await store([minutely(2880, () => 60)]);
  await compressOldChunks({ database, afterDays: 14 });
  t.strictSame(await plainRows(database), {});
  const at_ms = [startMs, startMs + minuteMs];
  const samples = [{ type: 'heart_rate' as const, device: 'Watch 7', at_ms }];
  const { userId, call } = setting;
  t.match(
    await call('timeseries.deleteItems', { user_id: userId, provider: 'devicemaker', sleeps: [], samples }),
    { samples: 2 },
  );
  t.strictSame(Object.keys(await plainRows(database)), [String(await seriesOf(setting))]);
  t.strictSame(await wrongStatistics(database), []);
});

onCommunity('late samples are compressed by the next run, in one of several processes', async (t) => {
  const { database, store } = await compressed(t);
  await store([minutely(60, () => 99, 3000)]);
  const before = await database.query(stored);
  const run = () => compressOldChunks({ database, afterDays: 14 });
  const runs = await Promise.all([run(), run()]);
  t.ok(
    runs.some(({ recompressed }) => recompressed === 1),
    JSON.stringify(runs),
  );
  t.strictSame(await plainRows(database), {});
  t.strictSame(await run(), none, 'nothing is left to do');
  t.strictSame(await database.query(stored), before);
  await store([minutely(60, () => 98, 3000)]);
  t.strictSame(await wrongStatistics(database), [], 'the chunk is marked again');
});

onCommunity('a chunk in use is left for later', async (t) => {
  const { database, store } = await setUp(t, { SAMPLE_COMPRESS_AFTER_DAYS: '0' });
  await store([minutely(2880, () => 60)]);
  const run = () => compressOldChunks({ database, afterDays: 14 });
  const during = await database.transaction(async (transaction) => {
    await transaction.query('update timeseries.sample set value = 61 where ts = $1', [new Date(startMs)]);
    return run();
  });
  t.strictSame(during, { ...none, left: 1 });
  t.strictSame(await run(), { ...none, compressed: 1 });
  t.strictSame(await wrongStatistics(database), []);
});

onCommunity('sparse values are stored into a dense series', async (t) => {
  const { database, store, userId } = await setUp(t, { SAMPLE_COMPRESS_AFTER_DAYS: '0' });
  await store([minutely(1, () => 60)]);

  await database.query(
    `insert into timeseries.sample select $1, 0, $2::timestamptz + i * interval '1 second', 60 from generate_series(1, 150000) i`,
    [await seriesOf({ database, userId }), new Date(startMs)],
  );
  await compressOldChunks({ database, afterDays: 14 });
  await store([minutely(2500, () => 70)]);
  const [{ n } = { n: 0 }] = await database.query<{ n: number }>(
    'select count(*)::int as n from timeseries.sample where value = 70',
  );
  t.equal(n, 2500, 'more batches are decompressed than the server allows by itself');
  t.strictSame(await wrongStatistics(database), []);
});

t.test('the space of samples grows with them, and is that of all chunks', async (t) => {
  const empty = await selectSampleBytes(bare);
  t.match(empty, { chunks: 0, compressed_chunks: 0, compressed_bytes: 0 });
  await bare.query(`
    insert into timeseries.sample (series_id, zone_offset_minutes, ts, value)
    select 1, 0, t, 1 from generate_series(timestamptz '2026-01-01', '2026-04-01', interval '10 minutes') t`);
  const full = await selectSampleBytes(bare);
  t.match(full, { compressed_chunks: 0, compressed_bytes: 0 });
  t.ok(full.plain_bytes > empty.plain_bytes + 500_000, `${full.plain_bytes} bytes`);
  t.ok(full.chunks >= 3);
});
