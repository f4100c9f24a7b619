import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import t from 'tap';
import { migrateUp } from '../../migrations/migrate.ts';
import { databaseOf } from '../../mixins/database/database.ts';
import { connectionChoice } from '../../runtime/database/database-client.ts';
import { promote } from '../../stack/servers/promotion.ts';
import { misplaced, oneEach, startCluster, untilWorkedOff } from './support/cluster.ts';
import { Load } from './support/load.ts';
import { readBack } from './support/read-back.ts';
import { startReplicatedServers } from './support/replicated-servers.ts';

/**
 * A primary and a standby under a steady load of reads and webhooks, one process of each service. FAULT_SECONDS is how long the load is
 * watched for each fault. Beside the load, one workout after the other is pushed, and read as soon as the push was answered.
 */
t.setTimeout(0);

const seconds = Number(process.env.FAULT_SECONDS ?? 30);
const servers = await startReplicatedServers(t);
await migrateUp(servers.databaseUrl);
const pool = new pg.Pool({ ...connectionChoice(servers.databaseUrl), max: 4 });
pool.on('error', () => undefined);
t.teardown(() => pool.end());
const database = { ...databaseOf(pool), url: servers.databaseUrl };
const cluster = await startCluster(t, {
  ...{ database, natsUrl: servers.natsUrl },
  ...{
    groups: oneEach,
    copies: Object.fromEntries(Object.keys(oneEach).map((name) => [name, 1])),
    people: 4,
  },
  settings: { DATABASE_READ_URL: servers.readUrl },
});
const load = new Load({ ...cluster, readers: 4, writers: 2, pauseMs: 10 });
await sleep(2000);

const isAway = (status: number) => status === 503 || status === 504;

async function watched(title: string, fault: () => Promise<void>, end: () => Promise<void>) {
  load.reset();
  const compared = await readBack(cluster);
  const first = await servers.standbyTransactions();
  await sleep((seconds * 1000) / 4);
  const onReplica = (await servers.standbyTransactions()) - first;
  const from = Date.now();
  await fault();
  await sleep((seconds * 1000) / 2);
  await end();
  const until = Date.now();
  await sleep((seconds * 1000) / 4);
  const back = await compared.stop();
  const { lost, reads, webhooks, worst_ms, p99_ms } = load.reset();
  const counts = Object.groupBy(lost, ({ kind, status }) => `${kind} ${status}`);
  t.comment(
    JSON.stringify({
      ...{
        fault: title,
        reads,
        webhooks,
        worst_ms,
        p99_ms,
        fault_ms: until - from,
        replica_before: onReplica,
      },
      ...{ compared: back.compared, stale: back.stale.length, not_answered: back.failed },
      lost: Object.fromEntries(
        Object.entries(counts).map(([name, all = []]) => [
          name,
          { n: all.length, first_ms: (all[0]?.atMs ?? 0) - from, last_ms: (all.at(-1)?.atMs ?? 0) - from },
        ]),
      ),
    }),
  );
  return { lost, reads, webhooks, onReplica, from, ...back };
}

for (const [title, fault, end] of [
  ['the replica is 30 s behind', () => servers.delayReplay(30), () => servers.delayReplay(0)],
  ['the replica stands still', () => servers.pauseStandby(), () => servers.resumeStandby()],
  ['the replica is stopped', () => servers.stopStandby(), () => servers.startStandby()],
] as const)
  await t.test(`${title}: reads go to the primary, and none is stale`, async (t) => {
    const seen = await watched(title, fault, end);
    t.ok(seen.reads > seconds && seen.webhooks > seconds / 2, 'the load went on');
    t.ok(seen.compared > seconds / 4);
    t.strictSame(seen.stale, []);
    t.ok(seen.onReplica > seconds, 'the replica was read before');
    t.strictSame(seen.lost.filter(({ status }) => !isAway(status)).slice(0, 5), []);
  });

await t.test(
  'kill -9 of the primary: writes go on after the promotion, and nothing answered is lost',
  async (t) => {
    await servers.untilSynchronous();
    let promotedAt = 0;
    const seen = await watched(
      'kill -9 of the primary',
      async () => {
        await servers.killPrimary();
        await sleep(3000);
        await promote(servers.dataDir);
        promotedAt = Date.now();
      },
      async () => undefined,
    );
    const lostWrites = seen.lost.filter(({ kind, atMs }) => kind === 'webhook' && atMs > promotedAt);
    const wait = Math.max(0, ...lostWrites.map(({ atMs }) => atMs - promotedAt));
    t.comment(
      JSON.stringify({ last_refused_write_ms_after_promotion: wait, promotion_ms: promotedAt - seen.from }),
    );
    t.ok(wait < 10_000, 'writes go on within 10 s of the promotion');
    t.strictSame(seen.stale, []);
    const report = await load.stop();
    await untilWorkedOff(database);
    const answered = [...report.answered.values()].filter((one) => one).length;
    t.comment(JSON.stringify({ webhooks: report.answered.size, answered }));
    t.ok(answered > seconds);
    t.strictSame(await misplaced(cluster, report), []);
    if (process.env.FAULT_LOGS === '1') t.comment(cluster.complaints());
  },
);
