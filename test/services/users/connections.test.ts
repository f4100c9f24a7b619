import { randomUUID } from 'node:crypto';
import t from 'tap';
import { cipherOf } from '../../../mixins/provider-api/cipher.ts';
import users from '../../../services/users/users.service.ts';
import { outcomes } from '../../support/auth.ts';
import { refusal } from '../../support/refusal.ts';
import { startBroker, testConfig } from '../../support/servers/broker.ts';
import { freshDatabase } from '../../support/servers/database.ts';

const database = await freshDatabase(t);
const { call } = await startBroker(t, { databaseUrl: database.url, services: [users] });
const provider = 'devicemaker' as const;

async function newUser(): Promise<string> {
  return (await call('users.create', {})).id;
}

t.test('a link is imported, listed without its tokens, and its tokens are kept encrypted', async (t) => {
  const user_id = await newUser();
  const tokens = { access_token: 'the access token', refresh_token: 'the refresh token' };
  const link = { user_id, provider, provider_user_id: 'p-1', scope: ['A', 'B', 'A'] };
  const made = await call('users.connect', { ...link, ...tokens, expires_at: '2027-01-01T00:00:00Z' });
  t.match(made, {
    user_id,
    provider,
    provider_user_id: 'p-1',
    status: 'active',
    scope: ['A', 'B'],
    last_synced_at: null,
    access_expires_at: '2027-01-01T00:00:00Z',
  });
  t.same(Object.keys(made).sort(), [
    'access_expires_at',
    'created_at',
    'id',
    'last_synced_at',
    'privacy',
    'provider',
    'provider_user_id',
    'region',
    'scope',
    'status',
    'updated_at',
    'user_id',
  ]);
  t.same(await call('users.connections', { user_id }), [made]);

  const [row] = await database.query('select * from users.connection where id = $1', [made.id]);
  t.notMatch(JSON.stringify(row), /the (access|refresh) token/);
  const cipher = cipherOf(testConfig({ databaseUrl: database.url }));
  t.equal(cipher.decrypt(row?.access_token, made.id), tokens.access_token);
  t.equal(cipher.decrypt(row?.refresh_token, made.id), tokens.refresh_token);
  t.throws(() => cipher.decrypt(row?.access_token, randomUUID()));
  t.same(row?.expires_at, new Date('2027-01-01T00:00:00Z'));
});

t.test('an active connection is in the way of another, to the same provider only', async (t) => {
  const user_id = await newUser();
  const made = await call('users.connect', { user_id, provider, provider_user_id: 'p-2' });
  const exists = refusal('CONNECTION_EXISTS');
  await t.rejects(call('users.connect', { user_id, provider, provider_user_id: 'p-2' }), exists);
  await t.rejects(call('users.connect', { user_id, provider, provider_user_id: 'p-other' }), exists);
  const other = await call('users.connect', { user_id, provider: 'activitynet', provider_user_id: 'p-2' });
  t.same(await call('users.connections', { user_id }), [other, made]);
});

t.test('of ten imports at once one succeeds', async (t) => {
  // More than one round: in the first, connections to the database are still being made, one after the other.
  for (let round = 0; round < 5; round += 1) {
    const user_id = await newUser();
    const connect = (_: unknown, n: number) =>
      call('users.connect', { user_id, provider, provider_user_id: `race-${n}` });
    const { values, types } = outcomes(await Promise.allSettled(Array.from({ length: 10 }, connect)));
    t.equal(values.length, 1);
    t.same(new Set(types), new Set(['CONNECTION_EXISTS']));
    t.same(await call('users.connections', { user_id }), values);
  }
});

t.test('a disconnected link is revoked and loses its tokens, and is revived under its id', async (t) => {
  const user_id = await newUser();
  const tokens = { access_token: 'secret', refresh_token: 'renews' };
  const link = { user_id, provider, provider_user_id: 'p-3', ...tokens, scope: ['A'] };
  const made = await call('users.connect', link);
  await call('users.changePrivacy', {
    connection_id: made.id,
    privacy: { visibility: 'all' },
    changed_ms: 1,
  });
  const revocations = () =>
    database.query(
      `select payload ->> 'provider_user_id' as account from jobs.job
       where kind = 'users.token_revocation' and payload ->> 'connection_id' = $1`,
      [made.id],
    );
  const revoked = await call('users.disconnect', { user_id, provider });
  t.same(await revocations(), [{ account: 'p-3' }]);
  t.match(revoked, { id: made.id, status: 'revoked', scope: ['A'] });
  t.same(
    await database.query('select access_token, refresh_token from users.connection where id = $1', [made.id]),
    [{ access_token: null, refresh_token: null }],
  );
  t.same(await call('users.resolve', { provider, provider_user_ids: ['p-3'] }), []);
  t.same(await call('users.disconnect', { user_id, provider }), revoked, 'once more changes nothing');

  const revived = await call('users.connect', { ...link, provider_user_id: 'p-4', scope: ['B'] });
  t.match(revived, { id: made.id, status: 'active', provider_user_id: 'p-4', scope: ['B'], privacy: null });
  t.equal(revived.created_at, made.created_at);
  const [found] = await call('users.resolve', { provider, provider_user_ids: ['p-3', 'p-4'] });
  t.match(found, { connection_id: made.id, user_id, provider_user_id: 'p-4' });
  t.ok((found?.connected_at ?? '') >= revoked.updated_at, 'connected anew');
  const former = 'select provider, provider_user_id from users.former_account where user_id = $1';
  t.same(await database.query(former, [user_id]), [{ provider, provider_user_id: 'p-3' }]);

  await database.query("update users.connection set status = 'expired' where id = $1", [made.id]);
  t.same(await call('users.resolve', { provider, provider_user_ids: ['p-4'] }), []);
  const { version } = await call('users.tokens', { user_id, provider });
  t.match(await call('users.connect', link), { id: made.id, status: 'active', provider_user_id: 'p-3' });
  t.not(
    (await call('users.tokens', { user_id, provider })).version,
    version,
    'a running refresh is overtaken',
  );
  t.same(await revocations(), [], 'the access to an account that is connected again is kept');
});

t.test('a provider account leads to every user who is linked to it, and to nobody else', async (t) => {
  const [one, two, three] = [await newUser(), await newUser(), await newUser()];
  const connect = (user_id: string, provider_user_id: string) =>
    call('users.connect', { user_id, provider, provider_user_id });
  const [first, second] = [await connect(one, 'shared'), await connect(two, 'shared')];
  const third = await connect(three, 'own');
  await call('users.connect', { user_id: three, provider: 'activitynet', provider_user_id: 'shared' });
  const resolve = async (...provider_user_ids: string[]) =>
    (await call('users.resolve', { provider, provider_user_ids })).map(({ connection_id }) => connection_id);
  t.same(await resolve('shared', 'unknown'), [first.id, second.id]);
  t.same(new Set(await resolve('shared', 'own', 'SHARED')), new Set([first.id, second.id, third.id]));
  t.same(await resolve(), []);
});

t.test('received data is noted on the connections that it came through', async (t) => {
  const [one, two] = [await newUser(), await newUser()];
  const synced = await call('users.connect', { user_id: one, provider, provider_user_id: 'p-5' });
  const other = await call('users.connect', { user_id: two, provider, provider_user_id: 'p-6' });
  t.same(await call('users.synced', { connection_ids: [synced.id, randomUUID()] }), { updated: 1 });
  const [shown] = await call('users.connections', { user_id: one });
  t.ok((shown?.last_synced_at ?? '') >= synced.created_at);
  t.same({ ...shown, last_synced_at: null }, synced);
  t.same(await call('users.connections', { user_id: two }), [other]);
});

t.test('what is not there is told apart', async (t) => {
  const user_id = await newUser();
  const unknown = randomUUID();
  await t.rejects(call('users.disconnect', { user_id, provider }), refusal('CONNECTION_NOT_FOUND'));
  await t.rejects(call('users.disconnect', { user_id: unknown, provider }), refusal('USER_NOT_FOUND'));
  await t.rejects(
    call('users.connect', { user_id: unknown, provider, provider_user_id: 'p' }),
    refusal('USER_NOT_FOUND'),
  );
  t.same(await call('users.connections', { user_id }), []);
});

t.test('of several changes of a scope the newest counts, wherever it is in the list', async (t) => {
  const user_id = await newUser();
  const { id: connection_id } = await call('users.connect', { user_id, provider, provider_user_id: 'p-7' });
  const change = (name: string, changed_ms: number) => ({ connection_id, scope: [name], changed_ms });
  const changes = [change('first', 1000), change('newest', 3000), change('late', 2000)];
  t.same(await call('users.changeScopes', { changes }), { updated: 1 });
  t.match(await call('users.connections', { user_id }), [{ scope: ['newest'] }]);
});
