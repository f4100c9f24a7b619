import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { freePort } from '../../stack/machine/ports.ts';
import { ask } from '../support/api.ts';
import { freshDatabase } from '../support/servers/database.ts';
import { createApiData, makeDeveloper } from './support/api-data.ts';
import { fuzz } from './support/fuzz.ts';
import { readProcessUsage } from './support/process-usage.ts';
import { startProcess, untilReady } from './support/product-processes.ts';

t.setTimeout(0);
const count = Number(process.env.FAULT_REQUESTS ?? 100_000);
const seed = Number(process.env.FAULT_SEED ?? Date.now() % 1_000_000);
/** Code is compiled, pools are full and caches are warm after so many. */
const warmUp = Math.min(10_000, Math.ceil(count / 5));
const pauseMs = 15_000;
/** What is still reached after the last request, against what was after the warm-up. */
const mostLive = 1.15;
/** What the process holds of the system, garbage collected; freed pages come back late. */
const mostResident = 1.5;

t.test(`${count} mutated requests over all routes cause no internal error (seed ${seed})`, async (t) => {
  const database = await freshDatabase(t);
  await makeDeveloper(database);
  const settings = { DATABASE_URL: database.url };
  const inspector = await freePort();
  const options = [`--inspect=127.0.0.1:${inspector}`];
  const served = startProcess(t, { name: 'all', services: [], port: await freePort(), settings, options });
  await untilReady(served);
  const world = await createApiData(served.origin);
  const first = await fuzz(world, { count: warmUp, seed, parallel: 8 });
  await sleep(pauseMs);
  const before = await readProcessUsage(inspector);
  const rest = await fuzz(world, { count: count - first.sent, seed: seed + 1, parallel: 8 });
  t.notOk(served.hasEnded(), 'the process runs');
  await sleep(pauseMs);
  const after = await readProcessUsage(inspector);
  const failed = await database.query(
    `select provider, kind, error, count(*)::int from deliveries.delivery where error is not null group by 1, 2, 3`,
  );
  t.comment(JSON.stringify({ seed, statuses: [first.statuses, rest.statuses], before, after, failed }));
  for (const { route, why, request } of [...first.wrong, ...rest.wrong])
    t.fail(`${route}: ${why}`, { request });
  t.equal(first.wrongCount + rest.wrongCount, 0);
  const asked = await ask(served.origin, `/api/v1/users/${world.known.get('user_id')?.[0]}`, {
    headers: world.credentials[0] ?? {},
  });
  t.equal(asked.status, 200, 'whom the requests were about is still there, and so is who asked');
  t.same(
    failed.filter(({ error }) => error === 'INTERNAL'),
    [],
    'no delivery failed for a reason that nobody foresaw',
  );
  t.ok(after.live_mb <= before.live_mb * mostLive, `live: ${before.live_mb} MB, then ${after.live_mb} MB`);
  t.ok(
    after.rss_mb <= before.rss_mb * mostResident,
    `resident: ${before.rss_mb} MB, then ${after.rss_mb} MB`,
  );
  if (first.wrongCount + rest.wrongCount > 0) t.comment(served.said());
});
