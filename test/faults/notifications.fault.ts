import t from 'tap';
import { setUp } from '../services/pull-ingest/setting.ts';
import { storm } from '../services/pull-ingest/storm.ts';

/** Notifications that name what changed, with the pace of production, over three processes. */
const notifications = Number(process.env.NOTIFICATIONS ?? 10_000);
const users = Number(process.env.NOTIFIED_USERS ?? 100);
t.setTimeout(1_800_000);

t.test(`${notifications} notifications over ${users} users`, async (t) => {
  const pace = { settleMs: 3000, floorMs: 10_000, pollMs: 500 };
  const setting = await setUp(t, { pace, processes: 3 });
  const began = performance.now();
  const result = await storm(setting, { users, notifications, hours: 6 });
  const seconds = Math.round((performance.now() - began) / 1000);
  const { posts, statuses, highest, different } = result;
  t.comment(
    `${posts} posts, ${JSON.stringify(statuses)}, at most ${highest} requests a minute, ${seconds} s`,
  );
  t.same(different, [], 'the rows equal the totals of the simulation');
  t.same(Object.keys(statuses), ['204']);
  t.ok(highest <= 300, `${highest} requests of a user in a minute`);
});
