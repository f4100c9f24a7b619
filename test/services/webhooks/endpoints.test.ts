import { randomUUID } from 'node:crypto';
import t from 'tap';
import { type Cipher, cipherOf } from '../../../mixins/provider-api/cipher.ts';
import { resealSecrets } from '../../../services/webhooks/actions/endpoints.ts';
import type { SealedSecrets } from '../../../services/webhooks/tables/endpoints.ts';
import { refusal } from '../../support/refusal.ts';
import { startWebhooks, upTo } from './setting.ts';

const secret = 'a secret of the tests with 32 characters and more';
const s = await startWebhooks(t, { WEBHOOK_ENDPOINT_ORIGINS: 'http://127.0.0.1:4000,https://10.0.0.1' });
const cipher = cipherOf({ ENCRYPTION_KEY: [secret] });
const url = 'https://app.example/hook';
const sealedOf = async (id: string): Promise<SealedSecrets> => {
  const [row] = await s.database.query<SealedSecrets>('select * from webhooks.endpoint where id = $1', [id]);
  if (row === undefined) throw new Error('no such endpoint');
  return row;
};

/** The secret and the former one. */
const openedWith = ({ decrypt }: Cipher, { id, secret, former_secret }: SealedSecrets): string[] =>
  [secret, former_secret].flatMap((value) => (value === null ? [] : [decrypt(value, id)]));

t.test('an endpoint is created, read, changed and deleted', async (t) => {
  const created = await s.call('webhooks.createEndpoint', { url });
  const { secret: shown, former_secret_until, ...endpoint } = created;
  t.match(shown, /^whsec_[A-Za-z0-9+/]{43}=$/);
  t.equal(former_secret_until, null);
  t.match(endpoint, {
    ...{
      url,
      description: null,
      event_types: null,
      include_data: false,
      max_per_second: null,
      enabled: true,
    },
    ...{ disabled_reason: null, failing_since: null, last_delivered_at: null },
  });
  const { id: endpoint_id } = created;
  t.strictSame(await s.call('webhooks.getEndpoint', { endpoint_id }), endpoint);
  t.strictSame(await s.call('webhooks.listEndpoints', {}), [endpoint], 'without its secret');
  const changed = await s.call('webhooks.updateEndpoint', {
    ...{
      endpoint_id,
      description: 'Production',
      event_types: ['user.updated', 'user.created', 'user.created'],
    },
    max_per_second: 5,
  });
  t.match(changed, { url, description: 'Production', event_types: ['user.created', 'user.updated'] });
  const back = await s.call('webhooks.updateEndpoint', { endpoint_id, event_types: null, description: null });
  t.match(back, { event_types: null, description: null, max_per_second: 5 });
  await s.call('webhooks.removeEndpoint', { endpoint_id });
  const gone = { getEndpoint: {}, updateEndpoint: { enabled: true }, removeEndpoint: {}, rotateSecret: {} };
  for (const name of ['getEndpoint', 'updateEndpoint', 'removeEndpoint', 'rotateSecret'] as const)
    await t.rejects(
      s.call(`webhooks.${name}`, { endpoint_id, ...gone[name] }),
      refusal('WEBHOOK_ENDPOINT_NOT_FOUND'),
      name,
    );
});

t.test('a change leaves an entry with the names of its fields, and no value', async (t) => {
  const { id } = await s.call('webhooks.createEndpoint', { url });
  await s.call('webhooks.updateEndpoint', {
    endpoint_id: id,
    url: `${url}?token=of-the-customer`,
    enabled: false,
  });
  await s.call('webhooks.rotateSecret', { endpoint_id: id });
  await s.call('webhooks.removeEndpoint', { endpoint_id: id });
  const entries = await s.database.query<{ action: string; details: unknown }>(
    'select action, details from auth.audit_entry where subject_id = $1 order by at, id',
    [id],
  );
  t.strictSame(
    entries.map(({ action }) => action),
    ['created', 'updated', 'secret_rotated', 'deleted'].map((what) => `webhook_endpoint.${what}`),
  );
  t.strictSame(entries[1]?.details, { fields: ['url', 'enabled'] });
  t.notMatch(JSON.stringify(entries), /of-the-customer|whsec_/);
});

t.test('there are at most 50 endpoints, also if many are created at once', async (t) => {
  await s.database.query('delete from webhooks.endpoint');
  const made = await Promise.allSettled(upTo(60).map(() => s.call('webhooks.createEndpoint', { url })));
  t.equal(made.filter(({ status }) => status === 'fulfilled').length, 50);
  await t.rejects(s.call('webhooks.createEndpoint', { url }), refusal('WEBHOOK_ENDPOINTS_FULL'));
  const [first] = await s.call('webhooks.listEndpoints', {});
  await s.call('webhooks.removeEndpoint', { endpoint_id: first?.id ?? '' });
  await t.resolves(s.call('webhooks.createEndpoint', { url }));
  await s.database.query('delete from webhooks.endpoint');
});

t.test('an address must be https and public, unless its origin is allowed', async (t) => {
  const long = (length: number) => `https://app.example/${'x'.repeat(length - 20)}`;
  const refused = [
    'http://app.example/',
    'https://127.0.0.1/',
    'https://[::1]/',
    'https://[::ffff:10.0.0.1]/',
    'https://10.0.0.2/',
    'https://169.254.169.254/latest',
    'https://2130706433/',
    'https://localhost/',
    'https://api.localhost./',
    'https://user:password@app.example/',
    'https://user@app.example/',
    'https://:password@app.example/',
    'https://app.example/#',
    'https://app.example/#part',
    'https://app.example/a\r\nx-injected: 1',
    'https://app.example/a\tb',
    ' https://app.example/',
    'https://app.example/\u0000',
    'https://app.example:0/',
    'https://app.example:25/',
    'https://app.example:65536/',
    'https://app .example/',
    'https://%31%32%37.0.0.1/',
    'https://0x7f.1/',
    'https://\uFF11\uFF12\uFF17.0.0.1/',
    'https://[::127.0.0.1]/',
    'https://[64:ff9b::7f00:1]/',
    'https://[fd00::1]/',
    'ftp://app.example/',
    'http://127.0.0.1:4001/',
    'nonsense',
    long(2001),
  ];
  for (const text of refused) {
    const failure = { ...refusal('VALIDATION_FAILED'), data: { errors: [{ field: 'url' }] } };
    await t.rejects(s.call('webhooks.createEndpoint', { url: text }), failure, text.slice(0, 60));
  }
  const accepted = [
    'http://127.0.0.1:4000/hook',
    'https://10.0.0.1/x',
    'https://93.184.215.14/',
    'https://app.example:8443/',
    'https://b\u00FCcher.example/',
    long(2000),
  ];
  for (const text of accepted) await t.resolves(s.call('webhooks.createEndpoint', { url: text }), text);
  const { id } = await s.call('webhooks.createEndpoint', { url });
  await t.rejects(
    s.call('webhooks.updateEndpoint', { endpoint_id: id, url: 'http://app.example/' }),
    refusal('VALIDATION_FAILED'),
  );
});

t.test('an unknown type, an empty list of types and a rate of 0 are refused', async (t) => {
  const event_types: never = ['nothing.happened'] as never;
  for (const fields of [{ event_types }, { event_types: [] }, { max_per_second: 0 }])
    await t.rejects(s.call('webhooks.createEndpoint', { url, ...fields }), refusal('VALIDATION_FAILED'));
});

t.test(
  'an endpoint is returned with the number of its waiting messages and the age of the oldest',
  async (t) => {
    const [{ id: endpoint_id }, { id: other }] = [
      await s.call('webhooks.createEndpoint', { url }),
      await s.call('webhooks.createEndpoint', { url }),
    ];
    const waitingOf = async (of: string) => {
      const { messages_waiting, oldest_waiting_message_seconds } = await s.call('webhooks.getEndpoint', {
        endpoint_id: of,
      });
      return [messages_waiting, oldest_waiting_message_seconds];
    };
    t.strictSame(await waitingOf(endpoint_id), [0, null]);
    await s.database.query(`update webhooks.endpoint set paused_until = 'infinity'`);
    await s.database.query(
      `insert into webhooks.message (endpoint_id, type, state, recorded_at)
     select e, 'user.created', state, now() - age * interval '1 s'
     from (values ($1::uuid, 'waiting', 40), ($1, 'waiting', 7200), ($1, 'delivered', 9000), ($2, 'waiting', 9000)) m (e, state, age)`,
      [endpoint_id, other],
    );
    const [count, age] = await waitingOf(endpoint_id);
    t.equal(count, 2);
    t.ok(Number(age) >= 7200 && Number(age) < 7300, `${age} s`);
    t.match(await s.call('webhooks.updateEndpoint', { endpoint_id, description: 'Late' }), {
      messages_waiting: 2,
    });
    await s.database.query(
      `insert into webhooks.message (endpoint_id, type, recorded_at)
     select $1, 'user.created', now() from generate_series(1, 10000)`,
      [endpoint_id],
    );
    t.equal((await waitingOf(endpoint_id))[0], 10_000, 'and is not counted further');
    await s.database.query('delete from webhooks.endpoint');
    await s.database.query('delete from webhooks.message');
  },
);

t.test('enabling an endpoint again ends its automatic disabling', async (t) => {
  const { id: endpoint_id } = await s.call('webhooks.createEndpoint', { url });
  await s.database.query(
    `update webhooks.endpoint set enabled = false, disabled_reason = 'failing', failing_since = now() where id = $1`,
    [endpoint_id],
  );
  const noted = await s.call('webhooks.updateEndpoint', { endpoint_id, description: 'Broken' });
  t.match(noted, { enabled: false, disabled_reason: 'failing', failing_since: String });
  const enabled = await s.call('webhooks.updateEndpoint', { endpoint_id, enabled: true });
  t.match(enabled, { enabled: true, disabled_reason: null, failing_since: null });
});

t.test('a rotation returns a new secret, and the former one signs for 24 hours', async (t) => {
  const created = await s.call('webhooks.createEndpoint', { url });
  const endpoint_id = created.id;
  const rotated = await s.call('webhooks.rotateSecret', { endpoint_id });
  t.not(rotated.secret, created.secret);
  const untilMs = Date.parse(rotated.former_secret_until ?? '');
  const sealed = await sealedOf(endpoint_id);
  t.strictSame(openedWith(cipher, sealed), [rotated.secret, created.secret]);
  t.equal(sealed.former_until?.getTime(), untilMs);
  t.ok(untilMs - Date.now() > 23 * 3_600_000 && untilMs - Date.now() <= 24 * 3_600_000);
  const third = await s.call('webhooks.rotateSecret', { endpoint_id });
  const signing = openedWith(cipher, await sealedOf(endpoint_id));
  t.strictSame(signing, [third.secret, rotated.secret]);
});

t.test('secrets are stored encrypted and bound to their endpoint', async (t) => {
  const { id, secret: shown } = await s.call('webhooks.createEndpoint', { url });
  const sealed = await sealedOf(id);
  t.notMatch(JSON.stringify(await s.database.query('select * from webhooks.endpoint')), shown);
  t.equal(cipher.decrypt(sealed.secret, id), shown);
  t.throws(() => cipher.decrypt(sealed.secret, randomUUID()));
});

t.test('secrets of an earlier ENCRYPTION_KEY are encrypted with the first one', async (t) => {
  const { id: endpoint_id, secret: former } = await s.call('webhooks.createEndpoint', { url });
  const { secret: shown } = await s.call('webhooks.rotateSecret', { endpoint_id });
  const later = cipherOf({ ENCRYPTION_KEY: ['another secret of 32 characters or more', secret] });
  t.ok((await resealSecrets(s.database, later)) > 0);
  const only = cipherOf({ ENCRYPTION_KEY: ['another secret of 32 characters or more'] });
  t.strictSame(openedWith(only, await sealedOf(endpoint_id)), [shown, former]);
  t.equal(await resealSecrets(s.database, later), 0);
  await s.database.query('update webhooks.endpoint set former_secret = $2 where id = $1', [
    endpoint_id,
    cipher.encrypt(former, endpoint_id),
  ]);
  t.equal(await resealSecrets(s.database, later), 1, 'a former secret by itself too');
  t.strictSame(openedWith(only, await sealedOf(endpoint_id)), [shown, former]);
  t.equal(await resealSecrets(s.database, cipher), 0, 'what it cannot decrypt stays');
});
