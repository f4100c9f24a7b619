import { randomUUID } from 'node:crypto';
import t from 'tap';
import { providers } from '../../providers/all.ts';
import { consentTo } from '../services/connect/provider.ts';
import { createUser, joinApi } from '../support/api.ts';
import { appUrl, connectionsOf } from '../support/connect.ts';
import { agree, formOf, leadsTo, sessionFor, visitor } from '../support/connect-page.ts';
import { installConnectPage } from './connect-page.ts';

const { api, connect, opened, provider, toProvider } = await installConnectPage(t);
const back = { redirect_uri: appUrl };

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
  const monograms = [...page.text.matchAll(/<rect [^>]*fill="(#[0-9a-f]{6})"\/><text [^>]*>(\w+)</g)];
  const colours = [providers.devicemaker.colour, providers.activitynet.colour];
  t.same(
    monograms.map(([, colour, letters]) => `${letters} ${colour}`),
    [`Ga ${colours[0]}`, `St ${colours[1]}`],
  );
  t.match(consent.text, `fill="${colours[0]}"`);
  t.strictSame(await connectionsOf(api, userId), [], 'nothing is connected before the user agrees');

  const first = await connect(browser, url);
  t.equal(first.url, url);
  t.match(first.text, 'Garmin is connected.');
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
    t.match(page.text, 'Agree and continue to Garmin');
    const other = await agree(browser, `${url}/activitynet`, formOf(page));
    t.equal(other.status, 404, 'a provider that the session does not offer');
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

t.test('a session belongs to the browser that agreed first', async (t) => {
  const { browser, url, link } = await opened(await createUser(api));
  const other = visitor(api);
  await toProvider(browser, url);
  const answers = [await other.open(link), await other.open(url), await visitor(api).open(url)];
  for (const { status, text } of answers) {
    t.equal(status, 403);
    t.match(text, /another browser[\s\S]*continue in that browser/);
    t.notMatch(text, /devicemaker|Garmin|app\.example/, 'nothing of the user is shown');
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

t.test('previews do not use up a link, also if they follow redirects and keep cookies', async (t) => {
  const userId = await createUser(api);
  const { url } = await sessionFor(api, userId);
  const { pathname } = new URL(url);
  t.same((await api.ask(pathname, { method: 'HEAD' })).headers.getSetCookie(), []);
  const preview = visitor(api);
  const seen = await preview.open(url);
  t.equal((await preview.open(`${seen.url}/devicemaker`)).status, 200, 'it follows a link of the page');
  const browser = visitor(api);
  const page = await browser.open(url);
  t.equal(page.status, 200);
  t.match(await toProvider(browser, page.url), /^http/);
  t.equal((await preview.open(seen.url)).status, 403, 'the page of a session in use is its own only');
});

t.test('of two browsers that agree at once one is first', async (t) => {
  const { url } = await sessionFor(api, await createUser(api));
  const forms = [visitor(api), visitor(api)].map(async (browser) => {
    const page = await browser.open(url);
    const address = `${page.url}/devicemaker`;
    return { browser, address, form: formOf(await browser.open(address)) };
  });
  const answers = await Promise.all(
    (await Promise.all(forms)).map(({ browser, address, form }) => agree(browser, address, form)),
  );
  t.same(answers.map(({ status }) => status).sort(), [200, 403]);
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
  t.match((await browser.open(callback.href)).text, 'Garmin is connected.');
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
  t.match((await browser.open(first.href)).text, 'Garmin is connected.');
  t.match((await browser.open(second.href)).text, 'Garmin is connected.');
  t.match((await browser.open(first.href)).text, 'Garmin is connected.');
  t.equal((await connectionsOf(api, userId)).length, 1);
  t.match(
    (await browser.open(`${url}/devicemaker`)).text,
    'Agree and continue',
    'the page before is still good',
  );
});
