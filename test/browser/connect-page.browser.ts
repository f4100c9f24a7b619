import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { startSandbox } from '../../sandbox/server/server.ts';
import { textsOf } from '../../services/api-gateway/actions/connect-page/languages.ts';
import { filled } from '../../services/api-gateway/actions/connect-page/texts.ts';
import { connectSettingsOf } from '../sandbox/application.ts';
import { createUser } from '../support/api.ts';
import { findingsOf } from '../support/axe.ts';
import { patienceMs, recordViolations, startBrowser } from '../support/browser.ts';
import { connectionsOf, startConnect } from '../support/connect.ts';
import { sessionFor } from '../support/connect-page.ts';
import { playApplication } from './application.ts';
import { apiNames, textOf } from './console.ts';
import { savePicture } from './pictures.ts';

// npm run test:browser: the connect page by keyboard alone over the sandbox, in both themes and at two widths.

t.setTimeout(5 * patienceMs);
/** CONNECT_SCREENSHOTS names a folder for pictures of the pages. */
const pictures = process.env.CONNECT_SCREENSHOTS;

const application = await playApplication(t);
const sandbox = await startSandbox({ speed: 1, redirectOrigins: [] });
t.teardown(() => sandbox.stop());
const logo = join(t.testdir({ 'logo.svg': logoOf() }), 'logo.svg');
const api = await startConnect(t, {
  ...connectSettingsOf(sandbox),
  CONNECT_REDIRECTS: application.url,
  CONNECT_NAME: 'Example Health',
  CONNECT_COLOR: '#ffb000',
  CONNECT_LOGO: logo,
  CONNECT_SHARED_ACCOUNTS: 'true',
});
const browser = await startBrowser();
const providersHere = [
  ['devicemaker', 'Garmin'],
  ['activitynet', 'Strava'],
] as const;

function logoOf(): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" width="40" height="40"><circle cx="20" cy="20" r="18" fill="#ffb000"/>
<script>document.documentElement.setAttribute('data-ran','yes')</script></svg>`;
}

interface Visit {
  readonly page: Page;
  /** Errors, reports of the policy, and requests to other origins that a page of ours made. */
  readonly problems: string[];
}

async function visit(t: Test, browser: Browser, options: BrowserContextOptions): Promise<Visit> {
  const context = await browser.newContext(options);
  t.teardown(() => context.close());
  const problems: string[] = [];
  await recordViolations(context, problems);
  const page = await context.newPage();
  page.setDefaultTimeout(patienceMs);
  page.on('console', (message) => {
    const isOurs = message.location().url.startsWith(api.url) || message.text().includes('Policy');
    if (isOurs && message.type() !== 'log') problems.push(message.text());
  });
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('request', (request) => {
    const isNavigation = request.isNavigationRequest() && request.frame() === page.mainFrame();
    const isOurs = page.url().startsWith(api.url);
    if (isOurs && !isNavigation && !request.url().startsWith(api.url))
      problems.push(`request: ${request.url()}`);
    if ((request.headers().referer ?? '').includes('/connect/'))
      problems.push(`referrer to ${request.url()}`);
  });
  return { page, problems };
}

const themes = ['light', 'dark'] as const;
type Theme = (typeof themes)[number];

/** Checks a page in each of some themes, which it shows without a reload. */
async function checkThemes(
  t: Test,
  page: Page,
  name: string,
  colorSchemes: readonly Theme[] = themes,
): Promise<void> {
  for (const colorScheme of colorSchemes) {
    await page.emulateMedia({ colorScheme });
    await check(t, page, `${name}-${colorScheme}`);
  }
}

/** Checks a page: violations, sideways scrolling, and a picture if they are wanted. */
async function check(t: Test, page: Page, name: string): Promise<void> {
  const { violations, passed } = await findingsOf(page);
  t.strictSame(violations, [], `${name}: no violations`);
  t.ok(passed.includes('color-contrast') && passed.length > 10, `${name}: the rules ran`);
  t.notMatch(await textOf(page), apiNames, `${name}: names providers as people do`);
  const overflow = await page.evaluate('document.documentElement.scrollWidth > innerWidth');
  t.equal(overflow, false, `${name}: fits the width`);
  if (name === 'pick-1440-light') await savePicture(page, 'connect-page');
  if (pictures === undefined) return;
  mkdirSync(pictures, { recursive: true });
  await page.screenshot({ path: join(pictures, `${name}.png`), fullPage: true });
}

const mostTabs = 60;

/** Presses Tab until an element with this name has the focus, then the key. */
async function press(page: Page, name: string | RegExp, key = 'Enter'): Promise<void> {
  const named = `(document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent ?? '').trim()`;
  for (let count = 0; count < mostTabs; count += 1) {
    await page.keyboard.press('Tab');
    const text = String(await page.evaluate(named));
    if (typeof name === 'string' ? text === name : name.test(text)) return page.keyboard.press(key);
  }
  throw new Error(`nothing named ${name} can be reached by keyboard`);
}

const widths = [
  [360, themes],
  [1440, themes],
  [3840, ['light']],
] as const;

/** Checks a page at each width, and leaves it as wide as before. */
async function checkWidths(t: Test, page: Page, name: string): Promise<void> {
  const before = page.viewportSize();
  for (const [width, shown] of widths) {
    await page.setViewportSize({ width, height: 800 });
    await checkThemes(t, page, `${name}-${width}`, shown);
  }
  if (before !== null) await page.setViewportSize(before);
}

/** The sum of the layout shifts of a page. */
const layoutShift = `new Promise((resolve) => {
  const sum = (list) => resolve(list.getEntries().reduce((total, { value }) => total + value, 0));
  new PerformanceObserver(sum).observe({ type: 'layout-shift', buffered: true });
  setTimeout(() => resolve(0), 100);
})`;

t.test('every provider is connected by keyboard alone, and each page fits every width', async (t) => {
  const userId = await createUser(api);
  const { page, problems } = await visit(t, browser, { viewport: { width: 360, height: 800 } });
  const { url, token } = await sessionFor(api, userId, { redirect_uri: application.url, language: 'en' });
  await page.goto(url);
  t.equal(await page.evaluate(layoutShift), 0, 'nothing moves while the page loads');
  await checkWidths(t, page, 'pick');
  t.notOk(page.url().includes(token));
  for (const [provider, name] of providersHere) {
    await press(page, `Connect: ${name}`);
    await page.getByRole('heading', { name: `Connect ${name}` }).waitFor();
    await checkWidths(t, page, `consent-${provider}`);
    await press(page, `Agree and continue to ${name}`);
    await page.getByRole('button', { name: 'Allow' }).waitFor();
    await press(page, 'Allow');
    await page.getByText(`${name} is connected.`).waitFor();
  }
  await checkWidths(t, page, 'connected');
  t.match(
    (await connectionsOf(api, userId)).map(({ status }) => status),
    ['active', 'active'],
  );
  await press(page, 'Back to Example Health');
  await page.getByRole('heading', { name: 'Welcome back' }).waitFor();
  const landed = new URL(page.url());
  t.equal(landed.searchParams.get('status'), 'connected');
  t.equal(application.referrers.at(-1), undefined);
  await page.goBack();
  await page.getByText('Strava is connected.').waitFor();
  t.strictSame(problems, []);
});

t.test('a link with a reason says what happened and what to do, in both themes at every width', async (t) => {
  const { page, problems } = await visit(t, browser, { viewport: { width: 360, height: 800 } });
  const open = async (userId: string, more: Readonly<Record<string, unknown>>) =>
    page.goto((await sessionFor(api, userId, more)).url);
  const userId = await createUser(api);
  await open(userId, { providers: ['devicemaker'], reason: 'access_ended', language: 'en' });
  await page.getByText('The access to Garmin has ended').waitFor();
  await checkWidths(t, page, 'reason-access_ended');
  await press(page, 'Agree and continue to Garmin');
  await page.getByRole('button', { name: 'Allow' }).click();
  await page.getByText('Garmin is connected.').waitFor();
  await open(userId, { reason: 'no_data', language: 'en' });
  await page.getByText('No new data of Garmin has arrived').waitFor();
  await checkWidths(t, page, 'reason-no_data');
  await open(userId, { reason: 'no_data', language: 'he' });
  await page.getByText(filled(textsOf('he').reasons.no_data, { providers: 'Garmin' })).waitFor();
  await checkThemes(t, page, 'reason-he');
  t.strictSame(problems, []);
});

t.test(
  'the page is in the language of the browser, and connects by keyboard from right to left too',
  async (t) => {
    for (const language of ['de', 'he'] as const) {
      const texts = textsOf(language);
      const viewport = { width: 360, height: 800 };
      const { page, problems } = await visit(t, browser, { viewport, locale: language });
      const userId = await createUser(api);
      await page.goto((await sessionFor(api, userId)).url);
      await page.getByRole('heading', { name: texts.pickTitle }).waitFor();
      t.equal(await page.getAttribute('html', 'lang'), language);
      await press(page, `${texts.choose.none}: Garmin`);
      await page.getByRole('heading', { name: filled(texts.consentTitle, { provider: 'Garmin' }) }).waitFor();
      await checkThemes(t, page, `consent-${language}`);
      await press(page, filled(texts.agree, { provider: 'Garmin' }));
      await page.getByRole('button', { name: 'Allow' }).waitFor();
      await press(page, 'Allow');
      await page.getByText(filled(texts.connected, { provider: 'Garmin' })).waitFor();
      t.match(await connectionsOf(api, userId), [{ provider: 'devicemaker', status: 'active' }]);
      t.strictSame(problems, []);
    }
  },
);

t.test(
  'deny: the page says what to do; the back button from the provider leads to the consent',
  async (t) => {
    const { page, problems } = await visit(t, browser, { viewport: { width: 360, height: 800 } });
    const { url } = await sessionFor(api, await createUser(api), {
      providers: ['activitynet'],
      language: 'en',
    });
    await page.goto(url);
    await press(page, 'Agree and continue to Strava');
    await page.getByRole('button', { name: 'Deny' }).waitFor();
    await page.goBack();
    await press(page, 'Agree and continue to Strava');
    await page.getByRole('button', { name: 'Deny' }).waitFor();
    await press(page, 'Deny');
    await page.getByText('You did not allow access').waitFor();
    await check(t, page, 'denied');
    t.strictSame(problems, []);
  },
);

t.test('the page fills a 4k screen in readable size', async (t) => {
  const { page, problems } = await visit(t, browser, { viewport: { width: 3840, height: 2160 } });
  await page.goto((await sessionFor(api, await createUser(api))).url);
  await check(t, page, 'pick-4k');
  t.ok(Number(await page.evaluate('parseFloat(getComputedStyle(document.body).fontSize)')) >= 20);
  t.strictSame(problems, []);
});

t.test('refusals are pages that say what to do', async (t) => {
  const first = await visit(t, browser, { colorScheme: 'dark' });
  const second = await visit(t, browser, { colorScheme: 'dark', viewport: { width: 360, height: 800 } });
  const { url } = await sessionFor(api, await createUser(api), { language: 'en' });
  await first.page.goto(url);
  await first.page.locator('.choices a').first().click();
  await first.page.locator('form button').click();
  await first.page.getByRole('button', { name: 'Allow' }).waitFor();
  await second.page.goto(url);
  await second.page.getByRole('heading', { name: 'This link belongs to another browser' }).waitFor();
  await check(t, second.page, 'foreign');
  await second.page.goto(`${api.url}/connect/unknown`);
  await second.page.getByRole('heading', { name: 'This link is not valid' }).waitFor();
  await check(t, second.page, 'unknown');
});

t.test('the logo of the operator runs no script, even if it is opened by itself', async (t) => {
  const { page } = await visit(t, browser, {});
  await page.goto((await sessionFor(api, await createUser(api))).url);
  const source = (await page.getAttribute('header img', 'src')) ?? '';
  t.equal(await page.getAttribute('header img', 'alt'), 'Example Health');
  await page.goto(`${api.url}${source}`);
  t.equal(await page.evaluate("document.documentElement.getAttribute('data-ran')"), null);
});
