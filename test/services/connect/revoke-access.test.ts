import t from 'tap';
import { revokeAccess } from '../../../services/connect/work/revoke-access.ts';
import { testConfig } from '../../support/servers/broker.ts';
import { playProvider } from './provider.ts';

const provider = await playProvider(t);
const settings = { ...provider.settings, WITHINGS_API_URL: provider.origin };
const withings = { WITHINGS_CLIENT_ID: 'tests', WITHINGS_CLIENT_SECRET: 'a secret of the tests' };
const oura = { OURA_API_URL: provider.origin, OURA_CLIENT_ID: 'tests', OURA_CLIENT_SECRET: 'a secret' };
const configOf = (more: Readonly<Record<string, string>> = {}) =>
  testConfig({
    databaseUrl: 'postgres://127.0.0.1/none',
    settings: { ...settings, ...withings, ...oura, ...more },
  });
const client = { clientId: 'tests', clientSecret: 'a secret of the tests' };
const valid = { access_token: 'access', refresh_token: 'refresh', expires_at_ms: null };
const ended = { ...valid, expires_at_ms: 0 };
const revoke = (tokens: Parameters<typeof revokeAccess>[2], config = configOf()) =>
  revokeAccess({ config, client }, { provider: 'devicemaker', account: '7' }, tokens, Date.now());
const polar = {
  ...{
    POLAR_API_URL: provider.origin,
    POLAR_CLIENT_ID: 'tests',
    POLAR_CLIENT_SECRET: 'a secret of the tests',
  },
};

t.beforeEach(() => {
  provider.faults.clear();
  provider.bodies.clear();
  provider.seen.length = 0;
});

t.test('a revocation is not done while the provider is down', async (t) => {
  provider.faults.set('/dm/token', 503);
  t.same(await revoke(ended), { done: false, tokens: null }, 'the token endpoint fails');
  provider.faults.set('/dm/token', 400);
  t.same(await revoke(ended), { done: false, tokens: null }, 'a refusal without a code');
  provider.faults.set('/dm/token', 401);
  t.same(await revoke(ended), { done: true, tokens: null }, 'the access has ended');
  const unreachable = configOf({ DEVICEMAKER_API_URL: 'http://127.0.0.1:1' });
  t.same(await revoke(valid, unreachable), { done: false, tokens: null }, 'there is no answer');
});

t.test('the next attempt gets the tokens that this one refreshed', async (t) => {
  provider.bodies.set('/dm/token', { access_token: 'fresh' });
  provider.faults.set('/dm/api/user/registration', 503);
  t.match(await revoke(ended), {
    done: false,
    tokens: { access_token: 'fresh', refresh_token: 'refresh' },
  });
});

t.test('all subscriptions of an account are ended', async (t) => {
  const profiles = [1, 4, 44].map((appli) => ({ appli, callbackurl: 'https://pulse.example/webhooks' }));
  provider.bodies.set('/notify', { status: 0, body: { profiles } });
  const whose = { provider: 'withings', account: '7' } as const;
  t.same(await revokeAccess({ config: configOf(), client }, whose, valid, Date.now()), {
    ...{ done: true, tokens: null },
  });
  t.equal(provider.count('POST', '/notify'), 1 + profiles.length);
});

t.test('an expired token of a removed client is sent nowhere', async (t) => {
  const removed = { config: configOf(), client: 'removed' } as const;
  t.same(await revokeAccess(removed, { provider: 'withings', account: '7' }, ended, Date.now()), {
    done: true,
    tokens: null,
  });
  t.strictSame(provider.seen, []);
});

t.test(
  'a token without a refresh token is used past its stated end, at the address of its account',
  async (t) => {
    provider.bodies.set('/v3/users/475', {});
    const tokens = { access_token: 'access', refresh_token: null, expires_at_ms: 0 };
    const whose = { provider: 'polar', account: '475' } as const;
    t.same(await revokeAccess({ config: configOf(polar), client }, whose, tokens, Date.now()), {
      done: true,
      tokens: null,
    });
    t.equal(provider.count('DELETE', '/v3/users/475'), 1);
  },
);

t.test('a token is sent in the query where the provider reads it there', async (t) => {
  provider.bodies.set('/oauth/revoke', {});
  t.same(
    await revokeAccess({ config: configOf(), client }, { provider: 'oura', account: '7' }, valid, Date.now()),
    { done: true, tokens: null },
  );
  t.match(provider.seen, [{ method: 'POST', path: '/oauth/revoke', query: 'access_token=access' }]);
});

t.test('a client proves itself in the form, and the token stands there alone', async (t) => {
  const config = configOf({
    ULTRAHUMAN_API_URL: provider.origin,
    ULTRAHUMAN_CLIENT_ID: 'tests',
    ULTRAHUMAN_CLIENT_SECRET: 'a secret of the tests',
  });
  const path = '/api/partners/oauth/revoke';
  const whose = { provider: 'ultrahuman', account: '7' } as const;
  provider.bodies.set(path, {});
  t.same(await revokeAccess({ config, client }, whose, valid, Date.now()), { done: true, tokens: null });
  const form = 'token=access&client_id=tests&client_secret=a+secret+of+the+tests';
  t.match(provider.seen, [{ method: 'POST', path, query: '', token: '', form }]);
  provider.seen.length = 0;
  t.same(await revokeAccess({ config, client: 'removed' }, whose, valid, Date.now()), {
    done: true,
    tokens: null,
  });
  t.strictSame(provider.seen, [], 'a client without its secret cannot prove itself');
});
