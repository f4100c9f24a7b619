import { randomUUID } from 'node:crypto';
import t from 'tap';
import { consentTo } from '../services/connect/provider.ts';
import { createUser, joinApi } from '../support/api.ts';
import { connectionsOf } from '../support/connect.ts';
import { agree, formOf, leadsTo, sessionFor, visitor } from '../support/connect-page.ts';
import { installConnectPage } from './connect-page.ts';

const { api, connect, opened, provider, toProvider } = await installConnectPage(t);

t.test('a user who is erased meanwhile, and a connection that is revoked meanwhile', async (t) => {
  const userId = await createUser(api);
  provider.account = randomUUID();
  const { browser, url } = await opened(userId);
  await connect(browser, url);
  await api.expect(200, `/users/${userId}/connections/devicemaker`, { method: 'DELETE' });
  t.match((await browser.open(url)).text, /<p class="chip none">.*Not connected[\s\S]*Connect: Garmin/);
  await connect(browser, url);
  await api.database.query("update users.connection set status = 'expired' where user_id = $1", [userId]);
  t.match((await browser.open(url)).text, 'Reconnect: Garmin');

  const callback = await consentTo(await toProvider(browser, url));
  const form = formOf(await browser.open(`${url}/devicemaker`));
  await api.expect(200, `/users/${userId}`, { method: 'DELETE' });
  const answers = [await browser.open(callback.href), await browser.open(url)];
  answers.push(await agree(browser, `${url}/devicemaker`, form));
  for (const { status, text } of answers) {
    t.equal(status, 410);
    t.match(text, /does not exist any more[\s\S]*ask the operator/);
  }
});

t.test(
  'the page says why a link was made, once per page, in its language, until an attempt ends',
  async (t) => {
    const userId = await createUser(api);
    provider.account = randomUUID();
    const first = await opened(userId);
    await connect(first.browser, first.url);
    const endAccess = () =>
      api.database.query("update users.connection set status = 'expired' where user_id = $1", [userId]);
    const noticesOf = ({ text }: { text: string }) =>
      [...text.matchAll(/<p class="notice[^>]*><svg.*?<\/svg><span>(.*?)<\/span><\/p>/g)].map(
        ([, notice]) => notice,
      );
    const seen = async (more: Readonly<Record<string, unknown>>) =>
      noticesOf((await opened(userId, more)).page);
    const withoutData = /^No new data of Garmin has arrived for some time: please open the app of Garmin/;
    t.match(await seen({ reason: 'no_data' }), [withoutData]);
    t.strictSame(await seen({ reason: 'access_ended' }), [], 'a connection that works again is not named');
    await endAccess();
    const ended = 'The access to Garmin has ended, so no new data arrives: please connect again.';
    t.strictSame(await seen({ reason: 'access_ended' }), [ended]);
    t.match(await seen({ reason: 'no_data' }), [withoutData]);
    const german = await seen({ reason: 'access_ended', language: 'de', providers: ['devicemaker'] });
    t.match(german, [/^Der Zugriff auf Garmin ist beendet, .*: Bitte verbinden Sie erneut\.$/]);
    t.strictSame(await seen({}), [], 'without a reason the page says nothing of it');
    t.strictSame(await seen({ reason: 'access_ended', providers: ['activitynet'] }), [
      ended.replace('Garmin', 'Strava'),
    ]);

    const { browser, url } = await opened(userId, { reason: 'access_ended' });
    t.strictSame(noticesOf(await connect(browser, url)), ['Garmin is connected.']);
  },
);

t.test('of two users who connect one account at once, one is refused', async (t) => {
  provider.account = randomUUID();
  const visits = [await opened(await createUser(api)), await opened(await createUser(api))];
  const callbacks = await Promise.all(
    visits.map(async ({ browser, url }) => consentTo(await toProvider(browser, url))),
  );
  const pages = await Promise.all(
    visits.map(({ browser }, index) => browser.open(callbacks[index]?.href ?? '')),
  );
  t.equal(pages.filter(({ text }) => text.includes('Garmin is connected.')).length, 1);
  t.equal(pages.filter(({ text }) => text.includes('connected to another user')).length, 1);
});

t.test('a setting allows shared accounts; a provider without settings is no longer offered', async (t) => {
  const started = async (settings: Readonly<Record<string, string>>) =>
    joinApi(t, {
      database: api.database,
      services: ['api-gateway', 'auth', 'users', 'timeseries', 'connect', 'backfill'],
      settings: { RATE_LIMIT_ADDRESS: '100000', ...provider.settings, ...settings },
    });
  provider.account = randomUUID();
  const first = await opened(await createUser(api));
  await connect(first.browser, first.url);
  const shared = await started({ CONNECT_SHARED_ACCOUNTS: 'true' });
  const userId = await createUser(shared);
  const browser = visitor(shared);
  const { url } = await browser.open((await sessionFor(shared, userId)).url);
  const page = await browser.open(`${url}/devicemaker`);
  const asked = await agree(browser, `${url}/devicemaker`, formOf(page));
  t.match((await browser.open((await consentTo(leadsTo(asked))).href)).text, 'Garmin is connected.');

  const bare = await started({ DEVICEMAKER_CLIENT_SECRET: '' });
  const inBare = visitor(bare);
  for (const [name, value] of browser.cookies) inBare.cookies.set(name, value);
  const { pathname } = new URL(url);
  t.notMatch((await inBare.open(pathname)).text, /href="[^"]*\/devicemaker"/);
  t.equal((await inBare.open(`${pathname}/devicemaker`)).status, 404);
  const refused = await agree(inBare, `${pathname}/devicemaker`, formOf(page));
  t.equal(refused.status, 409);
  t.match(refused.text, 'reload this page in a few minutes');
});

t.test('what the provider refuses is shown with what to do, and leads back with its reason', async (t) => {
  const { browser, url } = await opened(await createUser(api));
  const denied = await consentTo(await toProvider(browser, url), { deny: true });
  const page = await browser.open(denied.href);
  t.match(page.text, 'You did not allow access');
  t.match(page.text, 'status=denied&amp;provider=devicemaker&amp;reason=access_denied');

  const broken = new URL((await consentTo(await toProvider(browser, url))).href);
  broken.searchParams.delete('code');
  broken.searchParams.set('error', 'server_error<script>');
  const refused = await browser.open(broken.href);
  t.match(refused.text, 'did not confirm the access. Please connect again');
  t.notMatch(refused.text, '<script');

  provider.faults.set('/dm/token', 503);
  t.match((await connect(browser, url)).text, 'connect again in a few minutes');
  provider.faults.clear();
  const unknown = new URL((await consentTo(await toProvider(browser, url))).href);
  unknown.searchParams.set('state', 'made-up');
  t.equal((await browser.open(unknown.href)).status, 400);
});

t.test('an account of another user is refused unless a setting allows it', async (t) => {
  provider.account = randomUUID();
  const [one, two] = [await createUser(api), await createUser(api)];
  const first = await opened(one);
  await connect(first.browser, first.url);
  const second = await opened(two);
  const refused = await connect(second.browser, second.url);
  t.match(refused.text, /connected to another user. Log out of Garmin/);
  t.match(refused.text, 'reason=account_taken');
  t.strictSame(await connectionsOf(api, two), []);
  t.match(await connectionsOf(api, one), [{ status: 'active' }]);
  t.ok([...provider.alive.values()].includes(provider.account), 'the access of the other user stays');
  t.match(
    (await connect(first.browser, first.url)).text,
    'Garmin is connected.',
    'its own user may connect it again',
  );

  await api.expect(200, `/users/${one}/connections/devicemaker`, { method: 'DELETE' });
  t.match(
    (await connect(second.browser, second.url)).text,
    'Garmin is connected.',
    'the other user has disconnected it',
  );
});

t.test(
  'tokens, secrets and codes are in no table and no audit entry; the audit tells the steps',
  async (t) => {
    const userId = await createUser(api);
    provider.account = randomUUID();
    const { browser, url, token } = await opened(userId);
    const callback = await consentTo(await toProvider(browser, url));
    await browser.open(callback.href);
    const rows = await Promise.all(
      ['connect.session', 'connect.attempt', 'auth.audit_entry', 'gateway.idempotent_answer'].map((table) =>
        api.database.query(`select * from ${table}`),
      ),
    );
    const stored = JSON.stringify(rows);
    const secrets = [
      token,
      callback.searchParams.get('code') ?? '',
      callback.searchParams.get('state') ?? '',
    ];
    secrets.push(...[...browser.cookies.values()].flatMap((value) => value.split('.').slice(0, 1)));
    for (const secret of secrets) t.notOk(secret === '' || stored.includes(secret));
    const entries = await api.database.query<{ action: string; actor: string | null }>(
      "select action, actor from auth.audit_entry where user_id = $1 and action like 'connection%' order by id",
      [userId],
    );
    t.match(entries, [
      { action: 'connection.session_created', actor: /^api_key:/ },
      { action: 'connection.session_opened', actor: null },
      { action: 'connection.authorization_started', actor: 'consent:devicemaker' },
      { action: 'connection.created', actor: 'consent:devicemaker' },
    ]);
  },
);

t.test('each network address has a limit, also for unknown links, and its page says to wait', async (t) => {
  const limited = await joinApi(t, {
    database: api.database,
    services: ['api-gateway', 'auth', 'users', 'timeseries', 'connect', 'backfill'],
    settings: { ...provider.settings, RATE_LIMIT_ADDRESS: '5' },
  });
  const statuses = [];
  for (let count = 0; count < 8; count += 1) statuses.push((await limited.ask('/connect/unknown')).status);
  t.same(statuses.filter((status) => status === 404).length <= 5, true);
  t.equal(statuses.at(-1), 429);
  const { text, headers } = await limited.ask('/connect/unknown', { headers: { 'accept-language': 'de' } });
  t.match(text, /Zu viele Anfragen[\s\S]*warten Sie eine Minute/);
  t.match(headers.get('retry-after'), /^\d+$/);
});

t.test('no log entry of any level contains a token, a secret or a code', async (t) => {
  const lines: unknown[] = [];
  for (const name of ['log', 'info', 'debug', 'trace', 'warn', 'error'] as const) {
    const before = console[name];
    console[name] = (...line: unknown[]) => void lines.push(...line);
    t.teardown(() => {
      console[name] = before;
    });
  }
  const loud = await joinApi(t, {
    database: api.database,
    services: ['api-gateway', 'auth', 'users', 'timeseries', 'connect', 'backfill'],
    settings: { ...provider.settings, LOG_LEVEL: 'trace', LOG_FORMAT: 'json' },
  });
  provider.account = randomUUID();
  const browser = visitor(loud);
  const session = await sessionFor(loud, await createUser(loud));
  const { url } = await browser.open(session.url);
  const page = await browser.open(`${url}/devicemaker`);
  const callback = await consentTo(leadsTo(await agree(browser, `${url}/devicemaker`, formOf(page))));
  t.match((await browser.open(callback.href)).text, 'Garmin is connected.');
  t.equal((await visitor(loud).open(`/connect/${session.token}x`)).status, 404);
  const logged = lines.map(String).join('\n');
  t.match(logged, 'connect.finished');
  const secrets = [session.token, ...['code', 'state'].map((name) => callback.searchParams.get(name) ?? '')];
  secrets.push(...[...browser.cookies.values()].flatMap((value) => value.split('.')), formOf(page));
  t.equal(secrets.length >= 6, true);
  t.same(
    secrets.filter((secret) => secret === '' || logged.includes(secret)),
    [],
  );
});
