import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Test } from 'tap';
import { z } from 'zod';
import type { Database } from '../../../mixins/database/database.ts';
import { createBroker } from '../../../runtime/broker.ts';
import { freePort } from '../../../stack/machine/ports.ts';
import { serviceNames } from '../../../stack/processes/services.ts';
import { testConfig } from '../../support/servers/broker.ts';
import { createConnectedUser, credentialsOf, get, makeDeveloper } from './api-data.ts';
import { type LoadReport, type Wearer, webhookStart } from './load.ts';
import { type MemoryLimit, memoryLimit } from './memory-limit.ts';
import { commonSettings, type Process, startProcess, untilReady } from './product-processes.ts';

/** Processes of the product over one bus and one database. */
export interface Cluster {
  readonly origins: readonly string[];
  readonly names: readonly string[];
  readonly key: string;
  readonly token: string;
  readonly wearers: readonly Wearer[];
  /** The limits of memory by the name of the process. */
  readonly memory: ReadonlyMap<string, MemoryLimit>;
  process(name: string): Process;
  /** Restarts a process under its name; the old one must have ended. */
  again(name: string): Promise<void>;
  /** Complaints of all processes, those that ended too. */
  complaints(): string;
  /** Waits until every gateway sees as many processes of each service as there should be. */
  untilWhole(): Promise<void>;
}

/** What runs, and where; `groups` names the services of a process, each started `copies` times. */
export interface ClusterChoice {
  readonly database: Database & { readonly url: string };
  readonly databaseUrl?: string;
  readonly natsUrl: string;
  /** The URL of a process with these services, where it differs. */
  readonly natsUrlOf?: (services: readonly string[]) => string;
  readonly namespace?: string;
  readonly groups: Readonly<Record<string, readonly string[]>>;
  readonly copies: Readonly<Record<string, number>>;
  readonly people: number;
  /** The memory of each process in MB. Omitted: no limit. */
  readonly memoryMb?: number;
  /** Of all processes, beside the common ones. */
  readonly settings?: Readonly<Record<string, string>>;
}

/** A process for each service. */
export const oneEach: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  serviceNames.map((name) => [name, [name]]),
);

const wholeLimitMs = 120_000;

/** Starts a cluster with a few users. */
export async function startCluster(t: Test, choice: ClusterChoice): Promise<Cluster> {
  const { database, natsUrl, groups, copies, people } = choice;
  const namespace = choice.namespace ?? randomUUID();
  await makeDeveloper(database);
  const settings = {
    DATABASE_URL: choice.databaseUrl ?? database.url,
    NATS_URL: natsUrl,
    NAMESPACE: namespace,
    ...choice.settings,
  };
  const processes = new Map<string, Process>();
  const starts = new Map<string, () => Process>();
  const all: Process[] = [];
  const memory = new Map<string, MemoryLimit>();
  for (const [group, services] of Object.entries(groups))
    for (let index = 1; index <= (copies[group] ?? 2); index++) {
      const name = `${group}.${index}`;
      const port = await freePort();
      if (choice.memoryMb !== undefined) memory.set(name, memoryLimit(t, name, choice.memoryMb));
      starts.set(name, () =>
        startProcess(t, {
          ...{ name, services, port, through: memory.get(name)?.through ?? [] },
          settings: {
            ...settings,
            NATS_URL: choice.natsUrlOf?.(services) ?? natsUrl,
            DATABASE_POOL: '6',
          },
        }),
      );
    }
  const begin = (name: string, start: () => Process) => {
    const started = start();
    memory.get(name)?.watch(started);
    all.push(started);
    processes.set(name, started);
  };
  for (const [name, start] of starts) begin(name, start);
  const find = (name: string) => {
    const found = processes.get(name);
    if (found === undefined) throw new Error(`no process ${name}`);
    return found;
  };
  const gateways = [...starts.keys()].filter((name) =>
    groups[name.replace(/\.\d+$/, '')]?.includes('api-gateway'),
  );
  const origins = gateways.map((name) => find(name).origin);
  const wanted = countServices(groups, copies);
  const config = testConfig({
    databaseUrl: settings.DATABASE_URL,
    natsUrl,
    settings: { ...commonSettings, NAMESPACE: namespace },
  });
  const watcher = createBroker({ config, nodeID: `watcher-${process.pid}` });
  t.teardown(() => watcher.stop());
  await watcher.start();
  const untilWhole = async () => {
    const deadline = Date.now() + wholeLimitMs;
    for (;;) {
      const running = [...processes.values()].map(({ pid }) => pid);
      const missing = [...wanted].filter(([service, count]) => nodesOf(watcher, service, running) < count);
      if (missing.length === 0) break;
      const ended = [...processes.values()].find((one) => one.hasEnded());
      if (ended !== undefined) throw new Error(`${ended.name} ended:\n${ended.said()}`);
      if (Date.now() > deadline) throw new Error(`missing: ${JSON.stringify(missing)}`);
      await sleep(100);
    }
    for (const name of gateways) await untilReady(find(name));
  };
  await untilWhole();
  const origin = origins[0] ?? '';
  const { token, key } = await credentialsOf(origin);
  const wearers: Wearer[] = [];
  for (let i = 0; i < people; i++) {
    const account = randomUUID();
    wearers.push({ account, userId: await createConnectedUser(origin, key, account) });
  }
  return {
    ...{ origins, token, key, wearers, memory, untilWhole },
    names: [...starts.keys()],
    process: find,
    complaints: () =>
      all
        .flatMap((one) =>
          one
            .said()
            .split('\n')
            .filter((line) => /ERROR|FATAL/.test(line))
            .map((line) => `${one.name} ${line}`),
        )
        .slice(-20)
        .join('\n'),
    async again(name) {
      await find(name).ended;
      const start = starts.get(name);
      if (start !== undefined) begin(name, start);
    },
  };
}

function countServices(
  groups: ClusterChoice['groups'],
  copies: ClusterChoice['copies'],
): Map<string, number> {
  const counts = new Map<string, number>();
  for (const [group, services] of Object.entries(groups))
    for (const service of services) counts.set(service, (counts.get(service) ?? 0) + (copies[group] ?? 2));
  return counts;
}

// A process that was killed is in the registry for up to 6 s more: a node is named after its process.
function nodesOf(
  { registry }: ReturnType<typeof createBroker>,
  service: string,
  running: readonly number[],
): number {
  const nodes = registry.getServiceList({ onlyAvailable: true }).filter(({ name }) => name === service);
  return nodes.filter(({ nodeID }) => running.includes(Number(/-(\d+)$/.exec(nodeID ?? '')?.[1]))).length;
}

const drainedLimitMs = 120_000;

/** Waits until every delivery is finished. @throws Error after two minutes */
export async function untilWorkedOff(database: Database): Promise<void> {
  const deadline = Date.now() + drainedLimitMs;
  for (;;) {
    const open = await database.query(
      "select state, attempts, error, run_at - now() as due from deliveries.delivery where state in ('ready', 'working')",
    );
    if (open.length === 0) return;
    if (Date.now() > deadline) throw new Error(`not worked off: ${JSON.stringify(open.slice(0, 5))}`);
    await sleep(200);
  }
}

const Page = z.object({
  data: z.array(z.object({ start_time: z.string() })),
  pagination: z.object({ next_cursor: z.string().nullable(), total_count: z.int() }),
});

/** Webhooks that are not in the data as they should be: those answered 200 once, the others once at most. */
export async function misplaced(
  { origins, key, wearers }: Cluster,
  { answered }: LoadReport,
): Promise<string[]> {
  const wrong: string[] = [];
  for (const [index, { userId }] of wearers.entries()) {
    const own = [...answered].filter(([n]) => n % wearers.length === index);
    const stored = await workoutsOf(origins[0] ?? '', key, userId);
    for (const [n, isAnswered] of own) {
      const count = stored.get(webhookStart(n) * 1000) ?? 0;
      if (count > 1 || (isAnswered && count === 0)) wrong.push(`webhook ${n}: ${count} workouts`);
    }
    const query = 'start_time=2025-01-01&end_time=2027-01-01&types=oxygen_saturation&limit=1';
    const { pagination } = await get(
      origins[0] ?? '',
      `/users/${userId}/timeseries?${query}`,
      z.object({ pagination: z.object({ total_count: z.int() }) }),
      { key },
    );
    const least = own.filter(([, isAnswered]) => isAnswered).length;
    if (pagination.total_count < least || pagination.total_count > own.length)
      wrong.push(`wearer ${index}: ${pagination.total_count} samples, not ${least} to ${own.length}`);
  }
  return wrong;
}

async function workoutsOf(origin: string, key: string, userId: string): Promise<Map<number, number>> {
  const counts = new Map<number, number>();
  for (let cursor: string | null = ''; cursor !== null; ) {
    const query: string = `start_date=2025-01-01&end_date=2027-01-01&limit=100${cursor === '' ? '' : `&cursor=${cursor}`}`;
    const page: z.infer<typeof Page> = await get(origin, `/users/${userId}/events/workouts?${query}`, Page, {
      key,
    });
    for (const { start_time } of page.data)
      counts.set(Date.parse(start_time), (counts.get(Date.parse(start_time)) ?? 0) + 1);
    cursor = page.pagination.next_cursor;
  }
  return counts;
}
