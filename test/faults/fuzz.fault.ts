import t from 'tap';
import { ask } from '../support/api.ts';
import { freshDatabase } from '../support/database.ts';
import { fuzz } from './fuzz.ts';
import { freePort, startProcess, untilReady } from './members.ts';
import { makeDeveloper, makeWorld } from './world.ts';

t.setTimeout(0);
const count = Number(process.env.FAULT_REQUESTS ?? 100_000);
const seed = Number(process.env.FAULT_SEED ?? Date.now() % 1_000_000);

t.test(`${count} mutated requests over all routes end in no failure of ours (seed ${seed})`, async (t) => {
  const database = await freshDatabase(t);
  await makeDeveloper(database);
  const settings = { DATABASE_URL: database.url };
  const served = startProcess(t, { name: 'all', services: [], port: await freePort(), settings });
  await untilReady(served);
  const world = await makeWorld(served.origin);
  const first = await fuzz(world, { count: Math.ceil(count / 5), seed, parallel: 8 });
  const warm_mb = served.memoryMb();
  const rest = await fuzz(world, { count: count - first.sent, seed: seed + 1, parallel: 8 });
  const end_mb = served.memoryMb();
  const failed = await database.query(
    `select provider, kind, error, count(*)::int from deliveries.delivery where error is not null group by 1, 2, 3`,
  );
  t.comment(JSON.stringify({ seed, statuses: [first.statuses, rest.statuses], warm_mb, end_mb, failed }));
  for (const { route, why, request } of [...first.wrong, ...rest.wrong])
    t.fail(`${route}: ${why}`, { request });
  t.equal(first.wrongCount + rest.wrongCount, 0);
  t.notOk(served.hasEnded(), 'the process runs');
  const asked = await ask(served.origin, `/api/v1/users/${world.known.get('user_id')?.[0]}`, {
    headers: world.credentials[0] ?? {},
  });
  t.equal(asked.status, 200, 'whom the requests were about is still there, and so is who asked');
  t.same(
    failed.filter(({ error }) => error === 'INTERNAL'),
    [],
    'no delivery failed for a reason that nobody foresaw',
  );
  t.ok(end_mb < warm_mb * 1.5 + 100, `memory: ${warm_mb} MB after a fifth, ${end_mb} MB at the end`);
  if (first.wrongCount + rest.wrongCount > 0) t.comment(served.said());
});
