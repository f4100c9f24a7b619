import { randomBytes, randomUUID } from 'node:crypto';
import { connect } from 'nats';
import t from 'tap';
import { callerPublicKey } from '../../runtime/bus/caller-signature.ts';
import { isSealed } from '../../runtime/bus/sealing.ts';
import { natsOptions } from '../../runtime/nats-options.ts';
import { loadServices } from '../../stack/processes/services.ts';
import { consentTo, playProvider } from '../services/connect/provider.ts';
import { type Answer, createUser, developer, joinApi, userToken } from '../support/api.ts';
import { followRedirect, linkFor } from '../support/connect.ts';
import { startBroker, testSettings } from '../support/servers/broker.ts';
import { freshDatabase, natsUrl } from '../support/servers/database.ts';

/** Texts of an answer that are secret, by the names of their fields. */
const secretFields =
  /"(access_token|refresh_token|key|app_secret|secret|code|invitation_code|url|authorization_url)":"([^"]+)"/g;

interface Recorded {
  readonly subject: string;
  readonly data: Buffer;
}

/** The texts that a message contains, of those that none may. */
const found = (recorded: readonly Recorded[], texts: ReadonlySet<string>) =>
  [...texts].filter((text) => recorded.some(({ data }) => data.includes(text)));

t.test('no secret and no personal data crosses the bus in clear', async (t) => {
  const provider = await playProvider(t);
  const database = await freshDatabase(t);
  const namespace = `recorded-${randomUUID()}`;
  const key = randomBytes(32).toString('hex');
  const settings = {
    ...{ RATE_LIMIT_ADDRESS: '100000', CALLER_PUBLIC_KEY: callerPublicKey(key), ...provider.settings },
    WEBHOOK_ENDPOINT_ORIGINS: 'http://127.0.0.1:9',
  };
  const bus = { natsUrl: natsUrl(), namespace };
  const watcher = await connect(natsOptions({ NATS_URL: natsUrl() }));
  t.teardown(() => watcher.close());
  const recorded: Recorded[] = [];
  watcher.subscribe(`MOL-${namespace}.>`, {
    callback: (_, { subject, data }) => void recorded.push({ subject, data: Buffer.from(data) }),
  });
  await watcher.flush();
  // The gateway is alone, connect is apart from users, and auth from phone-ingest: all calls of the flow cross the bus.
  for (const names of [
    ['users', 'timeseries', 'summaries', 'webhooks', 'deliveries'],
    ['connect', 'auth'],
  ])
    await startBroker(t, {
      ...bus,
      databaseUrl: database.url,
      settings,
      services: await loadServices(names),
    });
  const others = ['backfill', 'phone-ingest', 'devicemaker-ingest', 'activitynet-ingest', 'pull-ingest'];
  await startBroker(t, { ...bus, databaseUrl: database.url, settings, services: await loadServices(others) });
  const api = await joinApi(t, {
    ...{ ...bus, database, services: ['api-gateway'] },
    settings: { ...settings, CALLER_KEY: key },
  });
  const secrets = new Set<string>([developer.password, developer.email, key, api.developerToken]);
  const keep = ({ status, text }: Answer, what: string) => {
    t.ok(status < 300, `${what} is answered ${status}`);
    for (const [, , secret = ''] of text.matchAll(secretFields)) secrets.add(secret.replaceAll('\\/', '/'));
  };
  const token = api.developerToken;
  const ask = async (path: string, body?: Record<string, unknown>) =>
    keep(
      await api.ask(`/api/v1${path}`, body === undefined ? { token, method: 'POST' } : { token, body }),
      path,
    );
  const email = `${randomUUID()}@example.com`;
  const password = `pass-${randomUUID()}`;
  for (const secret of [email, password]) secrets.add(secret);

  await ask('/auth/login', { email: developer.email, password: developer.password });
  await ask('/api-keys', { name: 'Recorded' });
  await ask('/applications', { name: 'Recorded' });
  await ask('/developers', { email, password });
  const user = { first_name: `First-${randomUUID()}`, email: `${randomUUID()}@example.com` };
  const userId = await createUser(api, user);
  for (const value of Object.values(user)) secrets.add(value);
  const idempotent = { 'idempotency-key': randomUUID() };
  const created = await api.ask('/api/v1/users', { token, body: user, headers: idempotent });
  t.equal(created.status, 201);
  secrets.add(await userToken(api, userId));
  await ask(`/users/${userId}/token`);
  await ask(`/users/${userId}/invitation-code`);
  await ask('/webhook-endpoints', { url: 'http://127.0.0.1:9/hook' });
  await ask('/connect/sessions', { user_id: userId });
  const { authorization_url } = await linkFor(api, userId, 'devicemaker', null);
  const consented = await consentTo(authorization_url);
  for (const name of ['code', 'state']) {
    const value = new URL(consented).searchParams.get(name);
    if (value !== null) secrets.add(value);
  }
  t.match((await followRedirect(api, consented)).headers.get('location'), /status=connected/);
  const own = testSettings({ databaseUrl: database.url });
  for (const secret of [own.JWT_SECRET, own.ENCRYPTION_KEY, database.url]) secrets.add(String(secret));
  await watcher.flush();

  const texts = new Set([...secrets].filter((text) => text.length >= 6));
  const calls = recorded.filter(({ subject }) => /\.(REQ|RES)\./.test(subject));
  t.comment(`${recorded.length} messages, ${calls.length} of calls, ${texts.size} secrets`);
  t.ok(calls.length > 40 && texts.size > 15, 'the flow was recorded');
  t.same(found(recorded, texts), []);
  t.same(
    calls.filter(({ data }) => !isSealed(data)).map(({ subject }) => subject),
    [],
    'every request and answer is sealed',
  );
  const [one = ''] = texts;
  const clear = { subject: '', data: Buffer.from(JSON.stringify({ params: { one } })) };
  t.same(found([...recorded, clear], texts), [one], 'the comparison finds a secret');
});
