import { createHmac } from 'node:crypto';
import t from 'tap';
import { suunto } from '../../../providers/suunto/provider.ts';
import { apiHeadersOf } from '../../../runtime/provider-settings.ts';
import { toHttp } from '../../../services/pull-ingest/work/send-request.ts';
import { hmacSignatures } from '../../../services/pull-ingest/work/signatures.ts';
import { testConfig } from '../../support/servers/broker.ts';

const configOf = (settings: Readonly<Record<string, string>>) =>
  testConfig({ databaseUrl: 'postgres://127.0.0.1/none', settings });
const config = configOf({ SUUNTO_SUBSCRIPTION_KEY: 'a key', SUUNTO_NOTIFICATION_SECRET: 'a secret' });

t.test('every request has the key of the subscription', async (t) => {
  t.same(toHttp(config, 'suunto', { path: '/x', headers: { Prefer: 'a' } }).headers, {
    ...{ 'Ocp-Apim-Subscription-Key': 'a key', Prefer: 'a' },
  });
  t.same(apiHeadersOf(configOf({}), 'suunto'), {}, 'without a key there is no header');
  t.same(apiHeadersOf(config, 'whoop'), {}, 'another provider does not get it');
});

t.test('events are signed with the secret of notifications in hex', async (t) => {
  const body = Buffer.from('{"type":"WORKOUT_CREATED","username":"runner"}');
  const { authentication } = suunto.pull.notifications;
  const problemOf = (headers: Readonly<Record<string, string>>, of = config) =>
    hmacSignatures(authentication, of, async () => null).problemOf({ headers, body });
  const signed = (secret: string) => ({
    'x-hmac-sha256-signature': createHmac('sha256', secret).update(body).digest('hex'),
  });
  t.equal(await problemOf(signed('a secret')), null);
  t.equal(await problemOf(signed('another secret')), 'SIGNATURE_INVALID');
  t.equal(await problemOf({}), 'SIGNATURE_MISSING');
  t.equal(await problemOf(signed('a secret'), configOf({})), 'KEYS_UNAVAILABLE', 'nothing is accepted');
});
