import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { freshDatabase, natsUrl } from '../support/servers/database.ts';
import { misplaced, oneEach, startCluster, untilWorkedOff } from './support/cluster.ts';
import { Load } from './support/load.ts';

const least = Number(process.env.FAULT_REQUESTS ?? 20_000);
t.setTimeout(0);

t.test(`a rolling restart of every process fails none of ${least} requests`, async (t) => {
  const database = await freshDatabase(t);
  const cluster = await startCluster(t, {
    database,
    natsUrl: natsUrl(),
    groups: oneEach,
    copies: {},
    people: 4,
  });
  const load = new Load({ ...cluster, readers: 6, writers: 2, pauseMs: 2, probeMs: 250 });
  await sleep(2000);
  const stops: number[] = [];
  for (let round = 0; round === 0 || load.sent < least; round++) {
    for (const name of cluster.names) {
      if (round > 0 && load.sent >= least) break; // everything was replaced once
      const began = Date.now();
      cluster.process(name).signal('SIGTERM');
      t.equal(await cluster.process(name).ended, 0, `${name} exits with 0`);
      stops.push(Date.now() - began);
      await cluster.again(name);
      await cluster.untilWhole();
    }
  }
  const report = await load.stop();
  const { reads, webhooks, lost, again, worst_ms, p99_ms } = report;
  t.comment(
    JSON.stringify({
      reads,
      webhooks,
      lost: lost.length,
      again,
      worst_ms,
      p99_ms,
      restarts: stops.length,
      slowest_stop_ms: Math.max(...stops),
    }),
  );
  t.same(lost.slice(0, 10), []);
  if (lost.length > 0) t.comment(cluster.complaints());
  t.equal(again, 0, 'no connection died under a request');
  t.ok(reads + webhooks >= least);
  t.ok(Math.max(...stops) < 10_000, 'every stop took less than 10 s');
  await untilWorkedOff(database);
  t.same(await misplaced(cluster, report), [], 'every webhook is in the data once');
});
