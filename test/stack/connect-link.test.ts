import { request } from 'node:http';
import t from 'tap';
import { serveConnectLink } from '../../stack/sandbox/connect-link.ts';
import { whole } from '../sandbox/product-with-sandbox.ts';

const all = await whole(t, []);

/** Requests the address under another name than its own. */
function statusUnder(url: string, host: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    request(url, { headers: { host } }, ({ statusCode }) => resolve(statusCode))
      .on('error', reject)
      .end();
  });
}

t.test('each visit is redirected to the connect page by a new link', async (t) => {
  const link = await serveConnectLink(all.connecting);
  t.teardown(link.stop);
  const followRedirect = () => fetch(link.url, { redirect: 'manual' });
  const links = [await followRedirect(), await followRedirect()].map((answer) => {
    t.equal(answer.status, 303);
    t.equal(answer.headers.get('cache-control'), 'no-store');
    return answer.headers.get('location') ?? '';
  });
  for (const link of links) t.match(link, `${all.api.url}/connect/`);
  t.not(links[0], links[1]);
  const opened = await fetch(links[1] ?? '', { redirect: 'manual' });
  t.equal(opened.status, 303);
  const cookie = opened.headers
    .getSetCookie()
    .map((one) => one.split(';')[0])
    .join('; ');
  const page = await fetch(new URL(opened.headers.get('location') ?? '', all.api.url), {
    headers: { cookie },
  });
  t.equal(page.status, 200);
  const text = await page.text();
  for (const provider of ['devicemaker', 'activitynet']) t.match(text, `/${provider}"`);
});

t.test('the server accepts GET of one page from this machine only', async (t) => {
  const link = await serveConnectLink(all.connecting);
  t.teardown(link.stop);
  t.equal(await statusUnder(link.url, 'example.com'), 403);
  t.equal((await fetch(`${link.url}x`)).status, 404);
  t.equal((await fetch(link.url, { method: 'POST' })).status, 405);
});

t.test('an error page is shown while the API creates no link', async (t) => {
  const link = await serveConnectLink({
    ...all.connecting,
    api: {
      request: () => Promise.reject(new Error('away')),
    },
  });
  t.teardown(link.stop);
  const answer = await fetch(link.url, { redirect: 'manual' });
  t.equal(answer.status, 503);
  t.match(await answer.text(), /Try again/);
});
