import t from 'tap';
import { createUser, startApi } from '../support/api.ts';
import { until } from '../support/until.ts';

// Rows of a provider that PROVIDERS named, and names no longer.
t.test('a user of a provider that is gone is erased, with the deliveries of the account', async (t) => {
  const api = await startApi(t, { BACKFILL_ON_CONNECT: 'false' });
  const { database } = api;
  const userId = await createUser(api);
  const body = {
    provider: 'whoop',
    provider_user_id: 'account-771',
    access_token: 'a token',
    expires_at: new Date(Date.now() + 86_400_000).toISOString(),
    scope: ['read:sleep'],
  };
  await api.expect(201, `/users/${userId}/connections`, { body });
  await database.query("update users.connection set provider = 'bandmaker'");
  const kept = `insert into deliveries.delivery (provider, kind, state, headers, body, received_at, done_at)
    values ('bandmaker', 'events', 'done', '{}', $1, now() - interval '2 minutes', now() - interval '2 minutes')`;
  for (const account of ['account-771', 'account-772'])
    await database.query(kept, [Buffer.from(JSON.stringify({ account, type: 'sleep' }))]);
  await api.expect(200, `/users/${userId}`, { method: 'DELETE' });
  const hurry = [
    'update deliveries.erasure set run_at = now() where run_at > now()',
    `update jobs.job set run_at = now() where kind in ('deliveries.erasure', 'users.erasure') and run_at > now() and not leased`,
  ];
  const bodies = async () => {
    const rows = await database.query<{ body: Buffer }>('select body from deliveries.delivery order by id');
    return rows.map((row) => row.body.toString()).toSorted();
  };
  await until(async () => {
    for (const statement of hurry) await database.query(statement);
    return (await bodies()).includes('');
  });
  t.same(await bodies(), ['', '{"account":"account-772","type":"sleep"}']);
  const erasing = `select from deliveries.erasure union all select from jobs.job where kind = 'users.erasure'`;
  await until(async () => {
    for (const statement of hurry) await database.query(statement);
    return (await database.query(erasing)).length === 0;
  });
  t.same(await database.query('select from users.connection'), []);
  t.same(await database.query("select from jobs.job where kind = 'users.token_revocation'"), []);
});
