import t from 'tap';
import { z } from 'zod';
import { addressOf } from '../../../services/pull-ingest/rules/notification-address.ts';
import { testConfig } from '../../support/servers/broker.ts';
import { until } from '../../support/until.ts';
import { startAnswering } from './answering.ts';

const secret = 'polar_secret_of_the_tests_0000000001';
const credentials = {
  ...{ POLAR_CLIENT_ID: 'client', POLAR_CLIENT_SECRET: 'a secret', WEBHOOK_SECRET_POLAR: secret },
};

t.test('an address is one that the provider can reach', async (t) => {
  const isRegistered = (PUBLIC_URL: string | undefined, more: Readonly<Record<string, string>> = {}) => {
    const settings = { ...credentials, ...(PUBLIC_URL === undefined ? {} : { PUBLIC_URL }), ...more };
    return addressOf(testConfig({ databaseUrl: 'postgres://127.0.0.1/none', settings }), 'polar') !== null;
  };
  const urls = [
    ...[
      'http://api.acme.com',
      'https://localhost',
      'https://127.0.0.1',
      'https://10.1.2.3',
      'https://192.168.1.9:8443',
    ],
    ...[
      'https://[::1]',
      'https://[fd00::1]',
      'https://169.254.169.254',
      'https://nas.local',
      'https://pulsebus',
    ],
    ...['https://api.internal', 'https://app.localhost', 'https://100.64.0.1', 'https://nas.local.'],
  ];
  t.same(
    urls.filter((url) => isRegistered(url)),
    [],
  );
  const open = [
    'https://api.acme.com',
    'https://api.acme.com/health',
    'https://9.9.9.9',
    'https://[2606:4700::1111]',
  ];
  t.same(
    open.filter((url) => !isRegistered(url)),
    [],
  );
  t.notOk(isRegistered(undefined));
  const atHome = { POLAR_API_URL: 'http://127.0.0.1:4777' };
  t.notOk(isRegistered(undefined, atHome), 'a provider on this machine is no exception');
  t.ok(isRegistered(undefined, { ...atHome, SANDBOX_URL: 'http://127.0.0.1:4777' }), 'the sandbox is');
  t.notOk(isRegistered(undefined, { SANDBOX_URL: 'http://127.0.0.1:4777' }), 'beside which others are real');
});

t.test('without an address none is registered, and the state says so', async (t) => {
  const { api, requested } = await startAnswering(t, credentials);
  const Setup = z.object({ provider: z.string(), subscription: z.object({ state: z.string() }).nullable() });
  const stateOf = async (name: string) => {
    const all = z.array(Setup).parse(await api.expect(200, '/providers'));
    return all.find(({ provider }) => provider === name)?.subscription?.state;
  };
  await until(async () => (await stateOf('polar')) === 'no_address');
  t.notOk(requested.some((path) => path.startsWith('/v3/webhooks')));
});
