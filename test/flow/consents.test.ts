import { randomUUID } from 'node:crypto';
import t from 'tap';
import { z } from 'zod';
import { consentVersion } from '../../services/api-gateway/actions/connect-page/languages.ts';
import { forgetConsents, storeConsent } from '../../services/connect/actions/consents.ts';
import { consentTo } from '../services/connect/provider.ts';
import { createUser } from '../support/api.ts';
import { linkFor } from '../support/connect.ts';
import { agree, formOf } from '../support/connect-page.ts';
import { until } from '../support/until.ts';
import { installConnectPage } from './connect-page.ts';

const { api, connect, opened, provider } = await installConnectPage(t);
const Page = z.object({
  data: z.array(
    z.object({
      provider: z.string(),
      kind: z.string(),
      text_version: z.number().nullable(),
      language: z.string().nullable(),
      scopes: z.array(z.string()),
      session_id: z.string().nullable(),
      agreed_at: z.string(),
      withdrawn_at: z.string().nullable(),
    }),
  ),
  pagination: z.object({ next_cursor: z.string().nullable(), total_count: z.number() }),
});

const consentsOf = async (userId: string, query = '') =>
  Page.parse(await api.expect(200, `/users/${userId}/consents?${query}`));
const countOf = async (userId: string) =>
  (await api.database.query('select from connect.consent where user_id = $1', [userId])).length;

t.test(
  'agreeing stores the shown text, the session and the asked scopes, also if access is denied',
  async (t) => {
    const userId = await createUser(api);
    const { browser, url } = await opened(userId, { language: 'de' });
    const page = await browser.open(`${url}/activitynet`);
    t.same((await consentsOf(userId)).data, [], 'the page alone is no consent');
    const [, field = ''] = /name="text" value="([^"]+)"/.exec(page.text) ?? [];
    t.equal(field, `${consentVersion}.de`);
    await agree(browser, `${url}/activitynet`, formOf(page), { text: field });
    const { data } = await consentsOf(userId);
    t.match(data, [
      {
        ...{ provider: 'activitynet', kind: 'page', text_version: consentVersion, language: 'de' },
        scopes: ['activity:read_all', 'profile:read_all'],
        ...{ session_id: url.slice(url.lastIndexOf('/') + 1), withdrawn_at: null },
      },
    ]);
    t.ok(Math.abs(Date.parse(data[0]?.agreed_at ?? '') - Date.now()) < 60_000);
  },
);

t.test('a form without its text, or with one that there is not, agrees to nothing', async (t) => {
  const userId = await createUser(api);
  const { browser, url } = await opened(userId);
  const form = formOf(await browser.open(`${url}/devicemaker`));
  for (const text of ['', `${consentVersion + 1}.en`, '1.xx'])
    t.equal((await agree(browser, `${url}/devicemaker`, form, { text })).status, 403, text);
  t.same((await consentsOf(userId)).data, []);
});

t.test('a link without the connect page has a consent without a text, once it is connected', async (t) => {
  const userId = await createUser(api);
  provider.account = randomUUID();
  const denied = await linkFor(api, userId, 'devicemaker');
  await fetch(await consentTo(denied.authorization_url, { deny: true }), { redirect: 'manual' });
  t.same((await consentsOf(userId)).data, []);
  const { authorization_url } = await linkFor(api, userId, 'devicemaker');
  await fetch(await consentTo(authorization_url), { redirect: 'manual' });
  t.match((await consentsOf(userId)).data, [
    {
      ...{ provider: 'devicemaker', kind: 'provider', text_version: null, language: null },
      ...{ scopes: [], session_id: null, withdrawn_at: null },
    },
  ]);
});

t.test('ending the connection withdraws its consents, and a new one is in force', async (t) => {
  const userId = await createUser(api);
  provider.account = randomUUID();
  const first = await opened(userId);
  await connect(first.browser, first.url);
  provider.account = '4294967297555';
  await connect(first.browser, first.url, 'activitynet');
  await api.expect(200, `/users/${userId}/connections/devicemaker`, { method: 'DELETE' });
  const states = async () =>
    (await consentsOf(userId)).data.map((one) => [one.provider, one.withdrawn_at !== null]);
  t.same(await states(), [
    ['activitynet', false],
    ['devicemaker', true],
  ]);
  const withdrawn = (await consentsOf(userId)).data[1]?.withdrawn_at;
  provider.account = randomUUID();
  const second = await opened(userId);
  await connect(second.browser, second.url);
  await api.expect(200, `/users/${userId}/connections/devicemaker`, { method: 'DELETE' });
  t.same(await states(), [
    ['devicemaker', true],
    ['activitynet', false],
    ['devicemaker', true],
  ]);
  t.equal((await consentsOf(userId)).data[2]?.withdrawn_at, withdrawn, 'the first time stays');
});

t.test('consents are paged, newest first, and are part of the export', async (t) => {
  const userId = await createUser(api);
  for (const name of ['devicemaker', 'activitynet', 'devicemaker'] as const)
    await storeConsent(api.database, { userId, provider: name, sessionId: null, text: null });
  const first = await consentsOf(userId, 'limit=2');
  t.same(
    first.data.map((one) => one.provider),
    ['devicemaker', 'activitynet'],
  );
  t.equal(first.pagination.total_count, 3);
  const rest = await consentsOf(userId, `limit=2&cursor=${first.pagination.next_cursor}`);
  t.same(
    rest.data.map((one) => one.provider),
    ['devicemaker'],
  );
  t.equal(rest.pagination.next_cursor, null);
  await api.database.query(
    `update connect.consent set agreed_at = '2026-03-01T12:00:00Z' where id = (select min(id) from connect.consent where user_id = $1)`,
    [userId],
  );
  const on = (from: string, until: string) => consentsOf(userId, `start_time=${from}&end_time=${until}`);
  t.equal((await on('2026-03-01T12:00:00Z', '2026-03-01T12:00:01Z')).pagination.total_count, 1);
  t.same((await on('2026-03-01', '2026-03-01T12:00:00Z')).data, []);
  t.same((await on('2026-03-01T12:00:01Z', '2026-03-02')).data, []);
  const { text } = await api.ask(`/api/v1/users/${userId}/export?kinds=consent`, { key: api.apiKey });
  const lines = text
    .trimEnd()
    .split('\n')
    .map((line): unknown => JSON.parse(line));
  t.equal(lines.length, 4);
  t.match(lines[0], {
    kind: 'consent',
    consent_kind: 'provider',
    provider: 'devicemaker',
    withdrawn_at: null,
  });
  await api.expect(404, `/users/${randomUUID()}/consents`);
});

t.test('an erased user leaves no consent, also of an attempt that ends later', async (t) => {
  const userId = await createUser(api);
  const given = { userId, provider: 'devicemaker' as const, sessionId: null, text: null };
  await storeConsent(api.database, given);
  t.equal(await countOf(userId), 1);
  await api.expect(200, `/users/${userId}`, { method: 'DELETE' });
  await until(async () => (await countOf(userId)) === 0);
  await storeConsent(api.database, given);
  t.equal(await countOf(userId), 0);
});

t.test('who forgets a user waits for a consent that is being written', async (t) => {
  const userId = await createUser(api);
  const order: string[] = [];
  let forgetting: Promise<unknown> | undefined;
  await api.database.transaction(async (transaction) => {
    await storeConsent(
      { ...api.database, transaction: (work) => work(transaction) },
      { userId, provider: 'devicemaker', sessionId: null, text: null },
    );
    forgetting = forgetConsents(api.database, userId).then(() => order.push('forgotten'));
    await until(async () => {
      const waiting = "select from pg_locks where locktype = 'advisory' and not granted and objid = 7361";
      return (await api.database.query(waiting)).length === 1;
    });
    order.push('written');
  });
  await forgetting;
  t.same(order, ['written', 'forgotten']);
  t.equal(await countOf(userId), 0);
});
