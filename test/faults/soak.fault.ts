import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import t from 'tap';
import { z } from 'zod';
import { migrateUp } from '../../migrations/migrate.ts';
import { databaseOf } from '../../mixins/database/database.ts';
import { freePort } from '../../stack/machine/ports.ts';
import { daily } from '../fixtures/devicemaker/dailies.ts';
import { createConnectedUser, credentialsOf, makeDeveloper } from './support/api-data.ts';
import type { Wearer } from './support/load.ts';
import { Mixed } from './support/mixed-load.ts';
import { type ProcessUsage, readProcessUsage } from './support/process-usage.ts';
import { startProcess, untilReady } from './support/product-processes.ts';
import { startOwnServers } from './support/servers.ts';

/**
 * Mixed load at full rate, everything in one process as `npm start` runs it: rows of the database grow on purpose,
 * what the process holds must not. The median of the last quarter is judged by that of the second: the first is warm-up.
 */
t.setTimeout(0);
const minutes = Number(process.env.FAULT_MINUTES ?? 20);
const lookEveryMs = 10_000;
const people = 6;
/** What is left once garbage was collected may wander so far; what is resident before that follows how busy we are. */
const mostMemory = 1.1;
const mostBeforeCollection = 1.5;
/** Counts may wander by so many: connections open and close all the time. */
const mostMore = 3;

/** One look, each figure by its name. */
type Look = Readonly<Record<string, number>>;

const servers = await startOwnServers(t);
const natsFigures = await servers.watchNats();
await migrateUp(servers.databaseUrl);
const pool = new pg.Pool({ connectionString: servers.databaseUrl, max: 2 });
t.teardown(() => pool.end());
await makeDeveloper(databaseOf(pool));

const provider = createServer((req, res) => {
  const account = new URL(req.url ?? '', 'http://x').searchParams.get('token') ?? '';
  res.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify([daily(account, 12)]));
}).listen(0, '127.0.0.1');
await once(provider, 'listening');
t.teardown(() => {
  provider.closeAllConnections();
  provider.close();
});
const callbacks = `http://127.0.0.1:${Reflect.get(Object(provider.address()), 'port')}/wellness-api/rest`;

const inspector = await freePort();
const served = startProcess(t, {
  ...{ name: 'all', services: [], port: await freePort() },
  settings: {
    ...{ DATABASE_URL: servers.databaseUrl, NATS_URL: servers.natsUrl, DEVICEMAKER_API_URL: callbacks },
    METRICS_PORT: String(await freePort()),
  },
  options: ['--max-semi-space-size=16', `--inspect=127.0.0.1:${inspector}`],
});
await untilReady(served);
const { origin } = served;
const { key, token } = await credentialsOf(origin);
const wearers: Wearer[] = [];
for (let i = 0; i < people; i++) {
  const account = randomUUID();
  wearers.push({ account, userId: await createConnectedUser(origin, key, account) });
}

async function look(): Promise<Look> {
  const resident = served.memoryMb();
  const inside: ProcessUsage = await readProcessUsage(inspector);
  const [row] = await databaseOf(pool).query<{ count: number }>(
    'select count(*)::int from pg_stat_activity where datname = current_database()',
  );
  const bus = z
    .object({ subscriptions: z.int(), connections: z.int() })
    .parse(await (await fetch(`${natsFigures}/varz`)).json());
  return {
    ...{ resident_mb: resident, rss_after_gc_mb: inside.rss_mb, live_mb: inside.live_mb },
    handles: Object.values(inside.handles).reduce((sum, count) => sum + count, 0),
    ...inside.handles,
    open_files: readdirSync(`/proc/${served.pid}/fd`).length,
    database_connections: row?.count ?? 0,
    ...{ bus_subscriptions: bus.subscriptions, bus_connections: bus.connections },
  };
}

function median(looks: readonly Look[], name: string): number {
  const sorted = looks.map((one) => one[name] ?? 0).toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

await t.test(`${minutes} minutes of mixed load leave memory, handles and connections flat`, async (t) => {
  const mixed = new Mixed({ origin, key, token, wearers, callbacks });
  const looks: Look[] = [];
  const began = Date.now();
  while (Date.now() - began < minutes * 60_000) {
    await sleep(lookEveryMs);
    looks.push(await look());
    if (looks.length % 6 === 0)
      t.comment(JSON.stringify({ minute: looks.length / 6, ...looks.at(-1), ...mixed.report().counts }));
  }
  const { counts, wrong } = await mixed.stop();
  const seconds = (Date.now() - began) / 1000;
  const quarter = Math.floor(looks.length / 4);
  const [second, last] = [looks.slice(quarter, quarter * 2), looks.slice(-quarter)];
  const names = [...new Set(looks.flatMap((one) => Object.keys(one)))];
  const medians = Object.fromEntries(names.map((name) => [name, [median(second, name), median(last, name)]]));
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
  t.comment(JSON.stringify({ counts, a_second: Math.round(total / seconds), medians }));
  t.same(wrong, [], 'every answer is what it should be');
  t.notOk(served.hasEnded(), 'the process runs');
  const bound = (name: string, before: number) => {
    if (name === 'resident_mb') return before * mostBeforeCollection;
    return name.endsWith('_mb') ? before * mostMemory : before + mostMore;
  };
  for (const [name, [before = 0, after = 0]] of Object.entries(medians))
    t.ok(after <= bound(name, before), `${name}: ${before}, then ${after}`);
});
