// A partition between two groups of services: those that answer callers, and those that keep data.
import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { startBusCluster } from './support/bus-cluster.ts';
import { misplaced, untilWorkedOff } from './support/cluster.ts';
import { Load } from './support/load.ts';
import { type PartitionWay, partitionWay } from './support/partition-way.ts';

const seconds = Number(process.env.FAULT_SECONDS ?? 20);
const partitions = 3;
const cutMs = (seconds * 1000) / partitions;
const recoveryMs = 5000;
/** The time-out of a read is 5 s, and it is tried three times; the answer takes some more. */
const answerMs = 20_000;
t.setTimeout(0);

t.test('a partition ends in 503, and everything goes on within 5 s after it', async (t) => {
  let way: PartitionWay | undefined;
  const behind = ['timeseries', 'devicemaker-ingest'];
  const { database, cluster } = await startBusCluster(t, {
    servers: 1,
    copies: { front: 1, core: 1, ingest: 1, store: 1 },
    urlOf(services, url) {
      if (!behind.some((service) => services.includes(service))) return url;
      const through = new URL(url);
      through.port = String(way?.port ?? 0);
      return through.href;
    },
    beforeStart: async (natsUrl) => {
      way = await partitionWay(t, Number(new URL(natsUrl).port));
    },
  });
  const load = new Load({ ...cluster, readers: 4, writers: 2, pauseMs: 20 });
  await sleep(3000);
  const before = load.reset();
  t.same(before.lost, [], 'nothing fails before');
  const rounds: { readonly cut: object; readonly healed: object }[] = [];
  for (let round = 0; round < partitions; round++) {
    way?.cut();
    await sleep(cutMs);
    way?.heal();
    await sleep(recoveryMs);
    const cut = load.reset();
    const others = cut.lost.filter(({ kind, status }) => kind === 'read' && status !== 503);
    t.same(others.slice(0, 5), [], 'reads of the other side are answered 503');
    t.ok(
      cut.lost.some(({ kind, status }) => kind === 'read' && status === 503),
      'the partition was noticed',
    );
    t.ok(cut.worst_ms < answerMs, `the slowest answer took ${cut.worst_ms} ms`);
    await sleep(recoveryMs);
    const healed = load.reset();
    t.same(healed.lost.slice(0, 5), [], 'nothing fails from 5 s after the end');
    t.ok(healed.reads > 0);
    rounds.push({
      cut: { reads: cut.reads, webhooks: cut.webhooks, refused: cut.lost.length, worst_ms: cut.worst_ms },
      healed: { reads: healed.reads, worst_ms: healed.worst_ms },
    });
  }
  const report = await load.stop();
  t.comment(JSON.stringify({ cutMs, rounds }));
  await untilWorkedOff(database);
  t.same(await misplaced(cluster, report), [], 'every webhook that was answered is in the data once');
});
