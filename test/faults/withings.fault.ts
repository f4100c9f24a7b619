import t from 'tap';
import { z } from 'zod';
import { setUp } from '../services/pull-ingest/withings-setting.ts';
import { until } from '../support/until.ts';

/** The users who connect at once. Each needs about 40 requests for the past. */
const users = Number(process.env.FAULT_USERS ?? 6);
const hourMs = 3_600_000;
const days = 10;
t.setTimeout(0);

const Requests = z.object({ requests: z.int(), most_in_a_minute: z.int() });

t.test('three processes send at most 120 requests a minute, and nothing is missing at the end', async (t) => {
  const on = await setUp(t, {
    processes: 3,
    sandbox: { limits: { requestsPerMinute: 120 } },
    settings: {
      ...{ BACKFILL_ON_CONNECT: 'true', BACKFILL_DAYS: String(days), WITHINGS_REQUESTS_PER_MINUTE: '120' },
    },
  });
  const fromMs = on.sandbox.world.clock.nowMs() - (days - 3) * 24 * hourMs;
  const people = Array.from({ length: users }, (_, index) => index + 1);
  const connected = new Map<number, string>();
  for (const who of people) connected.set(who, await on.connect([], who));
  await until(async () => {
    const runs = await on.api.database.query<{ state: string }>('select state from pull.run');
    return runs.length === users && runs.every(({ state }) => state !== 'running');
  });
  await on.settled();
  await on.sandbox.advance(4 * hourMs);
  await on.settled();
  await on.control('POST', '/faults', { kind: 'dropped', provider: 'withings', probability: 0.3 });
  await on.sandbox.advance(6 * hourMs);
  await on.control('DELETE', '/faults');
  await on.sweep();
  let different = 0;
  for (const [who, userId] of connected) {
    const { want, have } = await on.compare(userId, fromMs, who);
    different += want.filter((line) => !have.includes(line)).length;
    different += have.filter((line) => !want.includes(line)).length;
  }
  const { requests, most_in_a_minute } = Requests.parse(await on.control('GET', '/ledger/withings-requests'));
  t.comment(`${requests} requests, at most ${most_in_a_minute} in a minute, ${different} rows differ`);
  t.ok(requests > 120, 'the limit mattered');
  t.ok(most_in_a_minute <= 120, 'requests in any minute');
  t.equal(different, 0, 'rows that differ after one sweep');
});
