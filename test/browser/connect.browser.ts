// npm run test:browser: the connect flow in a real browser.
import t from 'tap';
import { playProvider } from '../services/connect/provider.ts';
import { createUser } from '../support/api.ts';
import { openPage, startBrowser } from '../support/browser.ts';
import { connectionsOf, linkFor, startConnect } from '../support/connect.ts';
import { playApplication } from './application.ts';

const provider = await playProvider(t);
const application = await playApplication(t);
const api = await startConnect(t, provider.settings, { CONNECT_REDIRECTS: application.url });
const browser = await startBrowser();

for (const name of ['devicemaker', 'activitynet'] as const) {
  t.test(`${name}: opening the link and consenting connects the account`, async (t) => {
    const userId = await createUser(api);
    const { authorization_url } = await linkFor(api, userId, name, application.url);
    const { page, complaints } = await openPage(t, browser);
    await page.goto(authorization_url);
    t.equal(await page.title(), 'Consent');
    await page.getByRole('button', { name: 'Allow' }).click();
    await page.getByRole('heading', { name: 'Welcome back' }).waitFor();
    const landed = new URL(page.url());
    t.equal(landed.origin + landed.pathname, application.url);
    t.strictSame(Object.fromEntries(landed.searchParams), { status: 'connected', provider: name });
    t.equal(application.referrers.at(-1), undefined, 'the application is not told the address with the code');
    t.match(await connectionsOf(api, userId), [{ provider: name, status: 'active' }]);
    t.strictSame(complaints, []);
  });

  t.test(`${name}: deny, and nothing is connected`, async (t) => {
    const userId = await createUser(api);
    const { authorization_url } = await linkFor(api, userId, name, application.url);
    const { page } = await openPage(t, browser);
    await page.goto(authorization_url);
    await page.getByRole('button', { name: 'Deny' }).click();
    await page.getByRole('heading', { name: 'Welcome back' }).waitFor();
    t.match(page.url(), /status=denied.*reason=access_denied/);
    t.strictSame(await connectionsOf(api, userId), []);
  });
}

t.test('unticking the required permission shows a sentence about it', async (t) => {
  const userId = await createUser(api);
  const { authorization_url } = await linkFor(api, userId, 'activitynet', null);
  const { page } = await openPage(t, browser);
  await page.goto(authorization_url);
  await page.getByLabel('activity:read_all').uncheck();
  await page.getByRole('button', { name: 'Allow' }).click();
  await page.getByRole('heading', { name: 'Not connected' }).waitFor();
  t.match(await page.textContent('p'), /Without the permission to read activities/);
  t.strictSame(await connectionsOf(api, userId), []);
});

t.test('without an application a plain page is shown; a repeated callback shows an error', async (t) => {
  const userId = await createUser(api);
  const { authorization_url } = await linkFor(api, userId, 'devicemaker', null);
  const { page, complaints } = await openPage(t, browser);
  const callbacks: string[] = [];
  page.on('request', (request) => {
    if (request.url().includes('/callback?')) callbacks.push(request.url());
  });
  await page.goto(authorization_url);
  await page.getByRole('button', { name: 'Allow' }).click();
  await page.getByRole('heading', { name: 'Connected', exact: true }).waitFor();
  t.notMatch(page.url(), /code=|state=/, 'nothing secret stays in the address bar');
  await page.reload();
  t.equal(await page.textContent('h1'), 'Connected');
  const font = await page.evaluate('getComputedStyle(document.body).fontFamily');
  t.match(String(font), 'system-ui', 'its policy lets its own style in');
  t.strictSame(complaints, []);

  const replayed = await page.goto(callbacks[0] ?? '');
  t.equal(replayed?.status(), 410);
  t.equal(await page.textContent('h1'), 'This link was used already');
  const [made, ...more] = await connectionsOf(api, userId);
  t.match(made, { status: 'active' });
  t.strictSame(more, []);

  const forged = new URL(callbacks[0] ?? '');
  forged.searchParams.set('state', 'made-up');
  t.equal((await page.goto(forged.href))?.status(), 400);
  t.equal(await page.textContent('h1'), 'This link is not valid');
});
