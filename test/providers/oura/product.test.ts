import t from 'tap';
import { z } from 'zod';
import { control, type Product, settled, startProduct } from '../../conformance/product.ts';
import { oura } from '../../conformance/providers/oura.ts';
import type { Account } from '../../conformance/scenarios.ts';
import { servedStarts } from '../../conformance/served.ts';
import { until } from '../../support/until.ts';

const dayMs = 86_400_000;
const Nights = z.object({
  data: z.array(z.object({ start_time: z.string(), extra: z.object({ efficiency: z.number() }) })),
});

async function nightsOf({ api }: Product, { userId }: Account) {
  const query = 'start_date=2020-01-01&end_date=2040-01-01&limit=100&include=timeline';
  return Nights.parse(await api.expect(200, `/users/${userId}/events/sleep?${query}`)).data;
}

/** The key of the oldest stored item of a type. */
async function oldestOf({ api }: Product, { userId }: Account, type: string): Promise<string> {
  const [row] = await api.database.query<{ key: string }>(
    `select i.key from timeseries.item i join timeseries.workout w on w.id = any (i.record_ids)
     where i.user_id = $1 and i.data_type = $2 and w.user_id = $1 order by w.start_time limit 1`,
    [userId, type],
  );
  return row?.key ?? '';
}

const Subscribed = z.array(z.object({ callback_url: z.string(), data_type: z.string() }));

t.test('what Oura changes is stored as it is then', async (t) => {
  const product = await startProduct(t);
  const { api, sandbox } = product;
  const account = await oura.connect(product, 0, []);
  const change = (method: 'POST' | 'DELETE', of: string) =>
    control(product, method, `/oura/control/people/${account.person}/${of}`);

  await t.test('the product subscribes at its own address', async (t) => {
    const { OURA_CLIENT_ID = '', OURA_CLIENT_SECRET = '', OURA_API_URL = '' } = sandbox.access.settings;
    const headers = { 'x-client-id': OURA_CLIENT_ID, 'x-client-secret': OURA_CLIENT_SECRET };
    const listed = async () => {
      const answer = await fetch(`${OURA_API_URL}/v2/webhook/subscription`, { headers });
      return Subscribed.parse(await answer.json());
    };
    const own = `/api/v1/webhooks/oura/events/${product.secretOf('oura')}`;
    // The sandbox subscribed at the address of the gateway, which is not the public one.
    await until(async () => {
      await api.database.query("update pull.subscription set checked_at = now() - interval '1 day'");
      await api.database.query("update jobs.job set run_at = now() where kind = 'pull-ingest.subscriptions'");
      const all = await listed();
      return (
        all.length === 33 &&
        all.every(({ callback_url: url }) => url.endsWith(own) && !url.startsWith(api.url))
      );
    });
    t.equal((await listed()).length, 33);
  });

  await t.test('a night that is scored three times is one, with the newest values', async (t) => {
    await api.expect(202, `/users/${account.userId}/connections/oura/backfill`, {
      ...{ method: 'POST', body: { days: 20 } },
    });
    await settled(product);
    t.ok((await nightsOf(product, account)).length > 10);
    const before = await nightsOf(product, account);
    const [row] = await api.database.query<{ key: string }>(
      `select i.key from timeseries.item i join timeseries.sleep_session s on s.id = any (i.record_ids)
       where i.user_id = $1 and s.user_id = $1 order by s.start_time desc limit 1`,
      [account.userId],
    );
    for (let time = 0; time < 3; time++) {
      await change('POST', `sleep/${row?.key ?? ''}`);
      await sandbox.advance(1000);
      await settled(product);
    }
    await until(async () =>
      (await nightsOf(product, account)).some(({ extra: { efficiency } }) => efficiency === 91),
    );
    const after = await nightsOf(product, account);
    t.same(
      after.map(({ start_time }) => start_time).sort(),
      before.map(({ start_time }) => start_time).sort(),
    );
    t.equal(after.filter(({ extra: { efficiency } }) => efficiency !== 88).length, 1);
  });

  await t.test('a deleted workout is removed, however old it is', async (t) => {
    const key = await oldestOf(product, account, 'workout');
    const before = await servedStarts(product, account.userId, 0, 'workouts');
    const [first = ''] = before;
    t.ok(Date.parse(`${first}Z`) < Date.now() - 10 * dayMs, `${first} is not among the last days`);
    await change('DELETE', `workout/${key}`);
    await sandbox.advance(1000);
    await until(async () => (await oldestOf(product, account, 'workout')) !== key);
    t.same(await servedStarts(product, account.userId, 0, 'workouts'), before.slice(1));
  });
});
