import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { readFeed } from '../../../services/webhooks/actions/feed.ts';
import { mostWaiting, newFeedWatch } from '../../../services/webhooks/work/feed-watch.ts';
import { refusal } from '../../support/refusal.ts';
import { readAll, sequencesOf, startWebhooks, typesOf, upTo } from './setting.ts';

const s = await startWebhooks(t);
const newUser = async () => (await s.call('users.create', {})).id;
const rename = (user_id: string, first_name: string) => s.call('users.update', { user_id, first_name });

const ada = await newUser();
const bob = await newUser();
await s.settled();
for (const name of ['A', 'B', 'C', 'D', 'E']) {
  await rename(ada, name);
  await rename(bob, name);
  await s.settled();
}

t.test('pages of any size return every change once, in order, and a cursor to continue with', async (t) => {
  const all = await s.changes();
  t.equal(all.length, 12);
  for (const limit of [1, 2, 5, 11, 12, 13])
    t.strictSame(await readAll(s.call, undefined, limit), all, `${limit} a page`);
  const ids = all.map(({ id }) => Number(id));
  t.strictSame(
    ids,
    ids.toSorted((a, b) => a - b),
  );
  const end = await s.call('webhooks.changes', { limit: 12 });
  t.equal(end.pagination.has_more, false);
  const after = await s.call('webhooks.changes', { cursor: end.pagination.next_cursor });
  t.strictSame([after.data, after.pagination.has_more], [[], false]);
  const again = await s.call('webhooks.changes', { cursor: after.pagination.next_cursor });
  t.strictSame(again.data, []);
});

t.test('a filter returns the changes of a user and of types', async (t) => {
  const own = await s.changes(ada);
  t.strictSame(sequencesOf(own), upTo(6));
  t.ok(own.every(({ data }) => data.user_id === ada));
  const created = await s.call('webhooks.changes', { types: ['user.created', 'workout.created'] });
  t.strictSame(typesOf(created.data), ['user.created', 'user.created']);
  const both = await s.call('webhooks.changes', { user_id: bob, types: ['user.updated'], limit: 2 });
  t.strictSame(typesOf(both.data), ['user.updated', 'user.updated']);
  t.ok(both.pagination.has_more);
  const rest = await s.call('webhooks.changes', {
    ...{ user_id: bob, types: ['user.updated'], cursor: both.pagination.next_cursor },
  });
  t.strictSame(sequencesOf(rest.data), [4, 5, 6]);
});

t.test('since starts the feed at a time of publication, and a cursor continues it', async (t) => {
  const all = await s.changes();
  const times = await s.database.query<{ at: Date; n: string }>(
    'select published_at as at, count(*) over (order by published_at range between current row and unbounded following) as n from changes.change order by id',
  );
  for (const [index, { at, n }] of times.entries()) {
    const page = await s.call('webhooks.changes', { since: at.toISOString(), limit: 1000 });
    t.equal(page.data.length >= Number(n), true, `from change ${index + 1}`);
    t.strictSame(page.data, all.slice(all.length - page.data.length));
  }
  const [first] = times;
  const early = await s.call('webhooks.changes', { since: '2000-01-01', limit: 2 });
  t.strictSame(early.data, all.slice(0, 2));
  const { next_cursor } = early.pagination;
  const next = await s.call('webhooks.changes', { since: '2000-01-01', cursor: next_cursor, limit: 2 });
  t.strictSame(next.data, all.slice(2, 4));
  const late = await s.call('webhooks.changes', { since: new Date(Date.now() + 60_000).toISOString() });
  t.strictSame(late.data, [], 'nothing is published in the future');
  const own = await s.call('webhooks.changes', { since: first?.at.toISOString() ?? '', user_id: ada });
  t.ok(own.data.every(({ data }) => data.user_id === ada) && own.data.length > 0);
});

t.test('a cursor of another query is refused, and one that is no cursor', async (t) => {
  const { pagination } = await s.call('webhooks.changes', { user_id: ada });
  const cursor = pagination.next_cursor;
  for (const query of [{}, { user_id: bob }, { user_id: ada, types: ['user.created' as const] }])
    await t.rejects(s.call('webhooks.changes', { ...query, cursor }), refusal('CURSOR_INVALID'));
  await t.rejects(s.call('webhooks.changes', { cursor: 'nonsense' }), refusal('CURSOR_INVALID'));
  await t.resolves(s.call('webhooks.changes', { user_id: ada, cursor, limit: 7, wait_seconds: 0 }));
});

t.test('a cursor of a filter skips what it does not select, so that later pages read little', async (t) => {
  const { pagination } = await s.call('webhooks.changes', { types: ['sleep.created'] });
  const [, , [position] = ['']] = JSON.parse(Buffer.from(pagination.next_cursor, 'base64url').toString());
  t.equal(position, (await s.changes()).at(-1)?.id);
});

const endOf = async (query: { user_id?: string } = {}) => {
  for (let cursor: string | undefined; ; ) {
    const { pagination } = await s.call('webhooks.changes', { ...query, cursor, limit: 1000 });
    cursor = pagination.next_cursor;
    if (!pagination.has_more) return cursor;
  }
};

t.test('a request that waits is answered with the change that comes', async (t) => {
  const cursor = await endOf();
  const waiting = s.call('webhooks.changes', { cursor, wait_seconds: 30 });
  await sleep(100);
  await rename(ada, 'Waited for');
  const { data } = await waiting;
  t.match(data, [{ type: 'user.updated', data: { user_id: ada } }]);
  await s.settled();
});

t.test('a request that waits for a user is not answered with changes of others', async (t) => {
  const cursor = await endOf({ user_id: ada });
  const waiting = s.call('webhooks.changes', { user_id: ada, cursor, wait_seconds: 30 });
  let isAnswered = false;
  void waiting.then(() => {
    isAnswered = true;
  });
  await rename(bob, 'Somebody else');
  await s.settled();
  await sleep(600); // more than two polls
  t.equal(isAnswered, false);
  await rename(ada, 'Now');
  t.match((await waiting).data, [{ data: { user_id: ada } }]);
  await s.settled();
});

t.test('many that wait are all answered, and nothing is missed between two requests', async (t) => {
  const from = await endOf();
  const readers = upTo(20).map(async () => {
    const seen: string[] = [];
    let cursor = from;
    while (seen.length < 10) {
      const page = await s.call('webhooks.changes', { cursor, wait_seconds: 30 });
      seen.push(...page.data.map(({ id }) => id));
      cursor = page.pagination.next_cursor;
    }
    return seen;
  });
  await sleep(200);
  for (const n of upTo(10)) {
    await rename(ada, `Name ${n}`);
    await s.settled();
  }
  const expected = (await s.changes()).slice(-10).map(({ id }) => id);
  for (const seen of await Promise.all(readers)) t.strictSame(seen, expected);
});

t.test('an empty answer comes when the time has passed', async (t) => {
  const { data, pagination } = await s.call('webhooks.changes', { cursor: await endOf(), wait_seconds: 1 });
  t.strictSame(data, []);
  t.equal(pagination.has_more, false);
});

t.test('a process has a limited number of waiting requests', async (t) => {
  const watch = newFeedWatch(s.database, s.broker);
  const filter = { project: 'default', userId: null, types: null };
  const waiters = await Promise.all(upTo(mostWaiting).map(() => watch.begin(filter)));
  await t.rejects(watch.begin(filter), refusal('WAITING_LIMITED'));
  waiters[0]?.end();
  const another = await watch.begin(filter);
  watch.close();
  await another.wait(60_000);
  for (const waiter of [...waiters, another]) waiter.end();
  t.equal(watch.isClosed, true);
});

t.test('a request that has waited gives its place back', async (t) => {
  const watch = newFeedWatch(s.database, s.broker);
  t.teardown(() => watch.close());
  const waiting = new Set<object>();
  const counting = {
    ...watch,
    async begin(filter: Parameters<typeof watch.begin>[0]) {
      const waiter = await watch.begin(filter);
      waiting.add(waiter);
      return { ...waiter, end: () => waiting.delete(waiter) };
    },
  };
  const shown = { providerAs: String, baseUrl: '' };
  const query = { project: 'default', cursor: await endOf(), limit: 1, wait_seconds: 0.1 };
  t.match(await readFeed({ database: s.database, watch: counting, shown }, query), { data: [] });
  t.equal(waiting.size, 0);
});

t.test('a stop ends the requests that wait', async (t) => {
  const cursor = await endOf();
  const waiting = upTo(5).map(() => s.call('webhooks.changes', { cursor, wait_seconds: 30 }));
  await sleep(200);
  await s.broker.stop();
  for (const { data } of await Promise.all(waiting)) t.strictSame(data, []);
});
