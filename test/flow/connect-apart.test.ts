import { randomUUID } from 'node:crypto';
import t from 'tap';
import { loadServices } from '../../stack/processes/services.ts';
import { consentTo, playProvider } from '../services/connect/provider.ts';
import { createUser, joinApi, type TestApi } from '../support/api.ts';
import {
  completeConnect,
  connectionsOf,
  followRedirect,
  jobsOf,
  linkFor,
  startConnect,
} from '../support/connect.ts';
import { startBroker } from '../support/servers/broker.ts';
import { freshDatabase, natsUrl } from '../support/servers/database.ts';
import { until } from '../support/until.ts';

t.test('the connect flow works with gateway, users and connect in separate processes', async (t) => {
  const provider = await playProvider(t);
  const database = await freshDatabase(t);
  const bus = { natsUrl: natsUrl(), namespace: `connect-${randomUUID()}` };
  const settings = { RATE_LIMIT_ADDRESS: '100000', ...provider.settings };
  const beside = async (...names: string[]) =>
    startBroker(t, { ...bus, databaseUrl: database.url, settings, services: await loadServices(names) });
  await beside('connect', 'backfill');
  await beside('users', 'timeseries');
  const api: TestApi = await joinApi(t, {
    ...bus,
    database,
    settings,
    services: ['api-gateway', 'auth', 'deliveries'],
  });
  await api.broker.waitForServices(['connect', 'backfill']);
  const userId = await createUser(api);
  const { authorization_url } = await linkFor(api, userId, 'devicemaker', null);
  t.match(
    new URL(authorization_url).searchParams.get('redirect_uri'),
    `${api.url}/api/v1/connect/devicemaker/callback`,
  );
  const answer = await followRedirect(api, await consentTo(authorization_url));
  t.match(answer.headers.get('location'), /result\?status=connected$/);
  t.match(await connectionsOf(api, userId), [{ status: 'active', provider_user_id: provider.account }]);
  t.match(await api.expect(200, `/users/${userId}/connections/devicemaker`), { last_error: null });
  t.match(
    await api.expect(200, `/users/${userId}/connections/devicemaker?purge=true`, { method: 'DELETE' }),
    {
      status: 'revoked',
    },
  );
  await until(() => provider.count('DELETE', '/dm/api/user/registration') === 1);
});

t.test('a connection succeeds while backfill is unavailable, and its backfill starts later', async (t) => {
  const provider = await playProvider(t);
  const api = await startConnect(t, provider.settings);
  const backfill = api.broker.getLocalService('backfill');
  if (backfill === undefined) return t.fail('there is no backfill service');
  await api.broker.destroyService(backfill);
  const userId = await createUser(api);
  const answer = await completeConnect(api, userId, 'devicemaker');
  t.match(answer.headers.get('location'), /status=connected/);
  const wanted = async () => (await jobsOf(api.database, 'connect.backfill')).map(({ payload }) => payload);
  t.strictSame(await wanted(), [{ user_id: userId, provider: 'devicemaker' }]);
  await api.expect(503, `/users/${userId}/connections/devicemaker`);

  api.broker.createService(backfill.originalSchema ?? {});
  await api.broker.waitForServices('backfill');
  await api.database.query("update jobs.job set run_at = now() where kind = 'connect.backfill'");
  await until(async () => (await wanted()).length === 0);
  t.match(await api.expect(200, `/users/${userId}/connections/devicemaker/backfill`), { status: 'running' });
});

t.test('BACKFILL_ON_CONNECT=false starts no backfill', async (t) => {
  const provider = await playProvider(t);
  const api = await startConnect(t, provider.settings, { BACKFILL_ON_CONNECT: 'false' });
  const userId = await createUser(api);
  await completeConnect(api, userId, 'devicemaker');
  t.match(await connectionsOf(api, userId), [{ status: 'active' }]);
  t.strictSame(await jobsOf(api.database, 'connect.backfill'), []);
  await api.expect(404, `/users/${userId}/connections/devicemaker/backfill`);
});

t.test('a provider without its settings is refused with their names', async (t) => {
  const provider = await playProvider(t);
  const {
    DEVICEMAKER_CLIENT_SECRET: _,
    ACTIVITYNET_CLIENT_ID: __,
    ACTIVITYNET_CLIENT_SECRET: ___,
    ...settings
  } = provider.settings;
  const api = await startConnect(t, settings, { PUBLIC_URL: 'https://pulse.example/base/' });
  const userId = await createUser(api);
  const refused = async (name: string) => api.expect(409, `/connect/${name}/authorize?user_id=${userId}`);
  const code = 'PROVIDER_NOT_CONFIGURED';
  t.strictSame(await refused('devicemaker'), {
    code,
    detail: 'This provider is not configured: DEVICEMAKER_CLIENT_SECRET is not set.',
  });
  t.strictSame(await refused('activitynet'), {
    code,
    detail:
      'This provider is not configured: ACTIVITYNET_CLIENT_ID and ACTIVITYNET_CLIENT_SECRET are not set.',
  });
});

t.test('the callback and the result page are at PUBLIC_URL', async (t) => {
  const provider = await playProvider(t);
  const api = await startConnect(t, provider.settings, { PUBLIC_URL: 'https://pulse.example/base/' });
  const { authorization_url } = await linkFor(api, await createUser(api), 'activitynet', null);
  const back = await consentTo(authorization_url);
  t.equal(back.origin + back.pathname, 'https://pulse.example/base/api/v1/connect/activitynet/callback');
  const answer = await followRedirect(
    api,
    new URL(`${back.pathname.replace('/base', '')}${back.search}`, api.url),
  );
  t.equal(
    answer.headers.get('location'),
    'https://pulse.example/base/api/v1/connect/activitynet/result?status=connected',
  );
});

t.test('no log contains a state, code, token or callback URL', async (t) => {
  const lines: string[] = [];
  const levels = ['log', 'trace', 'debug', 'info', 'warn', 'error'] as const;
  for (const level of levels) {
    const { restore } = t.intercept(console, level, {
      value: (...parts: unknown[]) => lines.push(JSON.stringify(parts)),
    });
    t.teardown(restore);
  }
  const provider = await playProvider(t);
  const api = await startConnect(t, provider.settings, { LOG_LEVEL: 'trace' });
  const secrets: string[] = [];
  for (const name of ['devicemaker', 'activitynet'] as const) {
    const userId = await createUser(api);
    for (const fault of [null, '/dm/token', '/an/oauth/token', '/dm/api/user/id']) {
      if (fault !== null) provider.faults.set(fault, 500);
      const { authorization_url, state } = await linkFor(api, userId, name);
      const back = await consentTo(authorization_url);
      secrets.push(state, back.searchParams.get('code') ?? '', back.search);
      for (let visits = 0; visits < 2; visits += 1) await followRedirect(api, back);
      provider.faults.clear();
    }
    await api.expect(200, `/users/${userId}/connections/${name}`, { method: 'DELETE' });
  }
  await until(async () => (await jobsOf(api.database, 'users.token_revocation')).length === 0);
  secrets.push(...provider.seen.map(({ token }) => token).filter((token) => token.startsWith('access-')));
  const text = lines.join('\n');
  t.match(text, /connect\.finished/, 'the log was heard');
  t.ok(secrets.length > 20);
  for (const secret of secrets) t.notOk(text.includes(secret), secret.slice(0, 12));
  t.notMatch(text, /access-|refresh-|callback\?|code=|the client secret/);
});
