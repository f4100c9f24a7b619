import { randomUUID } from 'node:crypto';
import t from 'tap';
import backfill from '../../../services/backfill/backfill.service.ts';
import { statusOf } from '../../../services/connect/actions/status.ts';
import { startWebhooks } from '../webhooks/setting.ts';

const s = await startWebhooks(t, {}, [backfill]);
const provider = 'devicemaker' as const;
const past = new Date(Date.now() - 60_000).toISOString();

async function linked(expires_at: string) {
  const { id: user_id } = await s.call('users.create', {});
  const tokens = { access_token: 'a', refresh_token: 'r', expires_at };
  const account = { provider, provider_user_id: randomUUID() };
  const { id: connection_id } = await s.call('users.connect', { user_id, ...account, ...tokens });
  const fail = async () => {
    const { version } = await s.call('users.tokens', { user_id, provider });
    t.same(await s.call('users.releaseRefresh', { connection_id, version }), { released: true });
  };
  const store = async () => {
    const { version } = await s.call('users.tokens', { user_id, provider });
    const fresh = { access_token: 'x', refresh_token: null, expires_at: past };
    return s.call('users.storeTokens', { connection_id, version, ...fresh });
  };
  const age = (minutes: number) =>
    s.database.query(
      `update users.connection set refresh_failing_since = refresh_failing_since - $2 * interval '1 minute' where id = $1`,
      [connection_id, minutes],
    );
  const types = async () =>
    (await s.settled(user_id)).map(({ type }) => type).filter((type) => type.startsWith('connection.'));
  return { user_id, connection_id, fail, store, age, types };
}

t.test('an hour of failed refreshes is one error, and a success is one recovery', async (t) => {
  const { user_id, connection_id, fail, store, age, types } = await linked(past);
  await fail();
  t.same(await types(), ['connection.created']);
  await age(59);
  await fail();
  t.same(await types(), ['connection.created'], 'most outages are shorter');
  t.equal((await statusOf(s.call, user_id, provider)).last_error, null);
  await age(1);
  for (let n = 0; n < 5; n += 1) await fail();
  t.same(await types(), ['connection.created', 'connection.error'], 'once, however often a refresh fails');
  const [, error] = (await s.settled(user_id)).filter(({ type }) => type.startsWith('connection.'));
  t.match(error?.data, { connection_id, provider, reason: 'REFRESH_FAILED', url: String });
  const shown = await statusOf(s.call, user_id, provider);
  t.match(shown, { status: 'active', last_error: /not renewed the access/ });
  await store();
  await store();
  t.same(await types(), ['connection.created', 'connection.error', 'connection.recovered']);
  t.equal((await statusOf(s.call, user_id, provider)).last_error, null);
  await fail();
  await age(59);
  await fail();
  t.equal((await types()).length, 3, 'the hour begins anew');
});

t.test('a connection whose access token is valid has no error', async (t) => {
  const { fail, age, types } = await linked(new Date(Date.now() + 3_600_000).toISOString());
  await fail();
  await age(120);
  await fail();
  t.same(await types(), ['connection.created']);
});

t.test('an error that ends with the access is reported by that', async (t) => {
  const { user_id, connection_id, fail, age, types } = await linked(past);
  await fail();
  await age(60);
  await fail();
  t.same(await types(), ['connection.created', 'connection.error']);
  const { version } = await s.call('users.tokens', { user_id, provider });
  await s.call('users.expire', { connection_id, version, reason: 'TOKEN_REFUSED' });
  t.same(await types(), ['connection.created', 'connection.error', 'connection.expired']);
  t.match(await statusOf(s.call, user_id, provider), { status: 'expired' });
});
