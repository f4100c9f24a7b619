import { randomUUID } from 'node:crypto';
import t from 'tap';
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
const api = openProviderApi({ spacingMs: 0, atOnce: 4, retries: 0, firstPauseMs: 1, timeoutMs: 5000 });
t.teardown(() => api.close());
const app = 'https://app.example/connected';
const settings = {
  ...{ POLAR_API_URL: provider.origin, POLAR_TOKEN_URL: `${provider.origin}/polar/token` },
  ...{ POLAR_CLIENT_ID: 'tests', POLAR_CLIENT_SECRET: 'a secret of the tests', CONNECT_REDIRECTS: app },
};
const config = testConfig({ databaseUrl: database.url, settings });

/** Finishes an attempt; returns its result and the calls to other services. */
async function finishAttempt() {
  const state = randomUUID();
  await insertAttempt(database, {
    ...{ stateHash: hashOf(state), userId: randomUUID(), provider: 'polar', verifier: null },
    ...{ providerClientId: null, region: null },
    ...{ redirectUri: app, callbackUri: 'https://pulse.example/callback', sessionId: null },
  });
  provider.bodies.set('/polar/token', { access_token: 'a', expires_in: 315_359_999, x_user_id: 475 });
  const linked: unknown[] = [];
  const call = async (name: string, params: unknown) => {
    if (name === 'users.link') linked.push(params);
    return [];
  };
  const logger: never = { info: () => {}, warn: () => {} } as never;
  const deps = { config, database, api, logger, cipher: cipherOf(config), call: call as unknown as Call };
  const answer = await finish(deps, { provider: 'polar', state, code: 'a code' });
  const { searchParams } = new URL(answer.kind === 'redirect' ? answer.location : 'none:');
  return { status: searchParams.get('status'), reason: searchParams.get('reason'), linked };
}

t.test(
  'an account is registered before it is connected, and one that is registered already is fine',
  async (t) => {
    provider.bodies.set('/v3/users', {});
    for (const status of [200, 409]) {
      provider.faults.clear();
      if (status !== 200) provider.faults.set('/v3/users', status);
      const before = provider.count('POST', '/v3/users');
      const { status: result, linked } = await finishAttempt();
      t.equal(result, 'connected', String(status));
      t.match(linked, [{ provider_user_id: '475', refresh_token: null, scope: ['accesslink.read_all'] }]);
      t.equal(provider.count('POST', '/v3/users') - before, 1);
    }
  },
);

t.test('an account that cannot be registered is not connected', async (t) => {
  for (const [status, reason] of [
    [403, 'provider_refused'],
    [503, 'provider_unavailable'],
  ] as const) {
    provider.faults.set('/v3/users', status);
    t.same(await finishAttempt(), { status: 'failed', reason, linked: [] });
  }
});
