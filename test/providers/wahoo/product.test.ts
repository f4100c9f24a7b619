import t from 'tap';
import { z } from 'zod';
import {
  control,
  type Product,
  send,
  settled,
  simulationOf,
  startProduct,
} from '../../conformance/product.ts';
import { sweep } from '../../conformance/providers/pulled.ts';
import { wahoo } from '../../conformance/providers/wahoo.ts';
import type { Account } from '../../conformance/scenarios.ts';
import { until } from '../../support/until.ts';

const Workouts = z.object({
  data: z.array(z.object({ id: z.string(), start_time: z.string(), calories_kcal: z.number().nullable() })),
});
const Streams = z.object({ data: z.array(z.object({ altitude: z.number().nullable() })) });
const Body = z.object({ content: z.string() });

async function workoutsOf({ api }: Product, { userId }: Account) {
  const query = 'start_date=2020-01-01&end_date=2040-01-01&limit=100';
  return Workouts.parse(await api.expect(200, `/users/${userId}/events/workouts?${query}`)).data;
}

const newestItem = `
  select i.key, w.id from timeseries.item i join timeseries.workout w on w.id = any (i.record_ids)
  where i.user_id = $1 and w.user_id = $1 order by w.start_time desc limit 1`;

async function newestOf({ api }: Product, { userId }: Account) {
  const [row] = await api.database.query<{ key: string; id: string }>(newestItem, [userId]);
  if (row === undefined) throw new Error('the user has no workout');
  return row;
}

/** The heights of the track of a workout, each once. */
async function heightsOf({ api }: Product, { userId }: Account, id: string): Promise<number[]> {
  const answer = await api.expect(200, `/users/${userId}/events/workouts/${id}/streams?types=altitude`);
  const heights = Streams.parse(answer).data.flatMap(({ altitude }) => altitude ?? []);
  return [...new Set(heights)];
}

t.test('what Wahoo sends and changes', async (t) => {
  const product = await startProduct(t);
  const { api, sandbox } = product;
  const account = await wahoo.connect(product, 0, []);
  await settled(product);

  await t.test('a notification with a wrong token is refused, and no token is kept', async (t) => {
    const { WAHOO_WEBHOOK_TOKEN: token = '' } = sandbox.access.settings;
    t.ok(token.length > 20);
    const genuine = await wahoo.genuine(product, account);
    t.ok(genuine.body.includes(token));
    const wrong = { ...genuine, body: genuine.body.replace(token, 'a-token-of-somebody-else') };
    const unreadable = { ...genuine, body: `[${genuine.body}` };
    t.same([await send(wrong), await send(unreadable), await send(genuine)], [401, 401, 200]);
    await settled(product);
    const notes = await api.database.query<{ note: string; count: number }>(
      `select headers ->> 'pulsebus-body-secret' as note, count(*)::int as count from deliveries.delivery
       where provider = 'wahoo' group by 1 order by 1`,
    );
    t.match(
      notes.filter(({ note }) => note !== 'right'),
      [
        { note: 'missing', count: 1 },
        { note: 'wrong', count: 1 },
      ],
    );
    const kept = await api.database.query<{ id: string }>(
      "select id from deliveries.delivery where provider = 'wahoo'",
    );
    t.ok(kept.length >= 3);
    for (const { id } of kept) {
      const { content } = Body.parse(await api.expect(200, `/deliveries/${id}/body`));
      t.notMatch(content, token);
      t.notMatch(content, 'somebody-else');
    }
  });

  await t.test('the file of an edited workout takes the place of the former one', async (t) => {
    const { key, id } = await newestOf(product, account);
    const before = await workoutsOf(product, account);
    t.same(await heightsOf(product, account, id), [520]);
    const path = `/wahoo/control/people/${account.person}/activities/${encodeURIComponent(key)}`;
    await control(product, 'POST', path);
    await sandbox.advance(1000);
    await until(async () => {
      const newest = await newestOf(product, account);
      return (await heightsOf(product, account, newest.id)).includes(521);
    });
    t.same(await heightsOf(product, account, (await newestOf(product, account)).id), [521]);
    const after = await workoutsOf(product, account);
    t.same(
      after.map(({ start_time }) => start_time),
      before.map(({ start_time }) => start_time),
      'there is no second workout',
    );
    const { want, have } = await wahoo.compare(product, account);
    t.same(have, want, 'and no sample of the former file is left beside those of the new one');
  });

  await t.test('a deletion is found by the daily read', async (t) => {
    const { key } = await newestOf(product, account);
    const starts = (await workoutsOf(product, account)).map(({ start_time }) => start_time).sort();
    await control(
      product,
      'DELETE',
      `/wahoo/control/people/${account.person}/activities/${encodeURIComponent(key)}`,
    );
    await sweep(product);
    t.not((await newestOf(product, account)).key, key);
    const left = await workoutsOf(product, account);
    t.notOk(left.some(({ start_time }) => start_time === starts.at(-1)));
    const { want, have } = await wahoo.compare(product, account);
    t.same(have, want, 'and its samples are gone');
  });

  await t.test('an account has one pair of tokens, and parallel reads refresh it once', async (t) => {
    const holders = () => simulationOf(product, 'wahoo').tokenHolders();
    const grants = () => holders().flatMap((one) => one.grants);
    const path = `/users/${account.userId}/connections/wahoo/backfill`;
    const genuine = await wahoo.genuine(product, account);
    const pairs = new Set(grants().map(({ access_token }) => access_token));
    for (let time = 0; time < 3; time++) {
      for (const grant of grants()) grant.access_ends_ms = 0;
      const [status] = await Promise.all([
        send(genuine),
        api.expect(202, path, { method: 'POST', body: { days: 2 } }),
      ]);
      t.equal(status, 200);
      await until(() => grants().some(({ access_token }) => !pairs.has(access_token)));
      await settled(product);
      t.equal(grants().length, 1);
      for (const { access_token } of grants()) pairs.add(access_token);
    }
    t.equal(pairs.size, 4);
  });
});
