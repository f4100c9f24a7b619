import { Webhook } from 'standardwebhooks';
import { Webhook as SvixWebhook } from 'svix';
import t from 'tap';
import { newSecret } from '../../../services/webhooks/rules/signatures.ts';
import { insertTest } from '../../../services/webhooks/tables/messages.ts';
import { startSetting } from './delivery-setting.ts';

const verifiers = { standardwebhooks: Webhook, svix: SvixWebhook };

t.test(
  'verifiers accept what is sent, and refuse a changed body, another id and another secret',
  async (t) => {
    const s = await startSetting(t);
    const endpoint = await s.endpoint();
    const [id = ''] = await s.change([endpoint], { data: { note: 'naïve ☃' } });
    await s.deliver();
    await s.reaches(id, 'delivered');
    const [{ body, headers } = { body: '', headers: {} }] = s.received;
    for (const [name, Verifier] of Object.entries(verifiers)) {
      const verifier = new Verifier(endpoint.secret);
      t.doesNotThrow(() => verifier.verify(body, headers), name);
      t.throws(() => verifier.verify(body.replace('workout', 'sleep'), headers), `${name}: a changed body`);
      t.throws(() => verifier.verify(body, { ...headers, 'webhook-id': 'other' }), `${name}: another id`);
      t.throws(() => new Verifier(newSecret()).verify(body, headers), `${name}: another secret`);
    }
  },
);

t.test('both secrets sign during a rotation, and only the new one afterwards', async (t) => {
  const s = await startSetting(t);
  const [rotated, done] = [await s.endpoint(), await s.endpoint()];
  for (const { endpoint, until } of [
    { endpoint: rotated, until: "now() + interval '1 hour'" },
    { endpoint: done, until: "now() - interval '1 second'" },
  ])
    await s.database.query(
      `update webhooks.endpoint set former_secret = secret, former_until = ${until}, secret = $2 where id = $1`,
      [endpoint.id, s.cipher.encrypt(newSecretOf(endpoint.id), endpoint.id)],
    );
  const signers = [await insertTest(s.database, rotated.id, 0), await insertTest(s.database, done.id, 0)];
  t.strictSame(
    signers.map((test) => test !== undefined && test.former_secret !== null),
    [true, false],
    'of tests too',
  );
  const [first = '', second = ''] = await s.change([rotated, done]);
  await s.deliver();
  await s.reaches(first, 'delivered');
  await s.reaches(second, 'delivered');
  const of = (path: string) => s.received.find((one) => one.path === path) ?? { body: '', headers: {} };
  for (const [name, Verifier] of Object.entries(verifiers)) {
    const { body, headers } = of(rotated.path);
    t.doesNotThrow(() => new Verifier(rotated.secret).verify(body, headers), `${name}: the former secret`);
    t.doesNotThrow(
      () => new Verifier(newSecretOf(rotated.id)).verify(body, headers),
      `${name}: the new secret`,
    );
    const after = of(done.path);
    t.doesNotThrow(() => new Verifier(newSecretOf(done.id)).verify(after.body, after.headers), name);
    t.throws(() => new Verifier(done.secret).verify(after.body, after.headers), `${name}: afterwards`);
  }
});

const secrets = new Map<string, string>();
function newSecretOf(endpointId: string): string {
  const secret = secrets.get(endpointId) ?? newSecret();
  secrets.set(endpointId, secret);
  return secret;
}
