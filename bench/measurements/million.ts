import pg from 'pg';
import { z } from 'zod';
import { dayMs } from '../../domain/time/time.ts';
import type { Bench, Measurement } from '../bench.ts';
import { ensureCrowd } from '../dataset/ensure.ts';
import { type CrowdUser, crowdTypes, crowdUsers } from '../dataset/insert-crowd.ts';
import { startMs } from '../dataset/plan.ts';
import { dailiesOf } from '../ingest/bodies.ts';
import { type ConnectedUser, createConnectedUsers } from '../ingest/connected-users.ts';
import { sendPush } from '../ingest/send-push.ts';
import { type Product, startProduct } from '../product.ts';
import { latencies, samplesPath, targetOf } from '../requests.ts';
import { inRounds } from '../rounds.ts';
import { pairRow, type Row } from '../row.ts';

const readUsers = 200;
const pushedUsers = 5;
const listLimit = 20;
const goal = { most: 1.5 };

/** Response times with a million users against those with ten thousand. */
export const million: Measurement = {
  name: 'million',
  hasOwnData: true,
  async run(bench) {
    const { many, few } = bench.sizes.crowd;
    const sides = { a: await openSide(bench, many), b: await openSide(bench, few) };
    try {
      const rows = [
        ...(await reads(bench, sides)),
        await planning(bench, sides),
        await pushes(bench, sides),
        await memory(sides),
      ];
      return {
        title: 'A million users',
        about: `A: ${many.toLocaleString('en')} users with ${crowdTypes.length} series and 60 samples each. B: ${few.toLocaleString('en')} such users. Median time of an answer over one connection, ${readUsers} users in turn; every answer includes the admission of its API key.`,
        rows,
      };
    } finally {
      for (const side of [sides.a, sides.b]) await side.stop();
    }
  },
};

interface Side {
  readonly users: readonly CrowdUser[];
  readonly count: number;
  readonly product: Product;
  readonly pool: pg.Pool;
  stop(): Promise<void>;
}
type Sides = { readonly a: Side; readonly b: Side };

async function openSide(bench: Bench, count: number): Promise<Side> {
  const databaseUrl = await ensureCrowd(bench, bench.sizes, count);
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 1 });
  const product = await startProduct({ databaseUrl });
  const users = await crowdUsers(pool, count, Math.min(readUsers, count));
  const stop = async () => {
    await product.stop();
    await pool.end();
  };
  return { users, count, product, pool, stop };
}

interface Read {
  readonly what: string;
  paths(side: Side): readonly string[];
}

const dateOf = (day: number) => new Date(startMs + day * dayMs).toISOString().slice(0, 10);
const list = (query: string) => `/users?limit=${listLimit}&${query}`;
const page = (side: Side, part: number) =>
  list(`sort_by=created_at&page=${Math.max(1, Math.round((side.count / listLimit) * part))}`);

const readings: readonly Read[] = [
  { what: 'user by id', paths: ({ users }) => users.map(({ userId }) => `/users/${userId}`) },
  {
    what: 'page of a day, five series',
    paths: ({ users }) =>
      users.map(({ userId, day }) =>
        samplesPath(userId, { first: day, count: 1 }, { types: [...crowdTypes], limit: 100 }),
      ),
  },
  {
    what: 'activity summary of 30 days',
    paths: ({ users }) =>
      users.map(
        ({ userId, day }) =>
          `/users/${userId}/summaries/activity?start_date=${dateOf(Math.max(0, day - 29))}&end_date=${dateOf(day)}`,
      ),
  },
  { what: 'users list, first page', paths: (side) => [page(side, 0)] },
  { what: 'users list, middle page', paths: (side) => [page(side, 0.5)] },
  { what: 'users list, last page', paths: (side) => [page(side, 1)] },
  { what: 'users search: an external id', paths: () => [list('search=crm-000123')] },
  { what: 'users search: nothing matches', paths: () => [list('search=nobody-has-this')] },
];

async function reads(bench: Bench, { a, b }: Sides): Promise<Row[]> {
  const rows: Row[] = [];
  for (const { what, paths } of readings) {
    const times = await latencies(bench, {
      a: targetOf(a.product, paths(a)),
      b: targetOf(b.product, paths(b)),
    });
    rows.push(pairRow({ what, ...times, unit: 'ms', goal }));
  }
  return rows;
}

const Plan = z.tuple([z.object({ 'Planning Time': z.number() })]);

/** The time to plan a page of samples for one user, with an open connection. */
async function planning({ sizes }: Bench, { a, b }: Sides): Promise<Row> {
  const plan = ({ pool, users }: Side) => {
    let next = 0;
    return async () => {
      const user = users[next++ % users.length];
      if (user === undefined) throw new Error('a crowd without users');
      const [start, end] = [user.day, user.day + 1].map((day) => `${dateOf(day)}T00:00:00Z`);
      const { rows } = await pool.query<{ 'QUERY PLAN': unknown }>(
        `explain (summary, format json) select x.series_id, x.ts, x.value
         from timeseries.series s join timeseries.sample x on x.series_id = s.id and x.ts >= '${start}' and x.ts < '${end}'
         where s.user_id = '${user.userId}' order by x.ts, x.series_id limit 101`,
      );
      return Plan.parse(rows[0]?.['QUERY PLAN'])[0]['Planning Time'];
    };
  };
  const times = await inRounds(sizes.requestsPerRound, { a: plan(a), b: plan(b) });
  return pairRow({ what: 'planning a page of samples', ...times, unit: 'ms', goal });
}

/** Each round sends another day of the same users. */
async function pushes({ sizes }: Bench, { a, b }: Sides): Promise<Row> {
  const name = `million-${Date.now()}`;
  const pushing = async ({ product }: Side) => {
    const users: ConnectedUser[] = await createConnectedUsers(product, name, pushedUsers);
    let day = 0;
    return () => sendPush(product, dailiesOf(users, day++), users.length);
  };
  const times = await inRounds(sizes.rounds, { a: await pushing(a), b: await pushing(b) });
  return pairRow({ what: `a push of ${pushedUsers} user-days`, ...times, unit: 'ms', goal });
}

async function memory({ a, b }: Sides): Promise<Row> {
  const peak = async ({ product }: Side) => {
    const megabytes = (await product.usage()).peak_rss_bytes / 1024 ** 2;
    return { median: megabytes, rounds: [megabytes] };
  };
  const what = 'resident memory of a process at its peak through this';
  return pairRow({ what, a: await peak(a), b: await peak(b), unit: 'MB', goal });
}
