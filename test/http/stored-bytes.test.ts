import { randomBytes, randomUUID } from 'node:crypto';
import t from 'tap';
import { countStored } from '../../mixins/inbox/inbox-stored.ts';
import { type Answer, joinApi, push, type TestApi } from '../support/api.ts';
import { freshDatabase, natsUrl } from '../support/servers/database.ts';
import { until } from '../support/until.ts';

const secret = 'a-secret-of-the-tests-of-32-characters-and-more';
const database = await freshDatabase(t);
const join = {
  database,
  natsUrl: natsUrl(),
  namespace: randomUUID(),
  settings: {
    WEBHOOK_STORED_ADDRESS_MIB: '1',
    WEBHOOK_SECRET_DEVICEMAKER: secret,
    RATE_LIMIT_FAILURES: '100000',
  },
};
const one = await joinApi(t, join);
const two = await joinApi(t, { ...join, services: ['api-gateway', 'auth'] });
const text = randomBytes(250_000).toString('hex');
const body = { dailies: [], x: text };

const pushSecretly = (api: TestApi): Promise<Answer> =>
  api.ask(`/api/v1/webhooks/devicemaker/push/${secret}`, {
    body,
    headers: { 'devicemaker-client-id': 'tests' },
  });

const storedOf = async (sender: string) => {
  const rows = await database.query<{ bytes: number }>(
    'select bytes::float8 as bytes from deliveries.stored where sender = $1',
    [sender],
  );
  return rows[0]?.bytes ?? 0;
};

t.test('every gateway refuses an address that stored its share, but not the provider', async (t) => {
  t.equal((await push(one, body)).status, 200);
  t.equal((await push(one, body)).status, 200);
  await until(async () => (await storedOf('address:127.0.0.1')) > 1_000_000);
  const refused = await push(one, body);
  t.equal(refused.status, 503);
  t.same(refused.body, { detail: 'No more deliveries can be stored for now.', code: 'SERVICE_UNAVAILABLE' });
  t.equal(refused.headers.get('retry-after'), '600');
  t.equal((await push(two, { dailies: [] })).status, 200, 'a small one has room');
  await until(async () => (await push(two, body)).status === 503);
  t.equal((await pushSecretly(one)).status, 200);
  await until(async () => (await storedOf('provider:devicemaker')) > 500_000);
});

t.test('deleted deliveries free storage', async (t) => {
  await database.query("delete from deliveries.delivery where sender = 'address:127.0.0.1'");
  await countStored(database);
  t.equal(await storedOf('address:127.0.0.1'), 0);
  t.ok((await storedOf('provider:devicemaker')) > 500_000);
  // A gateway may add what it stored before: each count takes that away again.
  for (const api of [one, two])
    await until(async () => {
      await countStored(database);
      return (await push(api, { dailies: [], x: text.slice(0, 10_000) })).status === 200;
    });
});
