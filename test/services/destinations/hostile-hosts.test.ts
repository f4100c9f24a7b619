import { randomUUID } from 'node:crypto';
import t from 'tap';
import { targetErrors } from '../../../domain/destinations/target-errors.ts';
import { startHostileHosts } from '../../support/servers/hostile-hosts.ts';
import { startS3Store } from '../../support/servers/s3-store.ts';
import { until } from '../../support/until.ts';
import { rowsInDatabase, rowsInStore } from './manifest-rows.ts';
import { heart, old, storeAll } from './scenario.ts';
import { startDestinations } from './setting.ts';

const megabyte = 1024 * 1024;
/** A thread takes 15 MB, and what it may receive. */
const threadBytes = 40 * megabyte;
const hosts = await startHostileHosts((end) => t.teardown(end));
const store = await startS3Store();
t.teardown(store.stop);
// Only the slow hosts take longer for a step than it may, also where this process gets little computing time.
const pace = {
  ...{ parallel: 16, parallelOfProject: 6, unknownObjects: 1000, retryMs: [20_000] },
  ...{ connectMs: 3000, totalMs: 6000, stepMs: 6000, callMs: 1000 },
};
const s = await startDestinations(
  t,
  { DESTINATION_HOSTS: [store.host, ...hosts.map(({ host }) => host)].join() },
  { pace },
);
const user = await storeAll(s);
// Each project has at most ten destinations.
const projects = Map.groupBy(hosts, ({ kind, name }) => `${kind}-${name.length % 2}`);
const metaOf = (project_id: string) => ({
  timeout: 60_000,
  meta: { caller: { kind: 'api-key', id: randomUUID(), scopes: null, project_id } as const },
});

t.test(
  'a host that does harm fails with its reason, and nothing but its destination is concerned',
  async (t) => {
    const before = process.memoryUsage().rss;
    let most = before;
    const watch = setInterval(() => {
      most = Math.max(most, process.memoryUsage().rss);
    }, 20);
    t.teardown(() => clearInterval(watch));
    const attacked = [];
    for (const [project, attacks] of projects)
      for (const host of attacks) {
        const { kind, settings } = host;
        const meta = metaOf(project);
        const { id: destination_id } = await s.call('destinations.create', { kind, settings }, meta);
        const look = () => s.call('destinations.get', { destination_id }, meta);
        attacked.push({ ...host, id: destination_id, look, meta });
      }
    const { id } = await s.call('destinations.create', {
      ...{ kind: 's3', settings: { ...store.settings, interval_seconds: 1 } },
    });
    for (const { kind, name, code, look } of attacked) {
      let seen: string | undefined;
      await until(
        async () => {
          seen = (await look()).last_error?.code;
          return seen === code;
        },
        () => `${kind} ${name}: ${code}, but ${seen}`,
      );
      t.match(
        await look(),
        { state: 'failing', last_error: { message: targetErrors[code] } },
        `${kind} ${name}`,
      );
    }
    await s.store(user, [heart(old, 10, 99)]);
    await s.written(id);
    t.same(
      await rowsInStore(store),
      await rowsInDatabase(s.database),
      'another project is written meanwhile',
    );
    t.equal((await s.get(id)).last_error, null);
    t.ok(most - before < pace.parallel * threadBytes, `${most - before} bytes`);
    const greedy = hosts
      .filter((host) => host.taken() > 16 * megabyte)
      .map(({ kind, name }) => `${kind} ${name}`);
    t.same(greedy, [], 'no host gets rid of more than buffers hold');

    for (const { id: destination_id, meta } of attacked)
      await s.call('destinations.pause', { destination_id }, meta);
    await until(
      () => hosts.every((host) => host.open() === 0),
      () =>
        JSON.stringify(hosts.filter((host) => host.open() > 0).map(({ kind, name }) => `${kind} ${name}`)),
    );
    const [kept] = await s.database.query<{ n: number }>(
      'select count(*)::int as n from destinations.object where destination_id = any($1)',
      [attacked.map(({ id }) => id)],
    );
    t.equal(kept?.n, 0, 'names of objects that were not adopted are not kept');
  },
);
