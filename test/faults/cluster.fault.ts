import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import t from 'tap';
import { migrateUp } from '../../migrations/migrate.ts';
import { databaseOf } from '../../mixins/database/database.ts';
import { serviceNames } from '../../stack/processes/services.ts';
import { ask } from '../support/api.ts';
import { misplaced, oneEach, startCluster, untilWorkedOff } from './support/cluster.ts';
import { Load, type Lost, webhookBody } from './support/load.ts';
import { slowWay, startOwnServers } from './support/servers.ts';

/**
 * What breaks at night, one thing after the other, under a steady load of reads and webhooks: two processes of each
 * service, a bus, a database. FAULT_SECONDS is how long the load is watched for each; FAULTS picks some by a pattern.
 */
t.setTimeout(0);

const seconds = Number(process.env.FAULT_SECONDS ?? 30);
const chosen = new RegExp(process.env.FAULTS ?? '.');
const settleMs = 6000;

const servers = await startOwnServers(t);
const way = await slowWay(t, servers.databaseUrl);
await migrateUp(servers.databaseUrl);
const pool = new pg.Pool({ connectionString: servers.databaseUrl, max: 4 });
pool.on('error', () => undefined);
t.teardown(() => pool.end());
const database = { ...databaseOf(pool), url: servers.databaseUrl };
const cluster = await startCluster(t, {
  ...{ database, databaseUrl: way.url, natsUrl: servers.natsUrl },
  ...{ groups: oneEach, copies: {}, people: 4 },
});
const load = new Load({ ...cluster, readers: 4, writers: 2, pauseMs: 10 });
await sleep(2000);
load.reset();

interface Fault {
  readonly title: string;
  /** Returns when the fault is over. */
  readonly happen: () => Promise<void>;
  /** Whether an answer may fail like this while it lasts. */
  readonly excuses: (lost: Lost) => boolean;
}

const isAway = ({ status }: Lost) => status === 503 || status === 504;
const isRefused = ({ kind, status, text }: Lost) =>
  kind === 'webhook' && status === 500 && text.includes('Failed to process webhook');
const isCut = ({ kind, status }: Lost) => kind === 'webhook' && status === 0;
const nothing = () => false;

const faults: Fault[] = [
  ...serviceNames.map((service) => ({
    title: `kill -9 of one ${service}`,
    happen: async () => {
      cluster.process(`${service}.1`).signal('SIGKILL');
      await cluster.again(`${service}.1`);
      await cluster.untilWhole();
    },
    // Its sender has no answer, so it sends the webhook again.
    excuses: service === 'api-gateway' ? isCut : nothing,
  })),
  ...['api-gateway', 'auth', 'timeseries', 'devicemaker-ingest'].map((service) => ({
    title: `one ${service} paused for 10 s`,
    happen: async () => {
      cluster.process(`${service}.2`).signal('SIGSTOP');
      await sleep(10_000);
      cluster.process(`${service}.2`).signal('SIGCONT');
      await cluster.untilWhole();
    },
    excuses: service === 'api-gateway' ? isAway : nothing,
  })),
  {
    title: 'NATS away for 5 s',
    happen: async () => {
      await servers.stopNats();
      await sleep(5000);
      await servers.startNats();
      await cluster.untilWhole();
    },
    excuses: isAway,
  },
  {
    title: 'a restart of PostgreSQL',
    happen: () => servers.restartPostgres(),
    excuses: (lost) => isAway(lost) || isRefused(lost),
  },
  {
    title: 'a database 50 ms away',
    happen: async () => {
      way.delayMs = 50;
      await sleep(10_000);
      way.delayMs = 0;
    },
    excuses: isAway,
  },
  {
    title: 'a database that hangs for 8 s',
    happen: hang,
    excuses: isAway,
  },
  { title: 'a full disk for the inbox', happen: fullDisk, excuses: isRefused },
];

// Locking two tables, we may be the one that a deadlock with a store in work ends: nothing hung yet.
async function hang(): Promise<void> {
  const once = () =>
    database.transaction(async (transaction) => {
      await transaction.query('lock table timeseries.series, timeseries.workout in access exclusive mode');
      await sleep(8000);
    });
  for (let tries = 1; ; tries++)
    try {
      return await once();
    } catch (error) {
      if (Reflect.get(Object(error), 'code') !== '40P01' || tries === 10) throw error;
    }
}

async function fullDisk(): Promise<void> {
  const admin = new pg.Client({ connectionString: servers.superUrl });
  await admin.connect();
  // What the load has brought so far has to fit.
  const size = "select ceil(pg_table_size('deliveries.delivery') / 1048576.0)::int as mebibytes";
  const mebibytes: number = (await admin.query(size)).rows[0].mebibytes + 64;
  const disk = await servers.smallDisk(mebibytes);
  if (disk === null) {
    await admin.end();
    return t.comment('nobody may mount a file system here: the full disk is not tried');
  }
  await admin.query(`create tablespace small location '${disk.folder}'`);
  await admin.query('alter table deliveries.delivery set tablespace small');
  const filler = `insert into deliveries.delivery (provider, kind, state, headers, body)
    select 'filler', 'push', 'dead', '{}', sha256(random()::text::bytea) from generate_series(1, $1)`;
  const fill = async (rows: number) => {
    for (;;) await admin.query(filler, [rows]);
  };
  // To the last gap: a batch that fails leaves room for smaller ones.
  for (const rows of [20_000, 500, 20, 1])
    await fill(rows).catch((error: unknown) =>
      t.equal(Reflect.get(Object(error), 'code'), '53100', 'the disk is full'),
    );
  const body = webhookBody(0, 'nobody');
  const headers = { 'devicemaker-client-id': 'faults' };
  const push = () => ask(cluster.origins[0] ?? '', '/api/v1/webhooks/devicemaker/push', { body, headers });
  let refused = await push();
  // Deleted rows of the load free space for single rows.
  for (let tries = 0; refused.status === 200 && tries < 200; tries++) refused = await push();
  t.same(
    [refused.status, refused.body],
    [500, { detail: 'Failed to process webhook', code: 'WEBHOOK_FAILED' }],
  );
  await sleep((seconds * 1000) / 3);
  await disk.grow(mebibytes + 512);
  await admin.query("delete from deliveries.delivery where provider = 'filler'");
  await admin.query('alter table deliveries.delivery set tablespace pg_default');
  await admin.query('drop tablespace small');
  await admin.end();
}

for (const { title, happen, excuses } of faults.filter((one) => chosen.test(one.title)))
  await t.test(`${title} loses no request that could be answered`, async (t) => {
    load.reset();
    await sleep((seconds * 1000) / 4);
    const from = Date.now();
    await happen();
    const until = Date.now() + settleMs;
    await sleep(Math.max(settleMs, (seconds * 3000) / 4 - (Date.now() - from)));
    await cluster.untilWhole();
    const { lost, reads, webhooks, again, worst_ms, p99_ms } = load.reset();
    const kinds = [...new Set(lost.map(({ kind, status }) => `${kind} ${status}`))];
    const counts = Object.fromEntries(
      kinds.map((name) => [name, lost.filter(({ kind, status }) => `${kind} ${status}` === name).length]),
    );
    t.comment(
      JSON.stringify({
        fault: title,
        reads,
        webhooks,
        stored: webhooks - lost.filter(({ kind }) => kind === 'webhook').length,
        lost: counts,
        again,
        worst_ms,
        p99_ms,
        fault_ms: until - settleMs - from,
      }),
    );
    t.ok(reads > seconds && webhooks > seconds / 2, 'the load went on');
    const unexcused = lost.filter((one) => !excuses(one) || one.atMs < from || one.atMs > until);
    t.same(unexcused.slice(0, 10), [], 'nothing failed that could be answered');
    if (unexcused.length > 0) t.comment(cluster.complaints());
  });

await t.test('every webhook that was answered 200 is stored once', async (t) => {
  const report = await load.stop();
  await untilWorkedOff(database);
  const answered = [...report.answered.values()].filter((one) => one).length;
  t.comment(JSON.stringify({ webhooks: report.answered.size, answered }));
  t.ok(answered > 0);
  t.same(await misplaced(cluster, report), []);
});
