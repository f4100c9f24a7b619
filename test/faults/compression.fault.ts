import { createHash } from 'node:crypto';
import t, { type Test } from 'tap';
import { dayMs, isoTime } from '../../domain/time/time.ts';
import { canCompress } from '../../services/timeseries/tables/chunks.ts';
import { compressOldChunks } from '../../services/timeseries/work/compression.ts';
import { checkServers } from '../../stack/machine/reachable.ts';
import { seeded } from '../services/timeseries/model.ts';
import { setUp } from '../services/timeseries/setting.ts';
import { wrongStatistics } from '../services/timeseries/statistics.ts';
import { freshDatabase } from '../support/servers/database.ts';
import {
  addUser,
  type ComparedDatabases,
  contentOf,
  erase,
  remove,
  replace,
  retain,
  store,
} from './support/compared-databases.ts';

/**
 * Compressed samples against plain ones. It needs DATABASE_URL of a server with the community edition of TimescaleDB whose
 * role may `alter system` on timescaledb.license and call pg_reload_conf. SEED repeats a run.
 */
t.setTimeout(0);

const seed = Number(process.env.SEED ?? 18);
const operations = Number(process.env.OPERATIONS ?? 500);
const isCommunity = await canCompress(await freshDatabase(t));
const onCommunity = (name: string, work: (t: Test) => Promise<void>): unknown =>
  isCommunity ? t.test(name, work) : console.log(`# NOT RUN, DATABASE_URL has the Apache edition: ${name}`);

const digest = (rows: unknown) => createHash('sha256').update(JSON.stringify(rows)).digest('hex');

onCommunity(`${operations} random operations leave what they leave without compression`, async (t) => {
  const settings = { SAMPLE_COMPRESS_AFTER_DAYS: '0' };
  const compared: ComparedDatabases = {
    both: [await setUp(t, settings), await setUp(t, settings)],
    users: [],
  };
  for (let index = 0; index < 4; index += 1) await addUser(compared);
  const { database } = compared.both[0];
  const random = seeded(seed);
  const pick = (below: number) => Math.floor(random() * below);
  const done: Record<string, number> = {};
  let keptFrom = Date.parse('2026-01-05');
  const compress = () => compressOldChunks({ database, afterDays: 14 });
  const steps: readonly (readonly [name: string, weight: number, run: () => Promise<unknown>])[] = [
    ['store', 45, () => store(compared.users[pick(4)] ?? [], pick)],
    ['replace', 12, () => replace(compared.users[pick(4)] ?? [], pick)],
    ['delete', 12, () => remove(compared.users[pick(4)] ?? [], pick, false)],
    ['delete as the version before', 6, () => remove(compared.users[pick(4)] ?? [], pick, true)],
    ['compress', 15, compress],
    ['decompress', 5, () => decompress(pick)],
    ['erase', 2, () => erase(compared, pick(4))],
    ['retain', 3, expire],
  ];
  async function expire() {
    keptFrom += 2 * dayMs;
    await retain(compared, isoTime(keptFrom).slice(0, 10));
  }
  async function decompress(pick: (below: number) => number) {
    const chunks = await database.query<{ name: string }>(
      "select show_chunks('timeseries.sample')::text as name",
    );
    const name = chunks[pick(chunks.length)]?.name;
    await database.query('select timeseries.enable_compression()');
    if (name !== undefined) await database.query('select timeseries.decompress_chunk($1::regclass)', [name]);
  }
  const wheel = steps.flatMap(([name, weight, run]) => Array.from({ length: weight }, () => ({ name, run })));
  const compare = async (after: number) => {
    const [a, b] = [await contentOf(compared, 0), await contentOf(compared, 1)];
    for (const [table, rows] of Object.entries(b)) {
      t.equal(a[table]?.length, rows.length, `${table} after ${after} operations`);
      t.equal(digest(a[table]), digest(rows), `${table}: ${rows.length} rows are equal`);
    }
    t.strictSame(await wrongStatistics(database), []);
  };
  for (let at = 1; at <= operations; at += 1) {
    const step = wheel[pick(wheel.length)];
    if (step === undefined) break;
    await step.run();
    done[step.name] = (done[step.name] ?? 0) + 1;
    if (at % 50 === 0) await compare(at);
  }
  t.comment(JSON.stringify({ seed, ...done }));
  t.equal(Object.keys(done).length, steps.length, 'every operation was among them');
});

onCommunity('a compression that is ended half-way changes nothing', async (t) => {
  const setting = await setUp(t, { SAMPLE_COMPRESS_AFTER_DAYS: '0' });
  const { database } = setting;
  database.pool.on('connect', (client) => client.on('error', () => undefined));
  await store([setting], (below) => Math.floor(below / 3));
  await database.query(
    `insert into timeseries.sample select id, 0, timestamptz '2026-02-01' + i * interval '1 second', i % 90
     from timeseries.series, generate_series(1, 400000) i`,
  );
  const sums = 'select count(*)::int as n, sum(value) as sum from timeseries.sample';
  const before = await database.query(sums);
  const ended = compressOldChunks({ database, afterDays: 14 }).then(
    () => 'finished',
    (error) => error.code,
  );
  let victims = 0;
  while (victims === 0)
    victims = (
      await database.query(
        "select pg_terminate_backend(pid) from pg_stat_activity where query like 'select timeseries.compress_chunk%' and datname = current_database()",
      )
    ).length;
  t.not(await ended, 'finished');
  t.strictSame(await database.query(sums), before);
  t.strictSame(await wrongStatistics(database), []);
  t.match(await compressOldChunks({ database, afterDays: 14 }), { left: 0 });
  t.strictSame(await database.query(sums), before);
});

onCommunity(
  'the Apache edition over compressed samples is refused, at the start and by a reconnect',
  async (t) => {
    const setting = await setUp(t, { SAMPLE_COMPRESS_AFTER_DAYS: '0' });
    const { database, call, userId } = setting;
    await store([setting], (below) => Math.floor(below / 3));
    await compressOldChunks({ database, afterDays: 14 });
    const read = () =>
      call('timeseries.samples', {
        user_id: userId,
        start_time: '2026-01-01',
        end_time: '2026-04-01',
        resolution: 'raw',
        limit: 5,
      });
    t.equal((await read()).data.length, 5);
    const setLicense = async (value: string) => {
      await database.query(`alter system set timescaledb.license = ${value}`);
      await database.query('select pg_reload_conf()');
      await database.query(
        'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
      );
      const [{ pid } = { pid: 0 }] = await database.query<{ pid: number }>('select pg_backend_pid() as pid');
      await database.query('select pg_terminate_backend($1)', [pid]).catch(() => undefined);
    };
    database.pool.on('connect', (client) => client.on('error', () => undefined));
    await database.query('select pg_reload_conf()');
    t.teardown(() => setLicense('default'));
    await setLicense("'apache'");
    const [row] = await database.query<{ n: number }>('select count(*)::int as n from timeseries.sample');
    t.equal(row?.n, 0, 'without the check the answer would be empty');
    await t.rejects(checkServers({ DATABASE_URL: database.url }), /community edition/);
    await t.rejects(read(), 'a service does not answer with an empty page');
    await setLicense('default');
    await checkServers({ DATABASE_URL: database.url });
    t.equal((await read()).data.length, 5);
  },
);
