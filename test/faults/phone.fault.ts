import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { type AppAccess, foregroundChunk, upload } from '../../sandbox/phone/app.ts';
import { serviceNames } from '../../stack/processes/services.ts';
import { freshDatabase, natsUrl } from '../support/servers/database.ts';
import { type Cluster, startCluster } from './support/cluster.ts';

/**
 * Apps upload in chunks of 2,000 by the rules of the SDKs while a process is killed every five seconds: gateways, ingest,
 * store. Answers are lost and chunks repeated. PHONE_ITEMS says how many items, default 1,000,000; PHONE_KILL_SECONDS how
 * often.
 */
t.setTimeout(0);

const items = Number(process.env.PHONE_ITEMS ?? 1_000_000);
const everyMs = 1000 * Number(process.env.PHONE_KILL_SECONDS ?? 5);
const apps = 8;
const alone = ['api-gateway', 'phone-ingest', 'timeseries'];
const groups = {
  gateway: ['api-gateway'],
  ingest: ['phone-ingest'],
  store: ['timeseries'],
  rest: serviceNames.filter((name) => !alone.includes(name)),
};
const victims = ['ingest.1', 'gateway.1', 'store.1', 'ingest.2', 'gateway.2', 'store.2'];
const startMs = Date.UTC(2026, 0, 1);

/** Half of the items are samples, half intervals: a summed value each minute. */
function recordsOf(app: number, count: number): object[] {
  return Array.from({ length: count }, (_, index) => {
    const isStep = index % 2 === 1;
    const at = startMs + Math.floor(index / 2) * 60_000;
    const iso = (ms: number) => new Date(ms).toISOString();
    return {
      ...{ id: `${app}:${index}`, type: isStep ? 'STEP_COUNT' : 'HEART_RATE', startDate: iso(at) },
      ...{ endDate: iso(isStep ? at + 60_000 : at), zoneOffset: '+01:00', value: 60 + (index % 50) },
      ...{ unit: isStep ? 'count' : 'bpm', source: { deviceName: 'Pixel Watch', deviceType: 'watch' } },
    };
  });
}

t.test(
  `${items} items in chunks of ${foregroundChunk}, with kills: none is lost, none is stored twice`,
  async (t) => {
    const database = await freshDatabase(t);
    const cluster = await startCluster(t, {
      database,
      natsUrl: natsUrl(),
      groups,
      copies: { rest: 1 },
      people: apps,
    });
    const each = Math.ceil(items / apps);
    const over = new AbortController();
    const kills = killInTurn(cluster, over.signal);
    const began = performance.now();
    const reports = await Promise.all(
      cluster.wearers.map(({ userId }, app) =>
        upload(
          accessOf(cluster, userId),
          'google',
          { records: recordsOf(app, each) },
          {
            faults: { lostAnswers: 0.05, repeated: 0.05, unordered: true },
          },
        ),
      ),
    );
    const seconds = (performance.now() - began) / 1000;
    over.abort();
    const killed = await kills;
    await cluster.untilWhole();
    await untilWorked(database);
    const stored = await database.query<{ samples: number; intervals: number }>(
      `select (select count(*)::int from timeseries.sample) as samples,
       (select count(*)::int from timeseries.interval_value) as intervals`,
    );
    const sum = (name: 'sent' | 'again' | 'skipped' | 'setAside') =>
      reports.reduce((so, one) => so + one[name], 0);
    const chunks = { sent: sum('sent'), again: sum('again') };
    t.comment(
      JSON.stringify({ items: each * apps, killed, seconds: Math.round(seconds), ...chunks, ...stored[0] }),
    );
    t.equal(sum('skipped'), 0, 'no chunk is skipped');
    t.equal(sum('setAside'), 0, 'no item is set aside');
    t.same(stored, [{ samples: apps * Math.ceil(each / 2), intervals: apps * Math.floor(each / 2) }]);
  },
);

function accessOf({ origins, key }: Cluster, userId: string): AppAccess {
  const headers = () => ({ 'x-open-wearables-api-key': key });
  return { origins, userId, headers, random: Math.random, fetch, signal: AbortSignal.timeout(3_600_000) };
}

async function killInTurn(cluster: Cluster, over: AbortSignal): Promise<number> {
  for (let killed = 0; ; killed += 1) {
    await sleep(everyMs, undefined, { signal: over }).catch(() => undefined);
    if (over.aborted) return killed;
    const name = victims[killed % victims.length] ?? '';
    const victim = cluster.process(name);
    victim.signal('SIGKILL');
    await victim.ended;
    await cluster.again(name);
  }
}

async function untilWorked(database: Awaited<ReturnType<typeof freshDatabase>>): Promise<void> {
  const open = "select count(*)::int as n from deliveries.delivery where state in ('ready', 'working')";
  for (;;) {
    const [row] = await database.query<{ n: number }>(open);
    if (row?.n === 0) break;
    await sleep(500);
  }
  const [dead] = await database.query<{ n: number }>(
    "select count(*)::int as n from deliveries.delivery where state = 'dead'",
  );
  if (dead?.n !== 0) throw new Error(`${dead?.n} deliveries were given up`);
}
