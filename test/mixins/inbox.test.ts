import t from 'tap';
import type { Lease, NewDelivery } from '../../mixins/inbox/delivery.ts';
import { inboxOn } from '../../mixins/inbox/inbox.ts';
import { freshDatabase } from '../support/servers/database.ts';

const database = await freshDatabase(t);
const inbox = inboxOn(database);
const other = inboxOn(database);

const delivery = (changes: Partial<NewDelivery> = {}): NewDelivery => ({
  provider: 'devicemaker',
  kind: 'push',
  headers: { 'devicemaker-client-id': 'app' },
  body: Buffer.from('{"sleeps":[]}'),
  ...changes,
});

t.beforeEach(() => database.query('truncate deliveries.delivery cascade'));

t.test('gives back the body byte for byte, whatever bytes they are', async (t) => {
  const body = Buffer.from([0, 255, 34, 39, 92, 13, 10, 128]);
  await inbox.receive(delivery({ body }));
  const held = await taken();
  t.equal(held.body_bytes, body.length);
  t.same(await inbox.readBody(held), body);
});

t.test('reads a body larger than a slice whole', async (t) => {
  const body = Buffer.alloc(19 * 1024 * 1024, 'health data is text;');
  body[8 * 1024 * 1024] = 1;
  await inbox.receive(delivery({ body }));
  t.ok((await inbox.readBody(await taken())).equals(body));
});

t.test('lends a received delivery to one call only, and to no worker before its lease ends', async (t) => {
  const id = await inbox.receive(delivery());
  t.same(await inbox.claim('devicemaker', 10), [], 'a worker leaves it to the call that stored it');
  const both = await Promise.all([inbox.take('devicemaker', id), other.take('devicemaker', id)]);
  t.equal(both.filter((held) => held !== null).length, 1);
  t.equal(both.find((held) => held !== null)?.attempt, 1);
  t.equal(both.find((held) => held !== null)?.isRetry, false);
});

t.test('hands a delivery whose caller died to a worker once the lease has ended', async (t) => {
  const id = await inbox.receive(delivery());
  await endLeases();
  t.equal(await inbox.take('devicemaker', id), null, 'the call that comes too late gets nothing');
  const [held, ...more] = await inbox.claim('devicemaker', 10);
  t.same(more, []);
  t.match(held, { id, attempt: 2, isRetry: true, kind: 'push' });
});

t.test('does not lend a delivery of another provider', async (t) => {
  const id = await inbox.receive(delivery());
  t.equal(await inbox.take('activitynet', id), null);
  await endLeases();
  t.same(await inbox.claim('activitynet', 10), []);
});

t.test('gives each of 200 due deliveries to exactly one of two claimers', async (t) => {
  const ids = await Promise.all(Array.from({ length: 200 }, () => inbox.receive(delivery())));
  await endLeases();
  const claimed: string[] = [];
  const drain = async (from: typeof inbox) => {
    for (;;) {
      const held = await from.claim('devicemaker', 7);
      if (held.length === 0) return;
      claimed.push(...held.map(({ id }) => id));
    }
  };
  await Promise.all([drain(inbox), drain(other)]);
  t.same(claimed.sort(), ids.sort());
});

t.test('claims the oldest deliveries first, and no more than asked', async (t) => {
  const first = await inbox.receive(delivery());
  const second = await inbox.receive(delivery());
  const third = await inbox.receive(delivery());
  await database.query(`update deliveries.delivery set run_at = received_at - interval '1 hour'`);
  t.same(
    (await inbox.claim('devicemaker', 2)).map(({ id }) => id),
    [first, second],
  );
  t.same(
    (await inbox.claim('devicemaker', 2)).map(({ id }) => id),
    [third],
  );
});

t.test('refuses every outcome of a call that lost its lease', async (t) => {
  const id = await inbox.receive(delivery());
  const late = await taken();
  await endLeases();
  const [held] = await other.claim('devicemaker', 1);
  t.equal(held?.attempt, 2);
  t.equal(await inbox.extend(id, late.attempt), false);
  t.equal(await inbox.finish(id, late.attempt, { saved: 1 }), false);
  t.equal(await inbox.retryLater(id, late.attempt, { delayMs: 0, reason: 'SERVICE_TIMEOUT' }), null);
  t.equal(await inbox.fail(id, late.attempt, 'INTERNAL'), false);
  t.equal(await inbox.handBack(id, late.attempt), false);
  t.same(await inbox.stateOf(id), { state: 'working', answer: null });
  t.equal(await other.finish(id, 2, { saved: 2 }), true);
  t.same(await inbox.stateOf(id), { state: 'done', answer: { saved: 2 } });
  t.equal(await other.finish(id, 2, { saved: 3 }), false, 'finished is finished');
});

t.test('an extended lease is not claimed', async (t) => {
  await inbox.receive(delivery());
  const held = await taken();
  await endLeases();
  t.equal(await inbox.extend(held.id, held.attempt), true);
  t.same(await other.claim('devicemaker', 1), []);
});

t.test(
  'waits as long as it was told before the next attempt, and keeps what could be said so far',
  async (t) => {
    const id = await inbox.receive(delivery());
    const held = await taken();
    const retry = { delayMs: 60_000, reason: 'SERVICE_UNAVAILABLE', answer: { saved: 1 } };
    t.equal(await inbox.retryLater(id, held.attempt, retry), 'ready');
    t.same(await inbox.stateOf(id), { state: 'ready', answer: { saved: 1 } });
    t.same(await inbox.claim('devicemaker', 1), []);
    t.equal(await inbox.take('devicemaker', id), null, 'nor does the call that stored it get it again');
    await endLeases();
    const [next] = await inbox.claim('devicemaker', 1);
    t.equal(next?.attempt, 2);
    t.equal(await inbox.finish(id, 2, { saved: 2 }), true);
    const [row] = await database.query(
      'select error, done_at is not null as closed from deliveries.delivery',
    );
    t.same(row, { error: null, closed: true });
  },
);

t.test('ends as dead after its last attempt failed', async (t) => {
  const id = await inbox.receive(delivery());
  await database.query('update deliveries.delivery set max_attempts = 2');
  const first = await taken();
  t.equal(await inbox.retryLater(id, first.attempt, { delayMs: 0, reason: 'SERVICE_TIMEOUT' }), 'ready');
  t.equal((await inbox.claim('devicemaker', 1)).length, 1);
  t.equal(await inbox.retryLater(id, 2, { delayMs: 0, reason: 'SERVICE_TIMEOUT' }), 'dead');
  t.same(await inbox.claim('devicemaker', 1), []);
  const [row] = await database.query(
    'select state, error, done_at is not null as closed from deliveries.delivery',
  );
  t.same(row, { state: 'dead', error: 'SERVICE_TIMEOUT', closed: true });
});

t.test('ends as dead when it killed its worker at each attempt', async (t) => {
  const id = await inbox.receive(delivery());
  await database.query('update deliveries.delivery set max_attempts = 3');
  for (const attempt of [2, 3]) {
    await endLeases();
    const [held] = await inbox.claim('devicemaker', 1);
    t.equal(held?.attempt, attempt);
  }
  await endLeases();
  t.same(await inbox.claim('devicemaker', 1), []);
  t.match(await inbox.stateOf(id), { state: 'dead' });
  const [row] = await database.query('select error from deliveries.delivery');
  t.same(row, { error: 'LEASE_EXPIRED' });
});

t.test('ends as dead when it was in work at the end of three processes', async (t) => {
  const id = await inbox.receive(delivery());
  t.equal((await taken()).crashes, 0);
  for (const crashes of [1, 2]) {
    await endLeases();
    t.match(await inbox.claim('devicemaker', 1), [{ id, crashes }]);
  }
  await endLeases();
  t.same(await inbox.claim('devicemaker', 1), []);
  t.match(await inbox.stateOf(id), { state: 'dead' });
});

t.test('a failure is no crash', async (t) => {
  const id = await inbox.receive(delivery());
  const { attempt } = await taken();
  await inbox.retryLater(id, attempt, { delayMs: 0, reason: 'SERVICE_TIMEOUT' });
  const [next] = await inbox.claim('devicemaker', 1);
  t.equal(next?.crashes, 0);
  await inbox.handBack(id, next?.attempt ?? 0);
  t.match(await inbox.claim('devicemaker', 1), [{ id, crashes: 0 }]);
});

t.test('a delivery in work on its last attempt is not given up meanwhile', async (t) => {
  const id = await inbox.receive(delivery());
  await database.query('update deliveries.delivery set max_attempts = 2');
  await endLeases();
  const [held] = await inbox.claim('devicemaker', 1);
  t.equal(held?.attempt, 2);
  t.same(await other.claim('devicemaker', 1), []);
  t.match(await inbox.stateOf(id), { state: 'working' });
  t.equal(await inbox.finish(id, 2, { saved: 1 }), true);
  t.same(await inbox.stateOf(id), { state: 'done', answer: { saved: 1 } });
});

t.test('an attempt that can say nothing keeps what an earlier one said', async (t) => {
  const id = await inbox.receive(delivery());
  const held = await taken();
  await inbox.retryLater(id, held.attempt, { delayMs: 0, reason: 'SERVICE_TIMEOUT', answer: { saved: 1 } });
  await inbox.claim('devicemaker', 1);
  t.equal(await inbox.retryLater(id, 2, { delayMs: 0, reason: 'SERVICE_TIMEOUT' }), 'ready');
  t.same(await inbox.stateOf(id), { state: 'ready', answer: { saved: 1 } });
  await inbox.claim('devicemaker', 1);
  t.equal(await inbox.fail(id, 3, 'INTERNAL'), true);
  t.same(await inbox.stateOf(id), { state: 'dead', answer: { saved: 1 } });
});

t.test('a delivery handed back is due at once, and the attempt does not count', async (t) => {
  const id = await inbox.receive(delivery());
  await database.query('update deliveries.delivery set max_attempts = 1');
  const held = await taken();
  t.equal(await inbox.handBack(id, held.attempt), true);
  const [next] = await inbox.claim('devicemaker', 1);
  t.match(next, { id, attempt: 2 }, 'under a new number, which fences off the old holder');
  t.equal(await inbox.finish(id, held.attempt, {}), false);
});

t.test('a delivery given up is dead with its reason', async (t) => {
  const id = await inbox.receive(delivery());
  const held = await taken();
  t.equal(await inbox.fail(id, held.attempt, 'MALFORMED_BODY', { errors: ['x'] }), true);
  t.same(await inbox.stateOf(id), { state: 'dead', answer: { errors: ['x'] } });
  await endLeases();
  t.same(await inbox.claim('devicemaker', 1), []);
});

t.test('an answer keeps the order of its keys and odd characters', async (t) => {
  const id = await inbox.receive(delivery());
  const held = await taken();
  const answer = { processed: 1, a: 'a\u0000b', errors: ['\ud800'] };
  t.equal(await inbox.finish(id, held.attempt, answer), true);
  const [row] = await database.query('select answer::text as text from deliveries.delivery');
  t.same(row, { text: JSON.stringify(answer) });
  t.same(await inbox.answerOf(id), answer);
});

t.test('knows nothing of a delivery that never came', async (t) => {
  const id = '00000000-0000-4000-8000-000000000000';
  t.equal(await inbox.answerOf(id), null);
  t.equal(await inbox.stateOf(id), null);
  t.equal(await inbox.take('devicemaker', id), null);
});

t.test('the claim finds its rows by the index of what is due', async (t) => {
  await database.query(`
    insert into deliveries.delivery (provider, kind, headers, body, state, done_at)
    select 'devicemaker', 'push', '{}', '', 'done', now() from generate_series(1, 5000)`);
  await inbox.receive(delivery());
  await database.query('analyze deliveries.delivery');
  const plan = await database.query<{ 'QUERY PLAN': string }>(`explain
    select id from deliveries.delivery
    where provider = 'devicemaker' and state in ('ready', 'working') and run_at <= now() and attempts < max_attempts
    order by priority, run_at limit 10 for update skip locked`);
  t.match(plan.map((line) => line['QUERY PLAN']).join('\n'), /Index Scan using delivery_due/);
});

async function taken(): Promise<Lease> {
  const [row] = await database.query<{ id: string }>('select id from deliveries.delivery');
  const held = await inbox.take('devicemaker', row?.id ?? '');
  if (held === null) throw new Error('nothing to take');
  return held;
}

function endLeases() {
  return database.query(`update deliveries.delivery set run_at = now() - interval '1 second'`);
}
