import pg from 'pg';
import { z } from 'zod';
import { account, eventRequests } from '../activitynet/events.ts';
import { countWaiting, emptyQueue, fillQueue } from '../activitynet/fetch-queue.ts';
import { type Platform, settingsOf, startPlatform } from '../activitynet/platform.ts';
import { estimatedMs, simulate } from '../activitynet/simulate.ts';
import type { Bench, Measurement } from '../bench.ts';
import { freshDatabase } from '../dataset/ensure.ts';
import type { LoadResult } from '../load/load-request.ts';
import { type Product, startProduct } from '../product.ts';
import { figuresOf } from '../rounds.ts';
import { pairRow, type Row } from '../row.ts';

const connections = 16;
/** The number of activities that are fetched before the quarter hour's limit is used up. */
const mostFetched = 100;

/** The activity platform: incoming events, and the duration of fetching within its limits. */
export const activitynet: Measurement = {
  name: 'activitynet',
  async run(bench) {
    const { events, waiting, activities } = bench.sizes.platform;
    return {
      title: 'Activity platform',
      about: `Events over ${connections} connections, ${events.toLocaleString('en')} a round, all services in one process, each event noted as a fetch before it is answered. A: with ${waiting.toLocaleString('en')} fetches waiting before; B: with none. In both the limit of the quarter hour is used up, so nothing is fetched meanwhile. Then ${activities.toLocaleString('en')} fetches that wait at midnight, at 100 reads a quarter hour and 1,000 a day. A: the service, with its clock and the platform's turned; B: reckoned, to the start of the last quarter hour.`,
      rows: [...(await answering(bench)), await fetching(bench)],
    };
  },
};

async function answering(bench: Bench): Promise<Row[]> {
  const databaseUrl = await freshDatabase(bench, bench.sizes);
  const platform = await startPlatform();
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 1 });
  const product = await startProduct({ databaseUrl, settings: settingsOf(platform) });
  try {
    await connectUser(product);
    return await measure({ bench, platform, pool, product });
  } finally {
    await product.stop();
    await pool.end();
    await platform.stop();
  }
}

const Id = z.object({ id: z.string() });

async function connectUser(product: Product): Promise<void> {
  const { id } = Id.parse(await product.post('/users', { external_user_id: 'athlete' }));
  const link = { provider: 'activitynet', provider_user_id: account, access_token: 'a token' };
  await product.post(`/users/${id}/connections`, link);
}

interface Context {
  readonly bench: Bench;
  readonly platform: Platform;
  readonly pool: pg.Pool;
  readonly product: Product;
}

async function measure(scene: Context): Promise<Row[]> {
  const results: Record<'full' | 'empty', LoadResult[]> = { full: [], empty: [] };
  for (let round = 0; round <= scene.bench.sizes.rounds; round++)
    for (const side of round % 2 === 0 ? (['empty', 'full'] as const) : (['full', 'empty'] as const)) {
      const result = await runEvents(
        scene,
        round * 2 + (side === 'full' ? 1 : 0),
        side === 'full' ? scene.bench.sizes.platform.waiting : 0,
      );
      if (round > 0) results[side].push(result); // the first uses up the quarter hour, and code is cold
    }
  const of = (side: keyof typeof results, figure: (one: LoadResult) => number) =>
    figuresOf(results[side].map(figure));
  const rate = ({ requests, seconds }: LoadResult) => requests / seconds;
  const p99 = ({ p99_ms }: LoadResult) => p99_ms;
  return [
    pairRow({ what: 'events answered', a: of('full', rate), b: of('empty', rate), unit: '/s' }),
    pairRow({
      ...{
        what: 'the slowest hundredth of answers (p99)',
        a: of('full', p99),
        b: of('empty', p99),
        unit: 'ms',
      },
      goal: { most: 1.5 },
    }),
  ];
}

async function runEvents(
  { bench, pool, product }: Context,
  turn: number,
  before: number,
): Promise<LoadResult> {
  await (before === 0 ? emptyQueue(pool) : fillQueue(pool, before));
  const { events } = bench.sizes.platform;
  const requests = eventRequests(turn * events, events);
  const bounds = { connections, most_requests: events };
  const result = await bench.load.sendLoad({ url: product.url, requests }, bounds);
  const { waiting: after } = await countWaiting(pool);
  if (turn > 1 && after < before + events - mostFetched)
    throw new Error(`${after} fetches wait after ${events} events and ${before} before`);
  return result;
}

async function fetching(bench: Bench): Promise<Row> {
  const databaseUrl = await freshDatabase(bench, bench.sizes);
  const { activities } = bench.sizes.platform;
  const { tookMs, reads, refused } = await simulate(databaseUrl, activities);
  const reckoned = estimatedMs(activities);
  return {
    what: `${activities.toLocaleString('en')} activities at the default limits`,
    a: `${clockText(tookMs)} (${reads.toLocaleString('en')} reads, ${refused} refused)`,
    b: clockText(reckoned),
    ratio: (tookMs / reckoned).toFixed(4),
    goal: 'ratio ≤ 1.01',
    verdict: tookMs / reckoned <= 1.01 && refused === 0 ? 'met' : 'missed',
  };
}

function clockText(ms: number): string {
  const seconds = Math.round(ms / 1000);
  return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min ${seconds % 60} s`;
}
