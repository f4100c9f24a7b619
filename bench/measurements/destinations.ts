import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { seriesOf } from '../../domain/records/series.ts';
import type { Bench, Measurement } from '../measurement.ts';
import { megabytesOf, startServices } from '../product.ts';

/** The copy of stored data into Parquet files: speed, memory, size. */
export const destinations: Measurement = {
  name: 'destinations',
  title: 'Destinations',
  hasOwnData: true,
  isOnDemand: true,
  async *lines(bench) {
    const { days, wearers } = bench.sizes.destinations;
    yield `Kind \`s3\`: ${days} days of ${wearers} users are copied by a process with this service only, into a store on this machine that keeps nothing. Heart rate each 5 seconds: a slow wave of 20 beats with 3 random bits, half of the users with times that vary by up to 3 seconds; steps each minute with 7 random bits.`;
    const { rows, bytes, seconds, cpuSeconds, peak, idle } = await copy(bench, days, wearers);
    yield {
      what: 'rows a second of one process',
      value: rows / seconds,
      unit: '/s',
      goal: { least: 100_000 },
      note: `of ${rows.toLocaleString('en')}, ${(cpuSeconds / seconds).toFixed(2)} cores`,
    };
    yield {
      ...{ what: 'resident memory at its peak', value: peak, unit: 'MB', goal: { most: 300 } },
      note: `(${idle.toFixed(0)} MB before)`,
    };
    yield { what: 'a row in the files', value: bytes / rows, unit: 'bytes', goal: { most: 4 } };
  },
};

async function copy(bench: Bench, days: number, wearers: number) {
  const store = await startStore(bench);
  const settings = { DESTINATION_HOSTS: store.host };
  const { product, pool, databaseUrl } = await bench.startEmpty('destinations', settings);
  await insertSamples(pool, wearers, days);
  await product.post('/destinations', {
    kind: 's3',
    settings: {
      ...{ endpoint: `http://${store.host}`, bucket: 'bench' },
      ...{ access_key_id: 'KEY', secret_access_key: 'of-the-bench' },
    },
  });
  await product.stop();
  store.open();
  await pool.query("update jobs.job set run_at = now(), leased = false where kind = 'destinations.run'");
  const service = bench.use(startServices({ databaseUrl, services: ['destinations'], settings }));
  await until(async () => (await service.usage()).rss_bytes > 0);
  const [began, before] = [performance.now(), await service.usage()];
  await until(() => isCopied(pool));
  const seconds = (performance.now() - began) / 1000;
  const cpuSeconds = (await service.usage()).cpu_ms / 1000 - before.cpu_ms / 1000;
  const { peak } = await megabytesOf(service);
  return { ...(await sizeOf(pool)), seconds, cpuSeconds, peak, idle: before.rss_bytes / 1024 ** 2 };
}

const samples = (type: number, everySeconds: number, time: string, value: string) => `
  insert into timeseries.sample (series_id, zone_offset_minutes, ts, value)
  select id, 60, ${time}, ${value} from (
    select s.id, at, hashint8(extract(epoch from at)::bigint * 7919 + s.id) as h
    from timeseries.series s cross join generate_series(current_date - $1::int, current_date - interval '1 second',
      interval '${everySeconds} seconds') at where s.type_id = ${type}) s`;

async function insertSamples(pool: pg.Pool, wearers: number, days: number): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query("begin; set local changes.unrecorded = 'on'; set local statement_timeout = '20min'");
    await insertInto(client, wearers, days);
    await client.query('commit');
  } finally {
    client.release();
  }
  await pool.query('analyze');
}

async function insertInto(client: pg.PoolClient, wearers: number, days: number): Promise<void> {
  const ids = Array.from({ length: wearers }, () => randomUUID());
  const [heart, steps] = [seriesOf('heart_rate').id, seriesOf('steps').id];
  await client.query('insert into users.person (id, created_at) select unnest($1::uuid[]), now()', [ids]);
  await client.query(
    `insert into timeseries.series (user_id, type_id, provider, device)
     select u, t, 'devicemaker', 'Watch 7' from unnest($1::uuid[]) u cross join unnest($2::int[]) t`,
    [ids, [heart, steps]],
  );
  const jitter = "at + case when id % 4 < 2 then (h & 3) * interval '1 second' else interval '0' end";
  const wave = '70 + round(20 * sin(extract(epoch from at) / 2000 + id)) + (h >> 8 & 7)';
  await client.query(samples(heart, 5, jitter, wave), [days]);
  await client.query(samples(steps, 60, 'at', 'h & 127'), [days]);
}

async function isCopied(pool: pg.Pool): Promise<boolean> {
  const { rows } = await pool.query('select from destinations.destination where snapshot is null');
  return rows.length > 0;
}

async function sizeOf(pool: pg.Pool): Promise<{ rows: number; bytes: number }> {
  const text = 'select sum(rows)::float8 as rows, sum(bytes)::float8 as bytes from destinations.partition';
  const { rows } = await pool.query<{ rows: number; bytes: number }>(text);
  return rows[0] ?? { rows: 0, bytes: 0 };
}

/** A store that takes everything once it is open. It keeps nothing, so that its disk is not measured. */
async function startStore({ onEnd }: Bench) {
  let isOpen = false;
  const server = createServer((request, response) => {
    request.resume();
    request.on('end', () => {
      const isList = request.method === 'GET';
      response.writeHead(isOpen ? 200 : 503, { ETag: '"1"' });
      response.end(isList ? '<ListBucketResult></ListBucketResult>' : '<UploadId>1</UploadId>');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onEnd(() => server.close());
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  const open = () => {
    isOpen = true;
  };
  return { host: `127.0.0.1:${port}`, open };
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await sleep(50);
}
