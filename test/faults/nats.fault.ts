// kill -9 of one of three NATS servers, one after the other, under a steady load of reads and webhooks.
import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { startBusCluster } from './support/bus-cluster.ts';
import { misplaced, untilWorkedOff } from './support/cluster.ts';
import { Load } from './support/load.ts';

const seconds = Number(process.env.FAULT_SECONDS ?? 30);
const servers = 3;
const awayMs = 5000;
const pauseMs = 5000;
t.setTimeout(0);

t.test(`NATS servers that are killed in ${seconds} s fail no read and lose nothing`, async (t) => {
  const { database, bus, cluster } = await startBusCluster(t, {
    servers,
    copies: { front: 2, core: 2, ingest: 2, store: 2 },
  });
  const load = new Load({ ...cluster, readers: 4, writers: 2, pauseMs: 5, probeMs: 250 });
  await sleep(2000);
  const end = Date.now() + seconds * 1000;
  let kills = 0;
  for (; Date.now() < end; kills++) {
    bus.kill(kills % servers);
    await sleep(awayMs);
    bus.restart(kills % servers);
    await sleep(pauseMs);
  }
  const report = await load.stop();
  const { reads, webhooks, lost, again, worst_ms, p99_ms } = report;
  const webhooksLost = lost.filter(({ kind }) => kind === 'webhook').length;
  const readsLost = lost.length - webhooksLost;
  t.comment(JSON.stringify({ kills, reads, webhooks, readsLost, webhooksLost, again, worst_ms, p99_ms }));
  t.same(lost.filter(({ kind }) => kind === 'read').slice(0, 10), [], 'no read failed');
  if (lost.length > 0) t.comment(cluster.complaints());
  t.ok(reads > 100 && webhooks > 20 && kills > 1, 'the load ran');
  await untilWorkedOff(database);
  t.same(await misplaced(cluster, report), [], 'every webhook that was answered is in the data once');
});
