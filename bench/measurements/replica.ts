import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { migrateUp } from '../../migrations/migrate.ts';
import { startReplicatedServers } from '../../test/faults/support/replicated-servers.ts';
import type { Bench, Measurement } from '../bench.ts';
import { type Product, startProduct } from '../product.ts';
import { targetOf } from '../requests.ts';
import { inRounds, type Measure } from '../rounds.ts';
import { pairRow, type Row } from '../row.ts';
import { connections, measureThroughput } from '../throughput.ts';

const reloadMs = 300;
/** The time in which the changes of the writes are published. */
const publishedMs = 8000;

/** Two ways to read one's own writes from a replica: commits wait for its replay, or reads ask for its position. */
export const replica: Measurement = {
  name: 'replica',
  hasOwnData: true,
  async run(bench) {
    const stops: (() => unknown)[] = [];
    try {
      const rows = await measure(bench, (stop) => stops.push(stop));
      return {
        title: 'Own writes on a replica',
        about: `A primary and its synchronous standby on this machine. Writes, users that are created. A: synchronous_commit = remote_apply, so that every replica may be read at once. B: on, as the product leaves it. Reads, a page of 20 users over ${connections} connections. A: on the standby, after asking both servers for their positions. B: on the primary, nothing asked.`,
        rows,
      };
    } finally {
      for (const stop of stops.reverse()) await stop();
    }
  },
};

type Servers = Awaited<ReturnType<typeof startReplicatedServers>>;

async function measure(bench: Bench, teardown: (stop: () => unknown) => void): Promise<Row[]> {
  const servers = await startReplicatedServers({ comment: bench.say, teardown });
  await migrateUp(servers.databaseUrl);
  const start = async (settings: Readonly<Record<string, string>>) => {
    const product = await startProduct({ databaseUrl: servers.databaseUrl, settings });
    teardown(() => product.stop());
    return product;
  };
  const onStandby = await start({ DATABASE_READ_URL: servers.readUrl });
  const onPrimary = await start({});
  await servers.untilSynchronous();
  const { throughputRounds } = bench.sizes;
  const rows: Row[] = [];
  for (const [what, senders] of [
    ['writes over one connection', 1],
    [`writes over ${connections} connections`, connections],
  ] as const) {
    const side = (value: 'on' | 'remote_apply') => writesAt(bench, servers, onStandby, { value, senders });
    const rates = await inRounds(throughputRounds, { a: side('remote_apply'), b: side('on') });
    rows.push(pairRow({ what, ...rates, unit: '/s' }));
  }
  await servers.setSynchronousCommit('on');
  await sleep(publishedMs);
  const before = await servers.standbyTransactions();
  const rates = await reads(bench, onStandby, onPrimary);
  // The questions for positions are far fewer than the reads.
  const answered = (rates.a.median * throughputRounds * bench.sizes.loadMs) / 1000;
  if ((await servers.standbyTransactions()) - before < answered / 2)
    throw new Error('the reads were not answered by the standby');
  rows.push(pairRow({ what: 'reads', ...rates, unit: '/s' }));
  rows.push(await lateReplay(servers, onStandby));
  return rows;
}

const delaySeconds = 2;

async function lateReplay(servers: Servers, product: Product): Promise<Row> {
  await servers.delayReplay(delaySeconds);
  const side = (value: 'on' | 'remote_apply') => async () => {
    await servers.setSynchronousCommit(value);
    await sleep(reloadMs);
    const from = performance.now();
    await product.post('/users', { external_user_id: randomUUID() });
    return performance.now() - from;
  };
  const times = await inRounds(3, { a: side('remote_apply'), b: side('on') });
  return pairRow({ what: `a write while the standby replays ${delaySeconds} s late`, ...times, unit: 'ms' });
}

interface Writing {
  readonly value: 'on' | 'remote_apply';
  readonly senders: number;
}

function writesAt(bench: Bench, servers: Servers, product: Product, { value, senders }: Writing): Measure {
  return async () => {
    await servers.setSynchronousCommit(value);
    await sleep(reloadMs);
    const from = performance.now();
    const end = from + bench.sizes.loadMs;
    let count = 0;
    const send = async () => {
      for (; performance.now() < end; count++)
        await product.post('/users', { external_user_id: randomUUID() });
    };
    await Promise.all(Array.from({ length: senders }, send));
    return (1000 * count) / (performance.now() - from);
  };
}

function reads(bench: Bench, onStandby: Product, onPrimary: Product) {
  const paths = ['/users?limit=20'];
  const measureAt = ({ url }: Product) =>
    measureThroughput(bench, targetOf({ url, key: onPrimary.key }, paths), []).measure;
  return inRounds(bench.sizes.throughputRounds, { a: measureAt(onStandby), b: measureAt(onPrimary) });
}
