import type pg from 'pg';
import { z } from 'zod';
import { ensureCrowd, ensureFewUsers, ensureOperations } from '../dataset/ensure.ts';
import { type CrowdUser, crowdTypes, crowdUsers } from '../dataset/insert-crowd.ts';
import { perUser } from '../dataset/insert-operations.ts';
import { dailiesOf } from '../ingest/bodies.ts';
import { createConnectedUsers, sendPush } from '../ingest/pushes.ts';
import type { Bench, Measurement } from '../measurement.ts';
import { megabytesOf } from '../product.ts';
import { addressOf, dateOf, readUsers, samplesPath, summariesPath, targetOf } from '../requests.ts';

const limit = 20;
const list = (query: string) => `/users?limit=${limit}&${query}`;

/** A page of users by its place in a list: 0 the first, 1 the last. */
const pageAt = (count: number, part: number, order = 'sort_by=created_at') =>
  list(`${order}&page=${Math.max(1, Math.round((count / limit) * part))}`);

/** The list of many users against that of few. */
export const users: Measurement = {
  name: 'users',
  title: 'The list of users',
  async *lines(bench) {
    const { product, sizes, start } = bench;
    yield `Median time of an answer over one connection, pages of ${limit} with exact total. A: ${sizes.users.toLocaleString('en')} users. B: ${sizes.fewUsers.toLocaleString('en')}.`;
    const few = await start({ databaseUrl: await ensureFewUsers(bench, sizes) });
    const page = (part: number, order?: string) =>
      [pageAt(sizes.users, part, order), pageAt(sizes.fewUsers, part, order)] as const;
    const search = (a: string, b = a) => [list(`search=${a}`), list(`search=${b}`)] as const;
    const [a, b] = [await addressOf(product, 41), await addressOf(few, 41)];
    const [ofMany, ofFew] = [await readUsers(product, 'search=tran'), await readUsers(few, 'search=tran')];
    const syllable = `search for a syllable (${ofMany.total.toLocaleString('en')} and ${ofFew.total} match)`;
    for (const [what, paths] of [
      ['first page', page(0)],
      ['middle page', page(0.5)],
      ['last page', page(1)],
      ['middle page by last name', page(0.5, 'sort_by=last_name&sort_order=asc')],
      ['search for an e-mail address', search(a, b)],
      ['search for the start of one', search(a.slice(0, 9), b.slice(0, 9))],
      ['search for a piece of an external id (10 match)', search('crm-00005')],
      ['search that nobody matches', search('nobody-has-this')],
      [syllable, search('tran')],
    ] as const)
      yield {
        what,
        times: [targetOf(product, paths[0]), targetOf(few, paths[1])],
        goal: what === syllable ? undefined : { most: 2 },
      };
    const [searched] = search(await addressOf(product, 3));
    yield {
      what: 'answers a second over 16 connections, many users; A: first page, B: search',
      rates: [targetOf(product, list('page=1')), targetOf(product, searched)],
    };
  },
};

/** Lists of operators with ten times the data. */
export const growth: Measurement = {
  name: 'growth',
  title: 'Growth',
  hasOwnData: true,
  async *lines(bench) {
    const { sizes, start } = bench;
    const shown = [1, perUser.deliveries, perUser.changes].map((n) =>
      (n * sizes.operations).toLocaleString('en'),
    );
    yield `Median time of an answer over one connection. A: ${shown[0]} users, ${shown[1]} deliveries, ${shown[2]} changes. B: a tenth of each.`;
    const open = async (count: number) => start({ databaseUrl: await ensureOperations(bench, sizes, count) });
    const [many, few] = [await open(sizes.operations), await open(sizes.operations / 10)];
    for (const [what, path] of [
      ['users: first page', '/users?limit=20'],
      ['users: search of two letters', '/users?limit=20&search=an'],
      ['users: search of a syllable', '/users?limit=20&search=tran'],
      ['users with an active connection', '/users?limit=20&connected=true'],
      ['users without one', '/users?limit=20&connected=false'],
      ['users with a revoked one', '/users?limit=20&connection_status=revoked'],
      ['deliveries done', '/deliveries?limit=20&status=done'],
      ['deliveries done of a provider', '/deliveries?limit=20&status=done&provider=activitynet'],
      ['overview', '/overview'],
    ] as const)
      yield { what, times: [targetOf(many, path), targetOf(few, path)], goal: { most: 1.5 } };
  },
};

const [readUserCount, pushedUsers] = [200, 5];

/** Response times with a million users against those with ten thousand. */
export const million: Measurement = {
  name: 'million',
  title: 'A million users',
  hasOwnData: true,
  isOnDemand: true,
  async *lines(bench) {
    const { crowd, requestsPerRound } = bench.sizes;
    yield `A: ${crowd.many.toLocaleString('en')} users with ${crowdTypes.length} series and 60 samples each. B: ${crowd.few.toLocaleString('en')} such users. Median time of an answer over one connection, ${readUserCount} users in turn; every answer includes the admission of its API key.`;
    const goal = { most: 1.5 };
    const [a, b] = [await openCrowd(bench, crowd.many), await openCrowd(bench, crowd.few)];
    for (const [what, paths] of crowdReads)
      yield { what, times: [targetOf(a.product, paths(a)), targetOf(b.product, paths(b))], goal };
    const planning = [planningTime(a.pool, a.users), planningTime(b.pool, b.users)] as const;
    yield { what: 'planning a page of samples', sides: planning, unit: 'ms', rounds: requestsPerRound, goal };
    yield {
      what: `a push of ${pushedUsers} user-days`,
      sides: [await pushing(a), await pushing(b)],
      unit: 'ms',
      goal,
    };
    const peaks = [[(await megabytesOf(a.product)).peak], [(await megabytesOf(b.product)).peak]] as const;
    const what = 'resident memory of a process at its peak through this';
    yield { what, figures: peaks, unit: 'MB', goal };
  },
};

type Crowd = Awaited<ReturnType<typeof openCrowd>>;

async function openCrowd(bench: Bench, count: number) {
  const databaseUrl = await ensureCrowd(bench, bench.sizes, count);
  const pool = bench.connect(databaseUrl);
  const product = await bench.start({ databaseUrl });
  return { count, pool, product, users: await crowdUsers(pool, count, Math.min(readUserCount, count)) };
}

const crowdReads: readonly (readonly [what: string, paths: (side: Crowd) => readonly string[]])[] = [
  ['user by id', ({ users }) => users.map(({ userId }) => `/users/${userId}`)],
  [
    'page of a day, five series',
    ({ users }) =>
      users.map(({ userId, day }) =>
        samplesPath(userId, { first: day, count: 1 }, { types: [...crowdTypes], limit: 100 }),
      ),
  ],
  [
    'activity summary of 30 days',
    ({ users }) =>
      users.map(({ userId, day }) =>
        summariesPath(userId, 'activity', { first: Math.max(0, day - 29), count: Math.min(30, day + 1) }),
      ),
  ],
  ['users list, first page', ({ count }) => [pageAt(count, 0)]],
  ['users list, middle page', ({ count }) => [pageAt(count, 0.5)]],
  ['users list, last page', ({ count }) => [pageAt(count, 1)]],
  ['users search: an external id', () => [list('search=crm-000123')]],
  ['users search: nothing matches', () => [list('search=nobody-has-this')]],
];

const Plan = z.tuple([z.object({ 'Planning Time': z.number() })]);

/** The time to plan a page of samples for one user after the other, with an open connection. */
function planningTime(pool: pg.Pool, users: readonly CrowdUser[]): () => Promise<number> {
  let next = 0;
  return async () => {
    const { userId = '', day = 0 } = users[next++ % users.length] ?? {};
    const { rows } = await pool.query<{ 'QUERY PLAN': unknown }>(
      `explain (summary, format json) select x.series_id, x.ts, x.value
       from timeseries.series s join timeseries.sample x
         on x.series_id = s.id and x.ts >= '${dateOf(day)}T00:00:00Z' and x.ts < '${dateOf(day + 1)}T00:00:00Z'
       where s.user_id = '${userId}' order by x.ts, x.series_id limit 101`,
    );
    return Plan.parse(rows[0]?.['QUERY PLAN'])[0]['Planning Time'];
  };
}

/** Each round sends another day of the same users. */
async function pushing({ product }: Crowd): Promise<() => Promise<number>> {
  const users = await createConnectedUsers(product, `million-${Date.now()}`, pushedUsers);
  let day = 0;
  return () => sendPush(product, dailiesOf(users, day++), users.length);
}
