import { randomUUID } from 'node:crypto';
import t from 'tap';
import { ServiceError } from '../../../domain/errors.ts';
import { cipherOf } from '../../../mixins/provider-api/cipher.ts';
import { openProviderApi } from '../../../mixins/provider-api/provider-api.ts';
import type { Call } from '../../../runtime/environment.ts';
import { hashOf } from '../../../services/connect/actions/authorize.ts';
import { finish } from '../../../services/connect/actions/callback.ts';
import { insertAttempt } from '../../../services/connect/tables/attempts.ts';
import { testConfig } from '../../support/servers/broker.ts';
import { freshDatabase } from '../../support/servers/database.ts';
import { playProvider } from './provider.ts';

const database = await freshDatabase(t);
const provider = await playProvider(t);
const api = openProviderApi();
t.teardown(() => api.close());
const app = 'https://app.example/connected';
const settings = { ...provider.settings, CONNECT_REDIRECTS: app };
const config = testConfig({ databaseUrl: database.url, settings });

/** What the attempts logged. */
const logged: unknown[] = [];

type Answers = Readonly<Record<string, (params: unknown) => unknown>>;

/** Finishes an attempt of an own user at the activity platform, with what the other services answer. */
async function finishAttempt(answers: Answers, { scope = 'activity:read_all', redirectUri = app } = {}) {
  const [state, userId] = [randomUUID(), randomUUID()];
  const callbackUri = 'https://pulse.example/api/v1/connect/activitynet/callback';
  await insertAttempt(database, {
    ...{ stateHash: hashOf(state), userId, provider: 'activitynet', verifier: null },
    ...{ redirectUri, callbackUri, sessionId: null, providerClientId: null, region: null },
  });
  provider.bodies.set('/an/oauth/token', { access_token: 'a', athlete: { id: 7 } });
  const call = async (name: string, params: unknown) => answers[name]?.(params) ?? [];
  const log = (...said: readonly unknown[]) => void logged.push(...said);
  const logger: never = { info: log, warn: log } as never;
  const deps = { config, database, api, logger, cipher: cipherOf(config), call: call as unknown as Call };
  const answer = await finish(deps, { provider: 'activitynet', state, code: 'a code', scope });
  return new URL(answer.kind === 'redirect' ? answer.location : 'none:');
}

const unavailable = () => {
  throw new ServiceError('SERVICE_UNAVAILABLE');
};
const revocations = () => provider.count('POST', '/an/oauth/deauthorize');

t.test('access without permissions is revoked unless it may be of another user', async (t) => {
  const holder = { connection_id: randomUUID(), user_id: randomUUID() };
  const cases = [
    ['service users is unavailable', unavailable, 0],
    ['another user has the account', () => [holder], 0],
    ['nobody has the account', () => [], 1],
  ] as const;
  for (const [name, resolve, revoked] of cases) {
    const before = revocations();
    const url = await finishAttempt({ 'users.resolve': resolve }, { scope: 'read' });
    t.equal(url.searchParams.get('reason'), 'permission_missing', name);
    t.equal(revocations() - before, revoked, name);
  }
});

t.test('a connection is stored after its backfill is enqueued, which a crash does not lose', async (t) => {
  let enqueued: unknown[] = [];
  const link = async () => {
    enqueued = await database.query("select kind from jobs.job where kind = 'connect.backfill'");
  };
  const url = await finishAttempt({ 'users.link': link });
  t.equal(url.searchParams.get('status'), 'connected');
  t.equal(enqueued.length, 1);
});

t.test('the log of an attempt that fails has the reason and no code of the provider', async (t) => {
  logged.length = 0;
  const url = await finishAttempt({ 'users.link': unavailable });
  t.equal(url.searchParams.get('reason'), 'unavailable');
  t.match(logged, ['connect.failed', { code: 'SERVICE_UNAVAILABLE' }]);
  t.notMatch(JSON.stringify(logged), /a code/);
});

t.test('an address that is no longer listed gets no browser', async (t) => {
  t.equal((await finishAttempt({})).origin, 'https://app.example');
  const url = await finishAttempt({}, { redirectUri: 'https://former.example/' });
  t.equal(`${url.origin}${url.pathname}`, 'https://pulse.example/api/v1/connect/activitynet/result');
});
