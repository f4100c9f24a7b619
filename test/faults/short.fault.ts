import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { freePort } from '../../stack/machine/ports.ts';
import { serviceNames } from '../../stack/processes/services.ts';
import { freshDatabase, natsUrl } from '../support/servers/database.ts';
import { createApiData, makeDeveloper } from './support/api-data.ts';
import { misplaced, startCluster, untilWorkedOff } from './support/cluster.ts';
import { fuzz } from './support/fuzz.ts';
import { keepAlive, send } from './support/http.ts';
import { Load } from './support/load.ts';
import { startProcess, untilReady } from './support/product-processes.ts';

/** A short set of the other files; both parts wait most of the time, so they wait together. */
t.setTimeout(110_000); // a machine that runs other things beside
t.jobs = 2;

const behind = serviceNames.filter((name) => name !== 'api-gateway');
const groups = { gateway: ['api-gateway'], rest: behind };

t.test(
  'mutated requests end in no failure, and a stop ends what holds on to it',
  { buffered: true },
  async (t) => {
    const database = await freshDatabase(t);
    await makeDeveloper(database);
    const settings = { DATABASE_URL: database.url };
    const served = startProcess(t, { name: 'all', services: [], port: await freePort(), settings });
    await untilReady(served);
    const world = await createApiData(served.origin);
    const seed = Date.now() % 1_000_000;
    const { wrong, sent } = await fuzz(world, { count: 3000, seed, parallel: 8, withinMs: 6000 });
    t.ok(sent > 100, `${sent} requests`);
    for (const { route, why, request } of wrong) t.fail(`seed ${seed}, ${route}: ${why}`, { request });
    const strange = "select kind, error from deliveries.delivery where error = 'INTERNAL'";
    t.same(
      await database.query(strange),
      [],
      `no delivery failed for a reason that nobody foresaw (seed ${seed})`,
    );

    const agent = keepAlive(1);
    const health = { origin: served.origin, method: 'GET', path: '/api/v1/health' };
    t.equal((await send(agent, health)).status, 200);
    const upload = connect(Number(new URL(served.origin).port), '127.0.0.1');
    upload.on('error', () => undefined); // cut off, as it should be
    upload.write(
      'POST /api/v1/webhooks/devicemaker/push HTTP/1.1\r\nHost: x\r\ndevicemaker-client-id: faults\r\nContent-Length: 1000\r\n\r\n{',
    );
    await sleep(100);
    const began = Date.now();
    served.signal('SIGTERM');
    await sleep(300);
    const ready = await send(agent, { ...health, path: '/api/v1/ready' });
    t.equal(ready.status, 503, 'says that it goes while it still answers');
    t.equal(ready.headers.connection, 'close');
    t.equal(await served.ended, 0);
    t.ok(Date.now() - began < 10_000, 'within 10 s, with an upload that never ends');
    agent.destroy();
  },
);

t.test(
  'under load, processes are killed, stopped and replaced: nothing is lost',
  { buffered: true },
  async (t) => {
    const database = await freshDatabase(t);
    const choice = { database, natsUrl: natsUrl(), groups, copies: {}, people: 3 };
    const cluster = await startCluster(t, choice);
    const load = new Load({ ...cluster, readers: 3, writers: 2, pauseMs: 5 });
    await sleep(1000);
    // Killed first: what it had in work is held for 30 s, most of which the restarts take.
    cluster.process('rest.2').signal('SIGKILL');
    await cluster.again('rest.2');
    await cluster.untilWhole();

    const stop = async (name: string) => {
      cluster.process(name).signal('SIGTERM');
      t.equal(await cluster.process(name).ended, 0, name);
    };
    await stop('gateway.1');
    await cluster.again('gateway.1');
    await cluster.untilWhole();
    // The one that joined after the kill is alone now.
    await stop('rest.1');
    await sleep(1000);
    const report = await load.stop();
    const { lost, again, reads, webhooks } = report;
    if (lost.length > 0) t.comment(cluster.complaints());
    t.same(lost, [], 'the others answer for who was killed, and for who was told to stop');
    t.comment(`${again} reads were asked again because a connection closed under them`);
    t.ok(reads > 50 && webhooks > 20, `${reads} reads, ${webhooks} webhooks`);
    // Whoever lives extends a lease of 30 s every 10 s: what nobody did for 15 s need not run out the rest.
    const held = "state = 'working' and run_at < now() + interval '15 seconds'";
    await database.query(`update deliveries.delivery set run_at = now() where ${held}`);
    await untilWorkedOff(database);
    t.same(await misplaced(cluster, report), [], 'every webhook that was answered 200 is stored once');
  },
);
