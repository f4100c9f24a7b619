import { databaseOf } from '../../mixins/database/database.ts';
import { copyAnew, createDestination } from '../destinations/copies.ts';
import { startStream, startTables } from '../destinations/copy-targets.ts';
import { startFileStore } from '../destinations/file-store.ts';
import { insertRows } from '../destinations/insert-rows.ts';
import { changeSeries, followChanges, insertSeries } from '../destinations/small-changes.ts';
import type { Line } from '../lines.ts';
import type { Bench, Measurement } from '../measurement.ts';
import { megabytesOf, type ProductProcess, startServices } from '../product.ts';
import { inRounds } from '../rounds.ts';

const rowsPerSecond = { least: 100_000 };

/** The copy of stored data into each kind of destination: speed, memory, size. */
export const destinations: Measurement = {
  name: 'destinations',
  title: 'Destinations',
  hasOwnData: true,
  isOnDemand: true,
  async *lines(bench) {
    const { days, wearers, changed } = bench.sizes.destinations;
    yield `${days} days of ${wearers} users are copied by a process with this service only, in rounds after one that is not counted. Heart rate each 5 seconds: a slow wave of 20 beats with 3 random bits, half of the users with times that vary by up to 3 seconds; steps each minute with 7 random bits. Kind \`s3\`: into a store that keeps nothing. Kind \`postgres\`: into another database of the same server; B: COPY from one database into the other, into a table with the same indexes. Kind \`jetstream\`: into a server with a file store; B: the bytes of COPY are published in messages of the same size. Then each of ${changed.toLocaleString('en')} more users gets a sample: two changes each, of the sample and of the day.`;
    const scene = await openScene(bench);
    yield* fileLines(scene);
    yield* pairLines(scene, 'postgres');
    yield* pairLines(scene, 'jetstream');
    yield* changeLines(bench, scene);
  },
};

type Scene = Awaited<ReturnType<typeof openScene>>;

// The destinations are created before there is data, and reset for each copy.
async function openScene(bench: Bench) {
  const { days, wearers } = bench.sizes.destinations;
  let databaseUrl = '';
  const store = await startFileStore(bench);
  const from = () => databaseUrl;
  const [postgres, jetstream] = [await startTables(bench, from), await startStream(bench, from)];
  const hosts = [store, postgres, jetstream].map(({ host }) => host);
  const settings = { DESTINATION_HOSTS: hosts.join(',') };
  const opened = await bench.startEmpty('destinations', settings);
  databaseUrl = opened.databaseUrl;
  const { product } = opened;
  const ids = {
    s3: await createDestination(product, 's3', store.settings),
    postgres: await createDestination(product, 'postgres', postgres.settings),
    jetstream: await createDestination(product, 'jetstream', jetstream.settings),
  };
  await product.stop();
  const rows = await insertRows(opened.pool, wearers, days);
  const start = (services = ['destinations']) =>
    bench.use(startServices({ databaseUrl, services, settings }));
  const rounds = bench.sizes.destinations.rounds;
  return { ids, rows, rounds, start, targets: { postgres, jetstream }, database: databaseOf(opened.pool) };
}

async function* fileLines({ ids, rows, rounds, start, database }: Scene): AsyncGenerator<Line> {
  const service = start();
  const { rss } = await megabytesOf(service);
  const [copies = []] = await inRounds(rounds, [
    async () => {
      const before = await service.usage();
      const seconds = await copyAnew(database, ids.s3);
      return { seconds, cores: ((await service.usage()).cpu_ms - before.cpu_ms) / 1000 / seconds };
    },
  ]);
  const cores = Math.max(...copies.map((copy) => copy.cores)).toFixed(2);
  yield {
    what: '`s3`: rows a second',
    value: copies.map(({ seconds }) => rows / seconds),
    unit: '/s',
    goal: rowsPerSecond,
    note: `of ${rows.toLocaleString('en')}, ${cores} cores at most`,
  };
  yield memoryLine('s3', rss, await ended(service));
  const [size] = await database.query<{ bytes: number }>(
    'select sum(bytes)::float8 as bytes from destinations.partition',
  );
  const value = (size?.bytes ?? Number.NaN) / rows;
  yield { what: '`s3`: a row in the files', value, unit: 'bytes', goal: { most: 4 } };
}

async function* pairLines(
  { ids, rows, rounds, start, targets, database }: Scene,
  kind: 'postgres' | 'jetstream',
): AsyncGenerator<Line> {
  const service = start();
  const { rss } = await megabytesOf(service);
  const target = targets[kind];
  const [a, b] = await inRounds(rounds, [
    async () => {
      await target.empty();
      return rows / (await copyAnew(database, ids[kind]));
    },
    async () => {
      const seconds = await target.bare();
      return rows / seconds;
    },
  ]);
  const what = `\`${kind}\`: rows a second`;
  yield { what, figures: [a ?? [], b ?? []], unit: '/s', goal: { least: 0.5 } };
  yield { what: `${what} alone`, value: a ?? [], unit: '/s', goal: rowsPerSecond };
  yield memoryLine(kind, rss, await ended(service));
}

async function* changeLines(bench: Bench, { ids, rounds, start, database }: Scene): AsyncGenerator<Line> {
  const { changed } = bench.sizes.destinations;
  await insertSeries(database, changed);
  start(['destinations', 'webhooks']);
  for (const kind of ['postgres', 'jetstream'] as const) {
    const [seconds = []] = await inRounds(rounds, [
      async () => {
        await changeSeries(database);
        return followChanges(database, ids[kind]);
      },
    ]);
    const value = seconds.map((one) => (2 * changed) / one);
    yield { what: `\`${kind}\`: changes a second`, value, unit: '/s' };
  }
}

function memoryLine(kind: string, before: number, peak: number): Line {
  const what = `\`${kind}\`: resident memory at its peak`;
  return { what, value: peak, unit: 'MB', goal: { most: 300 }, note: `(${before.toFixed(0)} MB before)` };
}

async function ended(service: ProductProcess): Promise<number> {
  const { peak } = await megabytesOf(service);
  await service.stop();
  return peak;
}
