import t from 'tap';
import { z } from 'zod';
import { person, secret, setUp, type WithingsSetting } from '../services/pull-ingest/withings-setting.ts';
import { until } from '../support/until.ts';

t.setTimeout(0);

const hourMs = 3_600_000;
const minuteMs = 60_000;
const Rows = z.array(
  z.object({ id: z.string(), kind: z.string(), start_ms: z.number(), attrib: z.int().nullable() }),
);
const Subscribed = z.object({ withings: z.object({ subscribed: z.array(z.int()) }) });
const people = `/people/${person}/withings`;

const subscribed = async ({ control }: WithingsSetting, who = person) =>
  Subscribed.parse(await control('GET', `/ledger?person=${who}`)).withings.subscribed;
const rowsOf = async ({ control }: WithingsSetting) => Rows.parse(await control('GET', `${people}/rows`));
const statusOf = async ({ api }: WithingsSetting, user_id: string) =>
  (await api.call('users.connections', { user_id }))[0]?.status;

t.test('what notifications name is read, and lost notifications are repaired by one sweep', async (t) => {
  const on = await setUp(t);
  const userId = await on.connect();
  await until(async () => (await subscribed(on)).length === 6);
  t.same(await subscribed(on), [1, 2, 4, 16, 44, 46], 'one subscription per category');
  await on.settled();
  const fromMs = on.sandbox.world.clock.nowMs();

  await on.sandbox.advance(6 * hourMs);
  await on.settled();
  const live = await on.compare(userId, fromMs);
  t.ok(live.want.length > 10);
  t.same(live.have, live.want, 'without faults nothing is missing');

  await on.control('POST', '/faults', { kind: 'dropped', provider: 'withings', probability: 0.3 });
  await on.control('POST', '/faults', { kind: 'duplicate', provider: 'withings', probability: 0.2 });
  await on.control('POST', '/faults', { kind: 'disorder', provider: 'withings', probability: 0.2 });
  await on.control('POST', '/faults', { kind: 'garbage', provider: 'withings', probability: 0.1 });
  await on.control('POST', '/faults', { kind: 'rate_limit', provider: 'withings', probability: 0.001 });
  await on.sandbox.advance(20 * hourMs);
  await on.control('DELETE', '/faults');
  await on.settled();
  await on.sweep();
  const { want, have } = await on.compare(userId, fromMs);
  t.ok(want.some((line) => line.startsWith('night')));
  t.same(have, want, 'rows that differ after one sweep');

  const rows = await rowsOf(on);
  const inside = rows.filter(({ start_ms }) => start_ms >= fromMs);
  for (const kind of ['measures', 'workouts', 'sleep', 'days']) {
    const gone = inside.findLast((row) => row.kind === kind);
    if (gone !== undefined) await on.control('POST', `${people}/rows`, { id: gone.id, change: 'delete' });
  }
  await on.sweep();
  const after = await on.compare(userId, fromMs);
  t.not(after.want.length, want.length);
  t.same(after.have, after.want, 'what vanished at the provider is dropped');
});

t.test(
  'a measurement that nobody confirmed is an event, and becomes samples when it is confirmed',
  async (t) => {
    const on = await setUp(t, { settings: { BACKFILL_ON_CONNECT: 'true', BACKFILL_DAYS: '30' } });
    const userId = await on.connect();
    await until(async () => (await on.api.database.query('select from pull.reading')).length > 0);
    await on.settled();
    const fromMs = on.sandbox.world.clock.nowMs() - 27 * 24 * hourMs;
    const before = await on.compare(userId, fromMs);
    t.same(before.have, before.want, 'the backfill has everything');
    const ambiguous = (await rowsOf(on)).findLast(
      ({ attrib, start_ms }) => attrib === 1 && start_ms >= fromMs,
    );
    const event = `unconfirmed ${new Date(ambiguous?.start_ms ?? 0).toISOString()}`;
    t.ok(before.have.includes(event));

    await on.control('POST', `${people}/rows`, { id: ambiguous?.id, change: 'confirm' });
    await on.sweep();
    const after = await on.compare(userId, fromMs);
    t.same(after.have, after.want);
    t.notOk(after.have.includes(event), 'the event is gone');
  },
);

// The following tests share a product and a user.
const on = await setUp(t);
await on.connect();
await until(async () => (await subscribed(on)).length === 6);

t.test('subscriptions that ended without a word are renewed', async (t) => {
  await on.control('POST', `${people}/forget-subscriptions`);
  t.same(await subscribed(on), []);
  await on.api.database.query('update pull.connection set subscribe_at = now()');
  await until(async () => (await subscribed(on)).length === 6);
  t.same(await subscribed(on), [1, 2, 4, 16, 44, 46]);
});

t.test('only what was granted is subscribed to and read', async (t) => {
  await on.connect(['user.activity'], 5);
  await until(async () => (await subscribed(on, 5)).length === 4);
  t.same(await subscribed(on, 5), [1, 2, 4, 46]);
});

t.test('the address answers HEAD, and a wrong secret is not found', async (t) => {
  t.equal((await fetch(`${on.address}/${secret}`, { method: 'HEAD' })).status, 200);
  const wrong = await fetch(`${on.address}/${'x'.repeat(32)}`, { method: 'POST', body: 'userid=1&appli=1' });
  t.equal(wrong.status, 404);
  t.equal((await fetch(`${on.address}/${secret}`, { method: 'POST', body: '' })).status < 500, true);
});

t.test('the end of the access is believed only if the token fails', async (t) => {
  const on = await setUp(t);
  const userId = await on.connect();
  await until(async () => (await subscribed(on)).length === 6);
  await on.settled();
  const form = { userid: '0', appli: '46', action: 'unlink' };
  const account = (await on.api.call('users.connections', { user_id: userId }))[0]?.provider_user_id ?? '';
  const post = () =>
    fetch(`${on.address}/${secret}`, {
      method: 'POST',
      body: new URLSearchParams({ ...form, userid: account }),
    });
  t.equal((await post()).status, 200);
  await on.settled();
  t.equal(await statusOf(on, userId), 'active', 'a notification alone ends nothing');
  await on.control('POST', `${people}/unlink`);
  await on.sandbox.advance(minuteMs);
  await until(async () => (await statusOf(on, userId)) === 'expired');
  const [connection] = await on.api.call('users.connections', { user_id: userId });
  t.match(connection, { status: 'expired', provider_user_id: account }, 'the refused token ends it');
});
