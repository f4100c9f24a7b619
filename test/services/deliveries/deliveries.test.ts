import { randomUUID } from 'node:crypto';
import t from 'tap';
import type { Lease } from '../../../mixins/inbox/delivery.ts';
import { inboxOn } from '../../../mixins/inbox/inbox.ts';
import deliveries from '../../../services/deliveries/deliveries.service.ts';
import { expire } from '../../../services/deliveries/work/retention.ts';
import { refusal } from '../../support/refusal.ts';
import { startBroker } from '../../support/servers/broker.ts';
import { freshDatabase } from '../../support/servers/database.ts';

const database = await freshDatabase(t);
const inbox = inboxOn(database);
const { call } = await startBroker(t, { databaseUrl: database.url, services: [deliveries] });

t.beforeEach(() => database.query('truncate deliveries.delivery cascade'));

const receive = () =>
  inbox.receive({ provider: 'devicemaker', kind: 'push', headers: {}, body: Buffer.from('{"a":1}') });

async function take(id: string): Promise<Lease> {
  const lease = await inbox.take('devicemaker', id);
  if (lease === null) throw new Error('nothing to take');
  return lease;
}

/** Closed deliveries, the n-th done n hours ago, or as told. */
async function closed(count: number, state: 'done' | 'dead', every = '1 hour') {
  await database.query(
    `insert into deliveries.delivery (provider, kind, headers, body, state, attempts, received_at, done_at, error)
     select 'devicemaker', 'push', '{}', 'body', $2, 1, now() - n * $3::interval,
       now() - n * $3::interval + interval '1 minute',
       case when $2 = 'dead' then 'INTERNAL' end
     from generate_series(1, $1::int) n`,
    [count, state, every],
  );
}

const idsNewestFirst = async (state: string) =>
  (
    await database.query<{ id: string }>(
      'select id from deliveries.delivery where state = $1 order by received_at desc, id desc',
      [state],
    )
  ).map(({ id }) => id);

t.test('lists dead letters with their reason, and nothing of their bodies', async (t) => {
  const id = await receive();
  await receive();
  const { attempt } = await take(id);
  await inbox.fail(id, attempt, 'MALFORMED_BODY');
  const { data, pagination } = await call('deliveries.list', {});
  t.match(data, [
    {
      id,
      provider: 'devicemaker',
      kind: 'push',
      status: 'dead',
      attempts: 1,
      next_attempt_at: null,
      error: 'MALFORMED_BODY',
      body_bytes: 7,
    },
  ]);
  t.equal(data.length, 1);
  t.same(Object.keys(data[0] ?? {}).includes('body'), false);
  t.same(pagination, { next_cursor: null, previous_cursor: null, has_more: false, total_count: 1 });
  const open = await call('deliveries.list', { status: 'ready' });
  t.match(open.data, [{ status: 'ready', next_attempt_at: /^\d{4}-/, done_at: null }]);
});

t.test('pages forward to the end and backward to the start, each delivery once', async (t) => {
  await closed(23, 'dead');
  await closed(5, 'done');
  // Two that came in one instant are told apart by their ids.
  await database.query(`update deliveries.delivery set received_at = now() - interval '3 hours'
    where state = 'dead' and received_at > now() - interval '7 hours'`);
  const expected = await idsNewestFirst('dead');
  const forward: string[][] = [];
  let cursor: string | undefined;
  let back: string | null = null;
  do {
    const page = await call('deliveries.list', { limit: 5, ...(cursor === undefined ? {} : { cursor }) });
    t.equal(page.pagination.total_count, 23);
    forward.push(page.data.map(({ id }) => id));
    cursor = page.pagination.next_cursor ?? undefined;
    back = page.pagination.previous_cursor;
  } while (cursor !== undefined);
  t.same(forward.flat(), expected);
  t.same(
    forward.map((page) => page.length),
    [5, 5, 5, 5, 3],
  );
  const backward: string[][] = [];
  while (back !== null) {
    const page = await call('deliveries.list', { limit: 5, cursor: back });
    backward.unshift(page.data.map(({ id }) => id));
    t.equal(page.pagination.has_more, true);
    back = page.pagination.previous_cursor;
  }
  t.same(backward, forward.slice(0, -1));
});

t.test('lists the deliveries of one provider, page by page', async (t) => {
  await closed(9, 'dead');
  await database.query(`update deliveries.delivery set provider = 'activitynet' where id in (
    select id from deliveries.delivery order by received_at offset 2 limit 5)`);
  await closed(2, 'done');
  const own = { provider: 'activitynet', limit: 3 } as const;
  const first = await call('deliveries.list', own);
  t.match(first.pagination, { total_count: 5, has_more: true });
  const next = await call('deliveries.list', { ...own, cursor: first.pagination.next_cursor ?? '' });
  t.match(next.pagination, { total_count: 5, has_more: false });
  const all = (await call('deliveries.list', {})).data;
  t.equal(all.length, 9, 'the others are in the whole list');
  t.same(
    [...first.data, ...next.data],
    all.filter(({ provider }) => provider === 'activitynet'),
  );
  const back = await call('deliveries.list', { ...own, cursor: next.pagination.previous_cursor ?? '' });
  t.same(back.data, first.data);
  t.match(await call('deliveries.list', { provider: 'phone' }), { data: [], pagination: { total_count: 0 } });
  const cursor = first.pagination.next_cursor ?? '';
  await t.rejects(call('deliveries.list', { cursor }), refusal('CURSOR_INVALID'));
  await t.rejects(call('deliveries.list', { provider: 'phone', cursor }), refusal('CURSOR_INVALID'));
});

t.test('refuses a cursor of another list, and a broken one', async (t) => {
  await closed(3, 'dead');
  const { pagination } = await call('deliveries.list', { limit: 1 });
  const cursor = pagination.next_cursor ?? '';
  await t.rejects(call('deliveries.list', { status: 'done', cursor }), refusal('CURSOR_INVALID'));
  await t.rejects(call('deliveries.list', { cursor: 'x' }), refusal('CURSOR_INVALID'));
});

t.test(
  'replays a dead letter: it is due, has attempts again, and the old holder stays fenced off',
  async (t) => {
    const id = await receive();
    await database.query('update deliveries.delivery set max_attempts = 1');
    const { attempt } = await take(id);
    await inbox.retryLater(id, attempt, { delayMs: 0, reason: 'SERVICE_TIMEOUT' });
    t.match(await inbox.stateOf(id), { state: 'dead' });
    t.match(await call('deliveries.replay', { delivery_id: id }), {
      id,
      status: 'ready',
      error: null,
      done_at: null,
    });
    const [lease] = await inbox.claim('devicemaker', 1);
    t.match(lease, { id, attempt: 2, isRetry: true });
    t.equal(await inbox.finish(id, attempt, {}), false);
    t.equal(await inbox.finish(id, 2, {}), true);
  },
);

t.test('replays one that was done, and one that waits for its next attempt', async (t) => {
  const done = await receive();
  await inbox.finish(done, (await take(done)).attempt, {});
  const waiting = await receive();
  await inbox.retryLater(waiting, (await take(waiting)).attempt, {
    delayMs: 600_000,
    reason: 'SERVICE_TIMEOUT',
  });
  for (const delivery_id of [done, waiting]) await call('deliveries.replay', { delivery_id });
  const claimed = await inbox.claim('devicemaker', 5);
  t.same(claimed.map(({ id }) => id).sort(), [done, waiting].sort());
});

t.test('leaves one alone that is in work, or leased to the call that stored it', async (t) => {
  const stored = await receive();
  const working = await receive();
  await take(working);
  for (const delivery_id of [stored, working])
    await t.rejects(call('deliveries.replay', { delivery_id }), refusal('DELIVERY_IN_WORK'));
  t.match(await inbox.stateOf(stored), { state: 'ready' });
  t.equal((await take(stored)).attempt, 1);
});

t.test('knows nothing of a delivery that never came', async (t) => {
  await t.rejects(call('deliveries.replay', { delivery_id: randomUUID() }), refusal('DELIVERY_NOT_FOUND'));
});

t.test(
  'deletes what was done before the retention, dead letters later, and nothing that is open',
  async (t) => {
    await closed(10, 'done', '1 day');
    await closed(10, 'dead', '4 days');
    const open = await receive();
    await database.query(
      `update deliveries.delivery set received_at = now() - interval '1 year' where id = $1`,
      [open],
    );
    t.equal(await expire(database, { done: 7, dead: 4 * 7 }, 2), 3 + 3, 'in statements of two');
    t.same(
      await database.query(
        'select state, count(*)::int as n from deliveries.delivery group by state order by state',
      ),
      [
        { state: 'dead', n: 7 },
        { state: 'done', n: 7 },
        { state: 'ready', n: 1 },
      ],
    );
    t.equal(await expire(database, { done: 7, dead: 4 * 7 }, 2), 0);
  },
);
