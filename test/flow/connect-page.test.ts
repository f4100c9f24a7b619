import { randomUUID } from 'node:crypto';
import t from 'tap';
import { consentTo, playProvider } from '../services/connect/provider.ts';
import { createUser, joinApi } from '../support/api.ts';
import { appUrl, connectionsOf, startConnect } from '../support/connect.ts';
import { agree, formOf, leadsTo, sessionFor, type Visitor, visitor } from '../support/connect-page.ts';

const provider = await playProvider(t);
const api = await startConnect(t, provider.settings, { RATE_LIMIT_FAILURES: '100000' });
const back = { redirect_uri: appUrl };

/** Opens a new session; the address of its page, and the browser that opened it. */
async function opened(userId: string, more: Readonly<Record<string, unknown>> = back) {
  const { url, token } = await sessionFor(api, userId, more);
  const browser = visitor(api);
  const page = await browser.open(url);
  return { token, browser, page, url: page.url, link: url };
}

/** From the page to the provider: the address of its consent page. */
async function toProvider(browser: Visitor, url: string, name = 'devicemaker'): Promise<string> {
  const page = await browser.open(`${url}/${name}`);
  return leadsTo(await agree(browser, `${url}/${name}`, formOf(page)));
}

const connect = async (browser: Visitor, url: string, name = 'devicemaker') =>
  browser.open((await consentTo(await toProvider(browser, url, name))).href);

t.test('the page lists the providers, connects each, and leads back with the result', async (t) => {
  const userId = await createUser(api);
  provider.account = randomUUID();
  const { browser, page, url, token } = await opened(userId);
  t.equal(page.status, 200);
  t.notOk(url.includes(token) || page.text.includes(token), 'the address with the token is left');
  t.equal(page.text.match(/Not connected/g)?.length, 2);
  t.match(page.text, 'status=cancelled');
  const consent = await browser.open(`${url}/devicemaker`);
  t.match(consent.text, /Heart rate[\s\S]*Blood pressure/);
  t.strictSame(await connectionsOf(api, userId), [], 'nothing is connected before the user agrees');

  const first = await connect(browser, url);
  t.equal(first.url, url);
  t.match(first.text, 'devicemaker is connected.');
  t.match(first.text, 'status=connected&amp;provider=devicemaker"');
  provider.account = '4294967297123';
  const second = await connect(browser, url, 'activitynet');
  t.match(second.text, 'status=connected&amp;provider=devicemaker%2Cactivitynet"');
  t.equal((await connectionsOf(api, userId)).filter(({ status }) => status === 'active').length, 2);
});

t.test(
  'a single provider: the consent is shown at once, and the browser returns when it is connected',
  async (t) => {
    const userId = await createUser(api);
    provider.account = randomUUID();
    const { browser, page, url } = await opened(userId, { ...back, providers: ['devicemaker'] });
    t.match(page.text, 'Agree and continue to devicemaker');
    const landed = await connect(browser, url);
    t.equal(landed.url, `${appUrl}&status=connected&provider=devicemaker`);
  },
);

t.test('every page is not kept, frames nothing, runs nothing, and sends no referrer', async (t) => {
  const { browser, page, url, link } = await opened(await createUser(api));
  const style = /href="([^"]+\.css)"/.exec(page.text)?.[1] ?? '';
  const pages = [page, await browser.open(`${url}/devicemaker`), await visitor(api).open(url)];
  pages.push(
    await agree(browser, `${url}/devicemaker`, formOf(pages[1] ?? page)),
    await browser.open('/connect/none'),
  );
  for (const { headers, text } of pages) {
    t.equal(headers.get('cache-control'), 'no-store');
    t.equal(headers.get('referrer-policy'), 'no-referrer');
    t.equal(headers.get('access-control-allow-origin'), null);
    const policy = headers.get('content-security-policy') ?? '';
    t.match(policy, /^default-src 'none'; .*frame-ancestors 'none'/);
    t.notMatch(policy, /unsafe|https?:/);
    t.notMatch(text, /<script|<style|style=|onclick/);
  }
  const redirect = await api.ask(new URL(link).pathname);
  t.equal(redirect.headers.get('referrer-policy'), 'no-referrer');
  t.equal((await api.ask(style)).headers.get('content-type'), 'text/css; charset=utf-8');
});

t.test(
  'the cookie is HttpOnly, Lax, limited in path and time; with https it has the prefix __Host-',
  async (t) => {
    const { url } = await sessionFor(api, await createUser(api));
    const cookies = (await api.ask(new URL(url).pathname)).headers.getSetCookie();
    t.equal(cookies.length, 2);
    const form =
      /^connect-[0-9a-f-]{36}=\S+; Path=(\/connect|\/api\/v1\/connect); Max-Age=3600; HttpOnly; SameSite=Lax$/;
    for (const cookie of cookies) t.match(cookie, form);
    const secure = await joinApi(t, {
      database: api.database,
      services: ['api-gateway', 'auth', 'users', 'timeseries', 'connect', 'backfill'],
      settings: { ...provider.settings, PUBLIC_URL: 'https://connect.example/health' },
    });
    const session = await sessionFor(secure, await createUser(secure));
    const answer = await secure.ask(`/connect/${session.token}`);
    t.match(answer.headers.get('location'), /^\/health\/connect\/session\//);
    const [cookie = '', ...more] = answer.headers.getSetCookie();
    t.match(
      cookie,
      /^__Host-connect-[0-9a-f-]{36}=\S+; Path=\/; Secure; Max-Age=3600; HttpOnly; SameSite=Lax$/,
    );
    t.same(more, []);
    const path = (answer.headers.get('location') ?? '').replace('/health', '');
    const [pair = ''] = cookie.split(';');
    t.equal((await secure.ask(path, { headers: { cookie: pair } })).status, 200);
    const unprefixed = await secure.ask(path, { headers: { cookie: pair.replace('__Host-', '') } });
    t.equal(unprefixed.status, 403, 'another host of the domain could have set it');
  },
);

t.test('forged and incomplete links are refused with a page that says what to do', async (t) => {
  const { browser, url, token } = await opened(await createUser(api));
  const forged = [
    '/connect/x',
    `/connect/${token.slice(0, -1)}`,
    `/connect/${token}%00`,
    `/connect/${'A'.repeat(43)}`,
    `/connect/session/${randomUUID()}`,
    '/connect/session/1',
    "/connect/session/'%20or%201=1",
    `${url}/nobody`,
    `${url}/__proto__`,
  ];
  for (const link of forged) {
    const { status, text } = await browser.open(link);
    t.equal(status, link.endsWith(url) ? 403 : 404, link);
    t.match(text, 'go back to the app', link);
  }
});

t.test('an expired link is refused, also for the browser that opened it', async (t) => {
  const userId = await createUser(api);
  const { browser, url, link } = await opened(userId);
  const form = formOf(await browser.open(`${url}/devicemaker`));
  await api.database.query(
    "update connect.session set expires_at = now() - interval '1 second' where user_id = $1",
    [userId],
  );
  for (const answer of [await browser.open(url), await visitor(api).open(link), await browser.open(link)]) {
    t.equal(answer.status, 410);
    t.match(answer.text, /This link has expired[\s\S]*start again/);
  }
  t.match((await browser.open(url)).text, appUrl.split('?')[0], 'its own browser gets the link back');
  t.notMatch((await visitor(api).open(link)).text, appUrl.split('?')[0]);
  t.equal((await agree(browser, `${url}/devicemaker`, form)).status, 410);
});

t.test('a session belongs to the browser that opened it first', async (t) => {
  const { browser, url, link } = await opened(await createUser(api));
  const other = visitor(api);
  const answers = [await other.open(link), await other.open(url), await visitor(api).open(url)];
  for (const { status, text } of answers) {
    t.equal(status, 403);
    t.match(text, /another browser[\s\S]*continue in that browser/);
    t.notMatch(text, /devicemaker|app\.example/, 'nothing of the user is shown');
  }
  t.equal(
    (await browser.open(link)).status,
    200,
    'the link works again in the first browser, as in a second tab',
  );
  const stolenId = [...browser.cookies].map(
    ([name]) => [name, `${'A'.repeat(43)}.${'0'.repeat(64)}`] as const,
  );
  const forger = visitor(api);
  for (const [name, value] of stolenId) forger.cookies.set(name, value);
  t.equal((await forger.open(url)).status, 403, 'a made-up cookie is no proof');
});

t.test(
  'the id of a session that nobody opened is no access to it: the cookie proves the token',
  async (t) => {
    const userId = await createUser(api);
    const { url } = await sessionFor(api, userId);
    const rows = 'select id, browser_hash from connect.session where user_id = $1';
    const [row] = await api.database.query<{ id: string }>(rows, [userId]);
    const forger = visitor(api);
    forger.cookies.set(`connect-${row?.id}`, `${'A'.repeat(43)}.${'0'.repeat(64)}`);
    t.equal((await forger.open(`/connect/session/${row?.id}`)).status, 403);
    t.match(await api.database.query(rows, [userId]), [{ browser_hash: null }]);
    t.equal((await visitor(api).open(url)).status, 200, 'the user can still open it');
  },
);

t.test('previews do not bind a session: HEAD, and a GET whose cookie never comes back', async (t) => {
  const { url } = await sessionFor(api, await createUser(api));
  const { pathname } = new URL(url);
  t.same((await api.ask(pathname, { method: 'HEAD' })).headers.getSetCookie(), []);
  t.equal((await api.ask(pathname)).status, 303);
  const [first, second] = [visitor(api), visitor(api)];
  const answers = await Promise.all([first.open(url), second.open(url)]);
  t.same(answers.map(({ status }) => status).sort(), [200, 403], 'of two browsers at once one is first');
});

t.test('agreeing needs the value of the own form', async (t) => {
  const userId = await createUser(api);
  const { browser, url } = await opened(userId);
  const foreign = await opened(await createUser(api));
  const foreignForm = formOf(await foreign.browser.open(`${foreign.url}/devicemaker`));
  const before = await api.database.query('select count(*) from connect.attempt');
  for (const form of ['', 'x', '0'.repeat(64), foreignForm]) {
    const { status, text } = await agree(browser, `${url}/devicemaker`, form);
    t.equal(status, 403);
    t.match(text, 'reload the page and try again');
  }
  const form = formOf(await browser.open(`${url}/devicemaker`));
  t.equal((await agree(visitor(api), `${url}/devicemaker`, form)).status, 403, 'without the cookie');
  const asJson = { method: 'POST', body: '{', headers: { 'Content-Type': 'text/plain' } };
  t.equal((await browser.open(`${url}/devicemaker`, asJson)).status, 415);
  t.same(await api.database.query('select count(*) from connect.attempt'), before);
  t.equal((await browser.open(`${url}/devicemaker`, { method: 'DELETE' })).status, 405);
});

t.test('a callback in another browser connects nothing, and the own browser can still finish', async (t) => {
  const userId = await createUser(api);
  provider.account = randomUUID();
  const { browser, url } = await opened(userId);
  const callback = await consentTo(await toProvider(browser, url));
  const other = await visitor(api).open(callback.href);
  t.equal(other.status, 403);
  t.match(other.text, 'another browser');
  t.strictSame(await connectionsOf(api, userId), []);
  const foreign = await opened(await createUser(api));
  t.equal((await foreign.browser.open(callback.href)).status, 403, 'nor with a session of another user');
  t.strictSame(await connectionsOf(api, userId), []);
  t.match((await browser.open(callback.href)).text, 'devicemaker is connected.');
  t.match(await connectionsOf(api, userId), [{ status: 'active' }]);
  const again = await browser.open(callback.href);
  t.equal(again.status, 200, 'a reload of the callback shows the page');
  t.equal((await connectionsOf(api, userId)).length, 1);
});

t.test('two tabs, the back button and a double submit end in one connection', async (t) => {
  const userId = await createUser(api);
  provider.account = randomUUID();
  const { browser, url } = await opened(userId);
  const form = formOf(await browser.open(`${url}/devicemaker`));
  const [one, two] = await Promise.all([
    agree(browser, `${url}/devicemaker`, form),
    agree(browser, `${url}/devicemaker`, form),
  ]);
  const [first, second] = [await consentTo(leadsTo(one)), await consentTo(leadsTo(two))];
  t.match((await browser.open(first.href)).text, 'devicemaker is connected.');
  t.match((await browser.open(second.href)).text, 'devicemaker is connected.');
  t.match((await browser.open(first.href)).text, 'devicemaker is connected.');
  t.equal((await connectionsOf(api, userId)).length, 1);
  t.match(
    (await browser.open(`${url}/devicemaker`)).text,
    'Agree and continue',
    'the page before is still good',
  );
});

t.test('a user who is erased meanwhile, and a connection that is revoked meanwhile', async (t) => {
  const userId = await createUser(api);
  provider.account = randomUUID();
  const { browser, url } = await opened(userId);
  await connect(browser, url);
  await api.expect(200, `/users/${userId}/connections/devicemaker`, { method: 'DELETE' });
  t.match((await browser.open(url)).text, /<p class="none">Not connected[\s\S]*Connect: devicemaker/);
  await connect(browser, url);
  await api.database.query("update users.connection set status = 'expired' where user_id = $1", [userId]);
  t.match((await browser.open(url)).text, 'Reconnect: devicemaker');

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

t.test('of two users who connect one account at once, one is refused', async (t) => {
  provider.account = randomUUID();
  const visits = [await opened(await createUser(api)), await opened(await createUser(api))];
  const callbacks = await Promise.all(
    visits.map(async ({ browser, url }) => consentTo(await toProvider(browser, url))),
  );
  const pages = await Promise.all(
    visits.map(({ browser }, index) => browser.open(callbacks[index]?.href ?? '')),
  );
  t.equal(pages.filter(({ text }) => text.includes('devicemaker is connected.')).length, 1);
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
  t.match((await browser.open((await consentTo(leadsTo(asked))).href)).text, 'devicemaker is connected.');

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
  t.match(refused.text, /connected to another user. Log out of devicemaker/);
  t.match(refused.text, 'reason=account_taken');
  t.strictSame(await connectionsOf(api, two), []);
  t.match(await connectionsOf(api, one), [{ status: 'active' }]);
  t.ok([...provider.alive.values()].includes(provider.account), 'the access of the other user stays');
  t.match(
    (await connect(first.browser, first.url)).text,
    'devicemaker is connected.',
    'its own user may connect it again',
  );

  await api.expect(200, `/users/${one}/connections/devicemaker`, { method: 'DELETE' });
  t.match(
    (await connect(second.browser, second.url)).text,
    'devicemaker is connected.',
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
  t.match((await browser.open(callback.href)).text, 'devicemaker is connected.');
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
