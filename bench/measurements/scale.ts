import type pg from 'pg';
import { serviceNames } from '../../stack/processes/services.ts';
import { account, eventRequests } from '../activitynet/events.ts';
import { serverCpuMs } from '../database-cpu.ts';
import { freshDatabase } from '../dataset/ensure.ts';
import { type ConnectedUser, dailiesOf } from '../ingest/bodies.ts';
import { createConnectedUsers, dayPushes, sendPush } from '../ingest/pushes.ts';
import { connections, type Line } from '../lines.ts';
import type { LoadTarget } from '../load/load.ts';
import type { Bench, Measurement } from '../measurement.ts';
import type { Usage } from '../parent.ts';
import { type Product, type ProductProcess, startServices } from '../product.ts';
import { samplesPath, summariesPath, targetOf } from '../requests.ts';
import { shown } from '../row.ts';

const [loadMs, userCount, daysStored, daysPushed, mostEvents] = [4000, 16, 7, 12, 20_000];
/** A process that used less CPU per answer was not involved. */
const leastMs = 0.05;

/** The CPU of each service in a process of its own, under one kind of load after the other. */
export const scale: Measurement = {
  name: 'scale',
  title: 'Scale',
  hasOwnData: true,
  isOnDemand: true,
  async *lines(bench) {
    yield `Each service a process of its own, over NATS, as npm run cluster has it; ${connections} connections send one kind of request. A: CPU of a process for one of them. B: how many of them a core of such processes carries, by that. Memory: A after the start, B at its peak.`;
    const { natsUrl, start, use } = bench;
    if (natsUrl === null) return;
    const databaseUrl = await freshDatabase(bench, bench.sizes);
    const pool = bench.connect(databaseUrl);
    const parts = new Map<string, ProductProcess>();
    for (const name of serviceNames.filter((one) => one !== 'api-gateway'))
      parts.set(name, use(startServices({ databaseUrl, natsUrl, services: [name] })));
    const gateway = await start({ databaseUrl, natsUrl, services: ['api-gateway'] });
    parts.set('api-gateway', gateway);
    const idle = await usagesOf(parts);
    for (const { what, target, most } of await loads(gateway))
      yield* under(bench, pool, parts, { what, target, most });
    const peak = await usagesOf(parts);
    const megabytes = (bytes = 0) => `${Math.round(bytes / 1024 ** 2)} MB`;
    for (const name of parts.keys())
      yield {
        what: `memory of ${name}`,
        a: megabytes(idle.get(name)?.rss_bytes),
        b: megabytes(peak.get(name)?.peak_rss_bytes),
      };
  },
};

interface Kind {
  readonly what: string;
  readonly target: LoadTarget;
  /** The number of requests, each of which can be sent once. */
  readonly most?: number | undefined;
}

async function loads(gateway: Product): Promise<Kind[]> {
  const users = await createConnectedUsers(gateway, 'scale', userCount);
  for (let day = 0; day < daysStored; day++) await sendPush(gateway, dailiesOf(users, day), userCount);
  const link = { provider: 'activitynet', provider_user_id: account };
  await gateway.post(`/users/${users[0]?.userId}/connections`, link);
  const of = (what: string, path: (user: ConnectedUser) => string) => ({
    what,
    target: targetOf(gateway, users.map(path)),
  });
  const pushes = dayPushes(users, daysStored, daysPushed);
  const [day, week] = [
    { first: 3, count: 1 },
    { first: 0, count: 7 },
  ];
  const page = { types: 'heart_rate', limit: 50 };
  const events = { url: gateway.url, requests: eventRequests(0, mostEvents) };
  return [
    of('a user', ({ userId }) => `/users/${userId}`),
    of('a page of 50 samples', ({ userId }) => samplesPath(userId, day, page)),
    of('a week of activity summaries', ({ userId }) => summariesPath(userId, 'activity', week)),
    of('a page of deliveries', () => '/deliveries?limit=20'),
    { what: 'an event of the activity platform', target: events },
    {
      what: 'a pushed user-day (5,760 samples)',
      target: { url: gateway.url, requests: pushes },
      most: pushes.length,
    },
  ];
}

type Parts = ReadonlyMap<string, ProductProcess>;

async function* under({ load }: Bench, pool: pg.Pool, parts: Parts, kind: Kind): AsyncIterable<Line> {
  const { what, target, most } = kind;
  const bounds = { connections, most_ms: loadMs, ...(most === undefined ? {} : { most_requests: most }) };
  // Reads are warmed up first. A push is not, because it is new only once.
  if (most === undefined) await load.sendLoad(target, { ...bounds, most_ms: loadMs / 2 });
  const before = await usagesOf(parts);
  const databaseBefore = await serverCpuMs(pool);
  const { requests, seconds, p99_ms } = await load.sendLoad(target, bounds);
  const database = (await serverCpuMs(pool)) - databaseBefore;
  const after = await usagesOf(parts);
  yield { what, a: `${shown(requests / seconds)}/s`, b: `p99 ${shown(p99_ms)} ms` };
  const spent = [...parts.keys()].map(
    (name) => [name, (after.get(name)?.cpu_ms ?? 0) - (before.get(name)?.cpu_ms ?? 0)] as const,
  );
  for (const [name, cpuMs] of [...spent, ['PostgreSQL', database] as const]) {
    const ms = cpuMs / requests;
    if (ms >= leastMs || name === 'PostgreSQL')
      yield { what: `${what}: ${name}`, a: `${shown(ms)} ms`, b: `${shown(1000 / ms)}/s a core` };
  }
}

async function usagesOf(parts: Parts): Promise<ReadonlyMap<string, Usage>> {
  return new Map(
    await Promise.all([...parts].map(async ([name, part]) => [name, await part.usage()] as const)),
  );
}
