import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { limitsOf, scopeOf } from '../../../services/pull-ingest/rules/pulled.ts';
import { pauseScope, reserveRequest } from '../../../services/pull-ingest/tables/rates.ts';
import { testConfig } from '../../support/servers/broker.ts';
import { freshDatabase } from '../../support/servers/database.ts';

const database = await freshDatabase(t);

t.test('permits a burst, then one request each interval, exactly over parallel callers', async (t) => {
  const limit = { scope: 'burst', intervalMs: 3_600_000, burst: 20 };
  const waits = await Promise.all(Array.from({ length: 100 }, () => reserveRequest(database, [limit])));
  t.equal(waits.filter((wait) => wait === 0).length, 20);
  t.ok(waits.filter((wait) => wait > 0).every((wait) => wait > 3_000_000 && wait <= 3_600_000));
});

t.test('reserves in all limits or in none', async (t) => {
  const wide = { scope: 'wide', intervalMs: 3_600_000, burst: 10 };
  const narrow = { scope: 'narrow', intervalMs: 3_600_000, burst: 3 };
  for (let count = 0; count < 8; count++) await reserveRequest(database, [wide, narrow]);
  let left = 0;
  while ((await reserveRequest(database, [wide])) === 0) left += 1;
  t.equal(left, 7, 'the requests that the narrow limit refused are not counted in the wide one');
});

t.test('in any window there are fewer requests than the limit', async (t) => {
  // A limit of 60 requests in 600 ms, as limitsOf divides it.
  const limit = { scope: 'any window', burst: 10, intervalMs: 600 / 45 };
  const times: number[] = [];
  while (times.length < 150) {
    const wait = await reserveRequest(database, [limit]);
    if (wait === 0) {
      const [row] = await database.query<{ ms: number }>(
        'select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms',
      );
      times.push(row?.ms ?? 0);
    } else await sleep(wait);
  }
  const reserved = await database.query<{ ms: number }>(
    "select (extract(epoch from busy_until) * 1000)::float8 as ms from pull.rate where scope = 'any window'",
  );
  const [first = 0] = times;
  t.ok((reserved[0]?.ms ?? 0) - first >= (150 - 10) * limit.intervalMs - 600, 'the rate is kept on average');
});

t.test('two windows of one application are counted each', async (t) => {
  const settings = { WHOOP_REQUESTS_PER_MINUTE: '1000', WHOOP_REQUESTS_PER_DAY: '60' };
  const config = testConfig({ databaseUrl: 'postgres://127.0.0.1/none', settings });
  const limits = limitsOf(config, { provider: 'whoop', connection_id: 'any' });
  t.equal(new Set(limits.map(({ scope }) => scope)).size, 2);
  const waits = [];
  for (let count = 0; count < 30; count++) waits.push(await reserveRequest(database, limits));
  t.equal(waits.filter((wait) => wait === 0).length, 10, 'the day permits a sixth at once');
  await pauseScope(
    database,
    scopeOf(config, { provider: 'whoop', connection_id: 'any' }, 'application'),
    86_400_000,
  );
  t.ok((await reserveRequest(database, limits)) > 86_000_000, 'a pause holds for both');
});

t.test('a pause of a scope holds for all callers', async (t) => {
  const limit = { scope: 'paused', intervalMs: 1, burst: 1000 };
  await pauseScope(database, 'paused', 60_000);
  const wait = await reserveRequest(database, [limit]);
  t.ok(wait > 50_000 && wait <= 60_000);
  t.equal(await reserveRequest(database, [{ ...limit, scope: 'another' }]), 0);
});
