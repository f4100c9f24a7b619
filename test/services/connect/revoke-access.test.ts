import t from 'tap';
import { revokeAccess } from '../../../services/connect/revoke-access.ts';
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
const valid = { access_token: 'access', refresh_token: 'refresh', expires_at_ms: null };
const ended = { ...valid, expires_at_ms: 0 };
const revoke = (tokens: Parameters<typeof revokeAccess>[2], config = configOf()) =>
  revokeAccess(config, 'devicemaker', tokens, Date.now());

t.beforeEach(() => {
  provider.faults.clear();
  provider.bodies.clear();
  provider.seen.length = 0;
});

t.test('a revocation is not done while the provider is down', async (t) => {
  provider.faults.set('/dm/token', 503);
  t.same(await revoke(ended), { done: false, tokens: null }, 'the token endpoint fails');
  provider.faults.set('/dm/token', 400);
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
  t.same(await revokeAccess(configOf(), 'withings', valid, Date.now()), { done: true, tokens: null });
  t.equal(provider.count('POST', '/notify'), 1 + profiles.length);
});

t.test('a token is sent in the query where the provider reads it there', async (t) => {
  provider.bodies.set('/oauth/revoke', {});
  t.same(await revokeAccess(configOf(), 'oura', valid, Date.now()), { done: true, tokens: null });
  t.match(provider.seen, [{ method: 'POST', path: '/oauth/revoke', query: 'access_token=access' }]);
});
