import { createHash } from 'node:crypto';
import t from 'tap';
import { cipherOf } from '../../mixins/provider-api/cipher.ts';
import { consentTo, playProvider } from '../services/connect/provider.ts';
import { createUser } from '../support/api.ts';
import {
  completeConnect,
  connectionsOf,
  followRedirect,
  jobsOf,
  landed,
  landedAt,
  linkFor,
  startConnect,
} from '../support/connect.ts';
import { testConfig } from '../support/servers/broker.ts';
import { until } from '../support/until.ts';

const provider = await playProvider(t);
const api = await startConnect(t, provider.settings);
const names = ['devicemaker', 'activitynet'] as const;

const atApp = { status: 'connected', at: landedAt, from: 'pulsebus' };

async function nothingStored(userId: string): Promise<boolean> {
  return (await connectionsOf(api, userId)).length === 0;
}

for (const name of names) {
  t.test(
    `${name}: from a link over the consent page to a connection with its tokens encrypted`,
    async (t) => {
      const userId = await createUser(api);
      provider.account = '4294967297123';
      const { authorization_url, state } = await linkFor(api, userId, name);
      const url = new URL(authorization_url);
      t.equal(url.searchParams.get('state'), state);
      t.ok(Buffer.from(state, 'base64url').length === 32);
      t.equal(url.searchParams.get('response_type'), 'code');
      t.equal(url.searchParams.get('redirect_uri'), `${api.url}/api/v1/connect/${name}/callback`);
      t.equal(url.searchParams.get('code_challenge_method'), name === 'devicemaker' ? 'S256' : null);
      const stored = await api.database.query<{ verifier: string | null }>(
        'select verifier from connect.attempt where provider = $1',
        [name],
      );
      t.ok(stored.length > 0);
      const challenge = url.searchParams.get('code_challenge');
      for (const { verifier } of stored)
        t.not(
          createHash('sha256')
            .update(verifier ?? '')
            .digest('base64url'),
          challenge,
          'it is encrypted',
        );
      t.notMatch(authorization_url, /secret|verifier/);

      const answer = await followRedirect(api, await consentTo(authorization_url));
      t.strictSame({ ...landed(answer), status: '' }, { ...atApp, status: '', provider: name });
      t.equal(answer.status, 303);
      t.equal(answer.headers.get('referrer-policy'), 'no-referrer');
      t.match(answer.headers.get('location'), /status=connected/);
      t.notMatch(answer.headers.get('location'), new RegExp(`${state}|code|token`));

      const [made, ...more] = await connectionsOf(api, userId);
      t.strictSame(more, []);
      const scope =
        name === 'devicemaker'
          ? ['ACTIVITY_EXPORT', 'HEALTH_EXPORT']
          : ['read', 'activity:read_all', 'profile:read_all'];
      t.match(made, { provider: name, provider_user_id: '4294967297123', status: 'active', scope });
      const [row] = await api.database.query('select * from users.connection where id = $1', [made?.id]);
      const cipher = cipherOf(testConfig({ databaseUrl: api.database.url }));
      t.equal(provider.alive.get(cipher.decrypt(row?.access_token, made?.id ?? '')), '4294967297123');
      t.match(cipher.decrypt(row?.refresh_token, made?.id ?? ''), /^refresh-/);
      t.ok(Math.abs(row?.expires_at.getTime() - Date.now() - 3_600_000) < 60_000);
      t.notMatch(
        JSON.stringify(await api.database.query('select * from connect.attempt')),
        new RegExp(state),
      );
    },
  );

  t.test(`${name}: a denied consent is reported and stores nothing`, async (t) => {
    const userId = await createUser(api);
    const answer = await completeConnect(api, userId, name, { deny: true });
    t.equal(answer.status, 303);
    t.match(landed(answer), { at: atApp.at, provider: name, reason: 'access_denied' });
    t.match(answer.headers.get('location'), /status=denied/);
    t.ok(await nothingStored(userId));
  });

  t.test(`${name}: a callback counts once, also for ten visitors at once`, async (t) => {
    const userId = await createUser(api);
    const { authorization_url } = await linkFor(api, userId, name);
    const back = await consentTo(authorization_url);
    const answers = await Promise.all(Array.from({ length: 10 }, () => followRedirect(api, back)));
    t.equal(answers.filter(({ status }) => status === 303).length, 1);
    const replays = answers.filter(({ status }) => status === 410);
    t.equal(replays.length, 9);
    for (const { headers, text } of replays) {
      t.match(headers.get('content-type'), 'text/html');
      t.match(headers.get('content-security-policy'), "default-src 'none'");
      t.match(text, /used already/);
      t.notMatch(text, new RegExp(back.searchParams.get('state') ?? 'none'));
    }
    t.equal((await connectionsOf(api, userId)).length, 1);
  });
}

t.test('the PKCE verifier is deleted when its state is used', async (t) => {
  const verifierOf = async (userId: string) => {
    const statement = 'select verifier from connect.attempt where user_id = $1';
    const [row] = await api.database.query<{ verifier: string | null }>(statement, [userId]);
    return row?.verifier;
  };
  for (const choice of [{}, { deny: true }]) {
    const userId = await createUser(api);
    const { authorization_url } = await linkFor(api, userId, 'devicemaker');
    t.type(await verifierOf(userId), 'string');
    await followRedirect(api, await consentTo(authorization_url, choice));
    t.equal(await verifierOf(userId), null);
  }
});

t.test('a refused or failed token exchange stores nothing', async (t) => {
  const userId = await createUser(api);
  const cases = [
    ['/dm/token', 500, 'provider_unavailable'],
    ['/dm/token', 400, 'provider_refused'],
    ['/dm/token', 429, 'provider_unavailable'],
    ['/dm/api/user/id', 503, 'provider_unavailable'],
    ['/dm/api/user/id', 401, 'provider_refused'],
    ['/dm/api/user/permissions', 500, 'provider_unavailable'],
  ] as const;
  for (const [path, status, reason] of cases) {
    provider.faults.set(path, status);
    const answer = await completeConnect(api, userId, 'devicemaker');
    provider.faults.clear();
    t.match(landed(answer), { at: atApp.at, reason }, `${path} ${status}`);
    t.ok(await nothingStored(userId), `${path} ${status}`);
  }
  const { state } = await linkFor(api, userId, 'activitynet');
  const callback = `${api.url}/api/v1/connect/activitynet/callback`;
  t.match(landed(await followRedirect(api, new URL(`${callback}?state=${state}&code=made-up`))), {
    reason: 'code_expired',
  });
  const other = await linkFor(api, userId, 'activitynet');
  t.match(landed(await followRedirect(api, new URL(`${callback}?state=${other.state}`))), {
    reason: 'provider_refused',
  });
  const third = await linkFor(api, userId, 'activitynet');
  t.match(landed(await followRedirect(api, new URL(`${callback}?state=${third.state}&error=server_error`))), {
    reason: 'provider_refused',
  });
  t.ok(await nothingStored(userId));
});

t.test(
  'unticked scopes are not in the connection; without a scope for activities there is no connection',
  async (t) => {
    const userId = await createUser(api);
    provider.account = '31';
    const none = await completeConnect(api, userId, 'activitynet', { granted: ['profile:read_all'] });
    t.match(landed(none), { reason: 'permission_missing' });
    t.ok(await nothingStored(userId));
    t.notOk([...provider.alive.values()].includes('31'), 'the useless access was given up');

    t.match(landed(await completeConnect(api, userId, 'activitynet', { granted: ['activity:read_all'] })), {
      at: atApp.at,
    });
    t.match(await connectionsOf(api, userId), [{ scope: ['read', 'activity:read_all'] }]);

    provider.permissions = [];
    t.match(landed(await completeConnect(api, userId, 'devicemaker')), { reason: 'permission_missing' });
    t.equal((await connectionsOf(api, userId)).length, 1);
    for (const told of [
      { permissions: ['HEALTH_EXPORT'] },
      { permissions: { HEALTH_EXPORT: true, ACTIVITY_EXPORT: false } },
      { HEALTH_EXPORT: true, ACTIVITY_EXPORT: false },
    ]) {
      provider.permissions = told;
      t.match(landed(await completeConnect(api, await createUser(api), 'devicemaker')), { at: atApp.at });
      provider.permissions = ['ACTIVITY_EXPORT', 'HEALTH_EXPORT'];
      const scopes = await api.database.query(
        `select scope from users.connection where provider = 'devicemaker' order by created_at desc limit 1`,
      );
      t.strictSame(scopes, [{ scope: ['HEALTH_EXPORT'] }]);
    }
  },
);

t.test('a failure for one user never revokes the access of another to the same account', async (t) => {
  provider.account = '32';
  const [first, second] = [await createUser(api), await createUser(api)];
  t.match(landed(await completeConnect(api, first, 'activitynet')), { at: atApp.at });
  t.match(landed(await completeConnect(api, second, 'activitynet', { granted: [] })), {
    reason: 'permission_missing',
  });
  t.ok([...provider.alive.values()].includes('32'));
});

t.test('connecting again reactivates or updates the same connection', async (t) => {
  const userId = await createUser(api);
  provider.account = '41';
  await completeConnect(api, userId, 'activitynet');
  const [first] = await connectionsOf(api, userId);
  const connectedAt = () =>
    api.database.query('select connected_at, access_token from users.connection where id = $1', [first?.id]);
  const [before] = await connectedAt();

  await completeConnect(api, userId, 'activitynet', { granted: ['activity:read_all'] });
  t.match(await connectionsOf(api, userId), [{ id: first?.id, scope: ['read', 'activity:read_all'] }]);
  const [again] = await connectedAt();
  t.strictSame(again?.connected_at, before?.connected_at, 'deliveries on their way still find it');
  t.not(again?.access_token, before?.access_token);

  await api.expect(200, `/users/${userId}/connections/activitynet`, { method: 'DELETE' });
  await completeConnect(api, userId, 'activitynet');
  const [revived, ...more] = await connectionsOf(api, userId);
  t.strictSame(more, []);
  t.match(revived, { id: first?.id, status: 'active', created_at: first?.created_at });
  const [after] = await connectedAt();
  t.ok(after?.connected_at > before?.connected_at);

  await api.database.query(
    `update users.connection set status = 'expired', status_reason = 'TOKEN_REFUSED', access_token = null where id = $1`,
    [first?.id],
  );
  await completeConnect(api, userId, 'activitynet');
  t.match(await connectionsOf(api, userId), [{ id: first?.id, status: 'active' }]);
});

t.test('two users may connect one account; another account replaces the first one', async (t) => {
  const [one, two] = [await createUser(api), await createUser(api)];
  provider.account = '51';
  for (const userId of [one, two]) await completeConnect(api, userId, 'devicemaker');
  t.match(await connectionsOf(api, one), [{ provider_user_id: '51', status: 'active' }]);
  t.match(await connectionsOf(api, two), [{ provider_user_id: '51', status: 'active' }]);

  const ended = provider.count('DELETE', '/dm/api/user/registration');
  provider.account = '52';
  await completeConnect(api, one, 'devicemaker');
  t.match(await connectionsOf(api, one), [{ provider_user_id: '52', status: 'active' }]);
  await until(async () => (await jobsOf(api.database, 'users.token_revocation')).length === 0);
  t.equal(
    provider.count('DELETE', '/dm/api/user/registration'),
    ended,
    'the other user keeps the access to 51',
  );
  provider.account = '53';
  await completeConnect(api, two, 'devicemaker');
  await until(() => provider.count('DELETE', '/dm/api/user/registration') === ended + 1);
  t.notOk([...provider.alive.values()].includes('51'), 'nobody is connected to 51 any more');
  t.ok([...provider.alive.values()].includes('53'));
});

t.test('a user who is deleted during the flow gets no connection', async (t) => {
  const userId = await createUser(api);
  const back = await consentTo((await linkFor(api, userId, 'activitynet')).authorization_url);
  await api.expect(200, `/users/${userId}`, { method: 'DELETE' });
  t.match(landed(await followRedirect(api, back)), { reason: 'user_gone' });
  t.strictSame(await api.database.query('select from users.connection where user_id = $1', [userId]), []);
});

t.test('a new connection starts a backfill', async (t) => {
  const userId = await createUser(api);
  provider.account = '61';
  await completeConnect(api, userId, 'devicemaker');
  t.match(await api.expect(200, `/users/${userId}/connections/devicemaker/backfill`), {
    status: 'running',
    types: [{ type: 'dailies' }, { type: 'sleeps' }],
  });
  t.match(await api.expect(200, `/users/${userId}/connections/devicemaker`), {
    status: 'active',
    last_synced_at: null,
    last_error: null,
    data_types: [{ type: 'dailies', items: 0 }, { type: 'sleeps' }],
  });
  await until(async () => (await jobsOf(api.database, 'connect.backfill')).length === 0);
});
