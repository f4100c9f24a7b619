import { randomUUID } from 'node:crypto';
import t, { type Test } from 'tap';
import type { StoredTokens } from '../../contracts/users/schemas.ts';
import { action, contract, Nothing } from '../../domain/contract.ts';
import { ServiceError } from '../../domain/errors.ts';
import { cipherOf } from '../../mixins/provider-api/cipher.ts';
import { type ProviderTokens, providerTokens } from '../../mixins/provider-api/provider-tokens.ts';
import { implement } from '../../runtime/implement.ts';
import users from '../../services/users/users.service.ts';
import { playProvider } from '../services/backfill/provider.ts';
import { startBroker, testConfig } from '../support/servers/broker.ts';
import { freshDatabase, natsUrl } from '../support/servers/database.ts';

const provider = 'devicemaker' as const;
const soon = () => new Date(Date.now() + 30_000).toISOString();

const [database, played] = [await freshDatabase(t), await playProvider(t)];
const bus = {
  databaseUrl: database.url,
  natsUrl: natsUrl(),
  namespace: `tokens-${randomUUID()}`,
  settings: played.settings,
};
const { broker, call } = await startBroker(t, { ...bus, services: [users] });
const [first, second] = [await holder('first'), await holder('second')];
t.beforeEach(() => played.reset());

/** A process of its own that uses tokens. */
async function holder(name: string, on = bus): Promise<ProviderTokens> {
  const { promise, resolve } = Promise.withResolvers<ProviderTokens>();
  const face = contract(name, {
    nothing: action({ summary: 'Nothing', params: Nothing, returns: Nothing }),
  });
  const service = implement(face, {
    uses: { tokens: providerTokens() },
    actions: { nothing: () => ({}) },
    started: async ({ tokens }) => {
      resolve(tokens);
      return undefined;
    },
  });
  const other = await startBroker(t, { ...on, services: [service] });
  await other.broker.waitForServices(['users'], 60_000);
  return promise;
}

async function link(given: { access_token?: string; refresh_token?: string; expires_at?: string }) {
  const { id: user_id } = await call('users.create', {});
  const made = await call('users.connect', { user_id, provider, provider_user_id: randomUUID(), ...given });
  return { owner: { user_id, provider }, connectionId: made.id };
}

async function rowOf(connectionId: string) {
  const [row] = await database.query('select * from users.connection where id = $1', [connectionId]);
  return row;
}

const statusOf = async (user_id: string) => (await call('users.connections', { user_id }))[0]?.status;

const cipher = cipherOf(testConfig({ databaseUrl: 'postgres://nowhere/none' }));

t.test('a token that is good for long is handed over without a word to the provider', async (t) => {
  const far = new Date(Date.now() + 3_600_000).toISOString();
  for (const expires_at of [far, undefined]) {
    const given = { access_token: 'good', refresh_token: 'r', ...(expires_at ? { expires_at } : {}) };
    const { owner, connectionId } = await link(given);
    t.match(await first.bearer(owner), { kind: 'token', token: 'good', connection_id: connectionId });
  }
  t.same(played.refreshed, []);
});

t.test('20 callers in two processes with a token that is about to end cause one refresh', async (t) => {
  const { owner, connectionId } = await link({ access_token: 'old', refresh_token: 'r', expires_at: soon() });
  const stored: unknown[] = [];
  played.onRefresh = async () => {
    await new Promise((resolve) => setTimeout(resolve, 50));
    return { status: 200, body: { access_token: 'fresh', refresh_token: 'r2', expires_in: 3600 } };
  };
  const asking = Array.from({ length: 20 }, async (_, index) => {
    const bearer = await (index % 2 ? first : second).bearer(owner);
    const row = await rowOf(connectionId);
    stored.push(cipher.decrypt(row?.refresh_token, connectionId));
    return bearer;
  });
  for (const bearer of await Promise.all(asking))
    t.match(bearer, { kind: 'token', token: 'fresh', version: 1 });
  t.same(played.refreshed, ['r']);
  t.same(new Set(stored), new Set(['r2']), 'the new refresh token is stored before the new token is used');
});

t.test('20 callers who were refused with the same token cause one refresh; latecomers none', async (t) => {
  const { owner } = await link({ access_token: 'dead', refresh_token: 'r' });
  const bearer = await first.bearer(owner);
  if (bearer.kind !== 'token') throw new Error('there is no token');
  const refused = { refused: bearer.version };
  const asking = Array.from({ length: 20 }, (_, index) =>
    (index % 2 ? first : second).bearer(owner, refused),
  );
  for (const fresh of await Promise.all(asking)) t.match(fresh, { kind: 'token', token: 'access-1' });
  t.match(await first.bearer(owner, refused), { kind: 'token', token: 'access-1' });
  t.same(played.refreshed, ['r']);
  t.match(await first.bearer(owner, { refused: 1 }), { kind: 'token', token: 'access-2' });
  t.same(played.refreshed, ['r', 'r+'], 'the next refresh uses the refresh token that came with the last');
});

t.test('a refresh that is refused expires the connection and erases its tokens', async (t) => {
  played.onRefresh = () => ({ status: 400, body: { error: 'invalid_grant' } });
  const { owner, connectionId } = await link({ access_token: 'old', refresh_token: 'r', expires_at: soon() });
  t.same(await first.bearer(owner), { kind: 'none', reason: 'TOKEN_REFUSED' });
  t.equal(await statusOf(owner.user_id), 'expired');
  const row = await rowOf(connectionId);
  t.match(row, { status_reason: 'TOKEN_REFUSED', access_token: null, refresh_token: null, expires_at: null });
  t.same(await first.bearer(owner), { kind: 'none', reason: 'CONNECTION_GONE' });
  t.equal(played.refreshed.length, 1);
});

t.test('a connection that is revived after it expired has no reason any more', async (t) => {
  played.onRefresh = () => ({ status: 401 });
  const { owner, connectionId } = await link({ access_token: 'old', refresh_token: 'r', expires_at: soon() });
  await first.bearer(owner);
  await call('users.connect', { ...owner, provider_user_id: 'p', access_token: 'new' });
  t.equal(await statusOf(owner.user_id), 'active');
  t.match(await rowOf(connectionId), { status_reason: null });
  t.match(await first.bearer(owner), { kind: 'token', token: 'new' });
});

t.test('what is no refusal of the user leaves the connection, and the token while it is good', async (t) => {
  for (const reply of [
    { status: 503 },
    { status: 400 },
    { status: 401, body: { error: 'invalid_client' } },
  ]) {
    played.onRefresh = () => reply;
    const { owner } = await link({ access_token: 'old', refresh_token: 'r', expires_at: soon() });
    const bearer = await first.bearer(owner);
    t.match(bearer, { kind: 'token', token: 'old' });
    t.same(await first.bearer(owner, { refused: 0 }), { kind: 'later', reason: 'REFRESH_FAILED' });
    t.equal(await statusOf(owner.user_id), 'active');
  }
  const past = new Date(Date.now() - 1000).toISOString();
  const { owner } = await link({ access_token: 'old', refresh_token: 'r', expires_at: past });
  t.same(await first.bearer(owner), { kind: 'later', reason: 'REFRESH_FAILED' });
  played.onRefresh = () => ({ status: 200, body: { access_token: 'healed' } });
  t.match(await first.bearer(owner), { kind: 'token', token: 'healed' }, 'the lease was given back');
});

t.test('an answer without a refresh token keeps the one that is there', async (t) => {
  played.onRefresh = () => ({ status: 200, body: { access_token: 'fresh' } });
  const { owner, connectionId } = await link({ access_token: 'old', refresh_token: 'r', expires_at: soon() });
  await first.bearer(owner);
  const row = await rowOf(connectionId);
  t.equal(cipher.decrypt(row?.refresh_token, connectionId), 'r');
  t.equal(row?.expires_at, null);
});

t.test('without a refresh token the access token is used until it is refused', async (t) => {
  const { owner } = await link({ access_token: 'only', expires_at: soon() });
  const bearer = await first.bearer(owner);
  t.match(bearer, { kind: 'token', token: 'only' });
  t.same(await first.bearer(owner, { refused: 0 }), { kind: 'none', reason: 'TOKEN_REFUSED' });
  t.equal(await statusOf(owner.user_id), 'expired');
  t.same(played.refreshed, []);
});

t.test('nobody, no link, no token, an ended link and an unreadable token are told apart', async (t) => {
  const none = (reason: string) => ({ kind: 'none', reason });
  t.same(await first.bearer({ user_id: randomUUID(), provider }), none('USER_GONE'));
  const { id: user_id } = await call('users.create', {});
  t.same(await first.bearer({ user_id, provider }), none('CONNECTION_GONE'));
  const bare = await link({});
  t.same(await first.bearer(bare.owner), none('TOKEN_MISSING'));
  const ended = await link({ access_token: 'x' });
  await call('users.disconnect', ended.owner);
  t.same(await first.bearer(ended.owner), none('CONNECTION_GONE'));
  const moved = await link({ access_token: 'x' });
  const foreign = cipher.encrypt('x', randomUUID());
  await database.query('update users.connection set access_token = $1 where id = $2', [
    foreign,
    moved.connectionId,
  ]);
  t.same(await first.bearer(moved.owner), { kind: 'later', reason: 'TOKEN_UNREADABLE' });
});

t.test(
  'a lease that its holder took to the grave is given to another when it ends, and not before',
  async (t) => {
    const { connectionId: connection_id } = await link({ access_token: 'old', refresh_token: 'r' });
    const lease = { connection_id, version: 0, lease_ms: 60_000 };
    t.same(await call('users.leaseRefresh', lease), { leased: true });
    t.same(await call('users.leaseRefresh', lease), { leased: false });
    await database.query('update users.connection set refresh_leased_until = now() where id = $1', [
      connection_id,
    ]);
    t.same(await call('users.leaseRefresh', lease), { leased: true });
  },
);

/** A holder in a namespace of its own, where users is played: its tokens are about to end. */
async function apart(t: Test, name: string, actions: Record<string, () => unknown>) {
  const connection_id = randomUUID();
  const sealed = (text: string) => cipher.encrypt(text, connection_id);
  const held: StoredTokens = {
    ...{ connection_id, connected_at: new Date().toISOString(), status: 'active', version: 0 },
    ...{ access_token: sealed('old'), refresh_token: sealed('r'), expires_at: soon() },
    ...{ previous_refresh_token: null, client: null, region: null },
  };
  const fresh: StoredTokens = { ...held, version: 1, access_token: sealed('stored'), expires_at: null };
  const on = { ...bus, namespace: `tokens-${randomUUID()}` };
  let isStored = false;
  const storeTokens = () => {
    const answer = actions.storeTokens?.() ?? { stored: true };
    isStored = true;
    return answer;
  };
  const tokens = () => (isStored ? fresh : held);
  const service = { name: 'users', actions: { ...actions, tokens, storeTokens } };
  await startBroker(t, { ...on, services: [service] });
  return holder(name, on);
}

t.test('who finds a lease taken asks again until it ends, and refreshes then', async (t) => {
  const refreshedBefore: number[] = [];
  const leaseRefresh = () => {
    refreshedBefore.push(played.refreshed.length);
    return { leased: refreshedBefore.length > 3 };
  };
  const tokens = await apart(t, 'waiting', { leaseRefresh });
  const bearer = await tokens.bearer({ user_id: randomUUID(), provider });
  t.match(bearer, { kind: 'token', token: 'stored', version: 1 });
  t.same(refreshedBefore, [0, 0, 0, 0], 'nothing was refreshed before the lease was given');
  t.same(played.refreshed, ['r']);
});

t.test('tokens of an older version neither store, expire nor lease', async (t) => {
  const { connectionId: connection_id, owner } = await link({ access_token: 'a', refresh_token: 'r' });
  await database.query('update users.connection set token_version = 5 where id = $1', [connection_id]);
  const old = { connection_id, version: 4 };
  const sealed = cipher.encrypt('b', connection_id);
  const tokens = { ...old, access_token: sealed, refresh_token: null, expires_at: null };
  t.same(await call('users.storeTokens', tokens), { stored: false });
  t.same(await call('users.expire', { ...old, reason: 'X' }), { expired: false });
  t.same(await call('users.leaseRefresh', { ...old, lease_ms: 1000 }), { leased: false });
  t.same(await call('users.releaseRefresh', old), { released: false });
  t.match(await call('users.tokens', owner), { version: 5, status: 'active' });
});

t.test('refreshed tokens that could not be stored are stored by a later try', async (t) => {
  let tries = 0;
  const storeTokens = () => {
    tries += 1;
    if (tries < 3) throw new ServiceError('SERVICE_UNAVAILABLE');
    return { stored: true };
  };
  const leaseRefresh = () => ({ leased: true });
  const tokens = await apart(t, 'storing', { leaseRefresh, storeTokens });
  const bearer = await tokens.bearer({ user_id: randomUUID(), provider });
  t.match(bearer, { kind: 'token', token: 'stored', version: 1 });
  t.equal(tries, 3);
  t.same(played.refreshed, ['r'], 'the old refresh token was exchanged once');
});

t.test('what crosses the bus is ciphertext', async (t) => {
  const { owner } = await link({ access_token: 'clear text', refresh_token: 'clear text' });
  const handed = await call('users.tokens', owner);
  t.notMatch(JSON.stringify(handed), 'clear text');
  t.equal(cipher.decrypt(handed.access_token ?? '', handed.connection_id), 'clear text');
});

t.test('while users is away there is no token, for now', async (t) => {
  const { owner } = await link({ access_token: 'x' });
  await broker.stop();
  t.same(await first.bearer(owner), { kind: 'later', reason: 'USERS_AWAY' });
});
