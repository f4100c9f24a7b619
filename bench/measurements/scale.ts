import pg from 'pg';
import { dayMs } from '../../domain/time/time.ts';
import { serviceNames } from '../../stack/processes/services.ts';
import { account, eventRequests } from '../activitynet/events.ts';
import type { Bench, Measurement } from '../bench.ts';
import { serverCpuMs } from '../database-cpu.ts';
import { freshDatabase } from '../dataset/ensure.ts';
import { startMs } from '../dataset/plan.ts';
import { dailiesOf } from '../ingest/bodies.ts';
import { type ConnectedUser, createConnectedUsers } from '../ingest/connected-users.ts';
import { pushRequest, sendPush } from '../ingest/send-push.ts';
import type { LoadTarget } from '../load/load.ts';
import type { Usage } from '../parent.ts';
import { type Product, type ProductProcess, startProduct, startServices } from '../product.ts';
import { samplesPath, targetOf } from '../requests.ts';
import { type Row, shown } from '../row.ts';
import { connections } from '../throughput.ts';

const loadMs = 4000;
const userCount = 16;
const daysStored = 7;
const daysPushed = 12;
const mostEvents = 20_000;
/** A process that used less CPU per answer was not involved. */
const leastMs = 0.05;

/** The CPU of each service in a process of its own, under one kind of load after the other. */
export const scale: Measurement = {
  name: 'scale',
  async run(bench) {
    return {
      title: 'Scale',
      about: `Each service a process of its own, over NATS, as npm run cluster has it; ${connections} connections send one kind of request. A: CPU of a process for one of them. B: how many of them a core of such processes carries, by that. Memory: A after the start, B at its peak.`,
      rows: bench.natsUrl === null ? [] : await measure(bench, bench.natsUrl),
    };
  },
};

interface Context {
  readonly bench: Bench;
  readonly pool: pg.Pool;
  readonly gateway: Product;
  readonly parts: readonly (readonly [name: string, part: ProductProcess])[];
}

async function measure(bench: Bench, natsUrl: string): Promise<Row[]> {
  const databaseUrl = await freshDatabase(bench, bench.sizes);
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 1 });
  const behind = serviceNames
    .filter((name) => name !== 'api-gateway')
    .map((name) => [name, startServices({ databaseUrl, natsUrl, services: [name] })] as const);
  const gateway = await startProduct({ databaseUrl, natsUrl, services: ['api-gateway'] });
  const parts = [['api-gateway', gateway] as const, ...behind];
  try {
    const idle = await usagesOf(parts);
    const rows: Row[] = [];
    const scene = { bench, pool, gateway, parts };
    for (const { what, target, most } of await loads(gateway))
      rows.push(...(await under(scene, what, target, most)));
    const peak = await usagesOf(parts);
    return [
      ...rows,
      ...parts.map(([name], index) =>
        line(
          `memory of ${name}`,
          `${megabytes(idle[index]?.rss_bytes)} MB`,
          `${megabytes(peak[index]?.peak_rss_bytes)} MB`,
        ),
      ),
    ];
  } finally {
    await Promise.all(parts.map(([, part]) => part.stop()));
    await pool.end();
  }
}

interface Kind {
  readonly what: string;
  readonly target: LoadTarget;
  readonly most?: number;
}

async function loads(gateway: Product): Promise<Kind[]> {
  const users = await createConnectedUsers(gateway, 'scale', userCount);
  for (let day = 0; day < daysStored; day++) await sendPush(gateway, dailiesOf(users, day), userCount);
  const link = { provider: 'activitynet', provider_user_id: account };
  await gateway.post(`/users/${users[0]?.userId}/connections`, link);
  const of = (path: (user: ConnectedUser) => string) => targetOf(gateway, users.map(path));
  const date = (day: number) => new Date(startMs + day * dayMs).toISOString().slice(0, 10);
  const dates = `start_date=${date(0)}&end_date=${date(6)}`;
  const days = Array.from({ length: daysPushed }, (_, day) => daysStored + day);
  const pushes = days.flatMap((day) => users.map((one) => pushRequest(dailiesOf([one], day))));
  const page = { types: 'heart_rate', limit: 50 };
  return [
    { what: 'a user', target: of(({ userId }) => `/users/${userId}`) },
    {
      what: 'a page of 50 samples',
      target: of(({ userId }) => samplesPath(userId, { first: 3, count: 1 }, page)),
    },
    {
      what: 'a week of activity summaries',
      target: of(({ userId }) => `/users/${userId}/summaries/activity?${dates}`),
    },
    { what: 'a page of deliveries', target: of(() => '/deliveries?limit=20') },
    {
      what: 'an event of the activity platform',
      target: { url: gateway.url, requests: eventRequests(0, mostEvents) },
    },
    {
      what: 'a pushed user-day (5,760 samples)',
      target: { url: gateway.url, requests: pushes },
      most: pushes.length,
    },
  ];
}

async function under(scene: Context, what: string, target: LoadTarget, most?: number): Promise<Row[]> {
  const { bench, parts, pool } = scene;
  const bounds = { connections, most_ms: loadMs, ...(most === undefined ? {} : { most_requests: most }) };
  // Reads are warmed up first. A push is not, because it is new only once.
  if (most === undefined) await bench.load.sendLoad(target, { ...bounds, most_ms: loadMs / 2 });
  const before = await usagesOf(parts);
  const databaseBefore = await serverCpuMs(pool);
  const { requests, seconds, p99_ms } = await bench.load.sendLoad(target, bounds);
  const database = ((await serverCpuMs(pool)) - databaseBefore) / requests;
  const after = await usagesOf(parts);
  const costs = parts
    .map(([name], index) => {
      const spent = (after[index]?.cpu_ms ?? 0) - (before[index]?.cpu_ms ?? 0);
      return [name, spent / requests] as const;
    })
    .filter(([, ms]) => ms >= leastMs);
  return [
    line(what, `${shown(requests / seconds)}/s`, `p99 ${shown(p99_ms)} ms`),
    ...[...costs, ['PostgreSQL', database] as const].map(([name, ms]) =>
      line(`${what}: ${name}`, `${shown(ms)} ms`, `${shown(1000 / ms)}/s a core`),
    ),
  ];
}

function usagesOf(parts: Context['parts']): Promise<Usage[]> {
  return Promise.all(parts.map(([, part]) => part.usage()));
}

function megabytes(bytes = 0): number {
  return Math.round(bytes / 1024 ** 2);
}

function line(what: string, a: string, b: string): Row {
  return { what, a, b, ratio: '', goal: '', verdict: '' };
}
