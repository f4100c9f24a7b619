import { randomBytes } from 'node:crypto';
import t from 'tap';
import { z } from 'zod';
import { joinApi } from '../support/api.ts';
import { freshDatabase, natsUrl } from '../support/servers/database.ts';

t.test('20 requests at once through two gateways over NATS create one user', async (t) => {
  const database = await freshDatabase(t);
  const joined = {
    database,
    natsUrl: natsUrl(),
    namespace: `test-${randomBytes(6).toString('hex')}`,
    settings: { RATE_LIMIT_ADDRESS: '100000' },
  };
  const one = await joinApi(t, joined);
  const other = await joinApi(t, joined);
  const userCount = async () => z.object({ total: z.int() }).parse(await one.expect(200, '/users')).total;
  const before = await userCount();
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      (index % 2 ? one : other).ask('/api/v1/users', {
        key: one.apiKey,
        body: { first_name: 'One' },
        headers: { 'Idempotency-Key': 'at once' },
      }),
    ),
  );
  t.same(new Set(answers.map(({ status }) => status)), new Set([201]));
  t.equal(new Set(answers.map(({ text }) => text)).size, 1);
  t.equal(answers.filter(({ headers }) => headers.get('idempotent-replayed') === null).length, 1);
  t.equal(await userCount(), before + 1);
});
