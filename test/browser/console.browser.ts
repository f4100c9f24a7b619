// npm run test:browser: pages and actions of the console. SCREENSHOTS saves a picture of each page in docs/images.
import { createHash, randomUUID } from 'node:crypto';
import type { Page } from 'playwright-core';
import t from 'tap';
import { z } from 'zod';
import { typedCall } from '../../runtime/environment.ts';
import { developer } from '../support/api.ts';
import { insertDeveloper } from '../support/developer.ts';
import {
  apiNames,
  createFailingDestination,
  newestDelivery,
  newestEvent,
  sharedConsole,
  shortenTables,
  textOf,
  type View,
  violations,
} from './console.ts';
import { insertFreshness } from './freshness-rows.ts';
import { savePicture } from './pictures.ts';
import { outline, structureFaults, wideParts } from './structure.ts';

const { api, root, userId, receiverUrl, openConsole, openAt } = await sharedConsole(t);
const deliveryId = await newestDelivery(api);
const nightId = await newestEvent(api, userId, 'sleep');
const workoutId = await newestEvent(api, userId, 'workouts');
const destinationId = await createFailingDestination({ api, receiverUrl }, 'health-data');
await insertFreshness(api.database, { provider: 'suunto', states: { sleep: 'stale' } });

/** Each page, its main heading, and what is there once it has been read. A picture is made of each. */
const pages: readonly (readonly [path: string, heading: string, ready: string])[] = [
  ['', 'Home', 'figure svg'],
  ['/users', 'Users', 'table'],
  [`/users/${userId}`, '', '[role=slider]'],
  [`/users/${userId}/sleep`, '', '.night-row'],
  [`/users/${userId}/workouts`, '', 'main table a'],
  [`/users/${userId}/sleep/${nightId}`, '', 'figure.lanes'],
  [`/users/${userId}/workouts/${workoutId}`, '', 'figure.lanes'],
  [`/users/${userId}/body`, '', 'figure'],
  [`/users/${userId}/trends`, '', 'figure.lanes'],
  [`/users/${userId}/data`, '', '.plot canvas'],
  [`/users/${userId}/connections`, '', 'h3'],
  [`/users/${userId}/activity`, '', 'main .state, table'],
  ['/freshness', 'Freshness', 'table'],
  ['/deliveries', 'Deliveries', 'table'],
  [`/deliveries/${deliveryId}`, 'Delivery', 'dl'],
  ['/jobs', 'Jobs', 'main .state, table'],
  ['/webhooks', 'Webhooks', 'main .state, table'],
  ['/destinations', 'Destinations', 'table'],
  [`/destinations/${destinationId}`, 'Destination', 'dl'],
  ['/developers', 'Developers', 'section[aria-labelledby=audit] table'],
  ['/members', 'Members', 'form'],
  ['/providers', 'Providers', 'dl'],
  ['/account', 'Account', 'form'],
];

t.test('the first load is at most 100 kB, compressed, and of this origin', async (t) => {
  const { page, complaints } = await openConsole(t);
  const sizes: number[] = [];
  page.on('response', (response) => {
    const isFile = response.url() === root || response.url().includes('/assets/');
    if (isFile) sizes.push(Number(response.headers()['content-length']));
  });
  await page.goto(root, { waitUntil: 'networkidle' });
  await page.getByRole('button', { name: 'Log in' }).waitFor();
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  t.ok(sizes.length >= 3);
  t.ok(bytes <= 100 * 1024, `${bytes} bytes`);
  t.comment(`the first load has ${bytes} bytes`);
  t.strictSame(await violations(page), []);
  t.strictSame(complaints, []);
});

t.test('a script in the page itself does not run, and the check of the policy finds it', async (t) => {
  const { page, complaints } = await openConsole(t);
  await page.route(root, async (route) => {
    const response = await route.fetch();
    const body = (await response.text()).replace('</head>', '<script>document.title = "ran"</script></head>');
    await route.fulfill({ response, body });
  });
  await page.goto(root);
  await page.getByRole('button', { name: 'Log in' }).waitFor();
  t.not(await page.title(), 'ran');
  t.match(
    complaints.filter((text) => text.startsWith('violates')),
    [/^violates script-src-elem: inline/],
  );
});

t.test('a request to another origin is refused by the policy, and found without one', async (t) => {
  const picture = `<img src="${receiverUrl}/picture" alt=""></body>`;
  for (const hasPolicy of [true, false]) {
    const { page, complaints } = await openConsole(t);
    await page.route(root, async (route) => {
      const response = await route.fetch();
      const { 'content-security-policy': policy, ...headers } = response.headers();
      const body = (await response.text()).replace('</body>', picture);
      const kept = hasPolicy && policy !== undefined ? { 'content-security-policy': policy } : {};
      await route.fulfill({ status: 200, headers: { ...headers, ...kept }, body });
    });
    await page.goto(root);
    await page.getByRole('button', { name: 'Log in' }).waitFor();
    const found = hasPolicy ? `violates img-src: ${receiverUrl}/picture` : `requests ${receiverUrl}/picture`;
    t.ok(
      complaints.some((text) => text.startsWith(found)),
      complaints.join(', '),
    );
  }
});

t.test('a developer signs in by keyboard and logs out', async (t) => {
  const { page, complaints } = await openConsole(t);
  await page.goto(root);
  await page.getByLabel('E-mail address').waitFor();
  await page.keyboard.type(developer.email);
  await page.keyboard.press('Tab');
  await page.keyboard.type('a wrong password');
  await page.keyboard.press('Enter');
  await page.getByRole('alert').waitFor();
  await page.getByLabel('Password').focus();
  await page.keyboard.press('Control+A');
  await page.keyboard.type(developer.password);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Home' }).waitFor();
  t.strictSame(
    complaints.filter((text) => !text.includes('401')),
    [],
  );
  await page.reload();
  await page.getByRole('button', { name: 'Log out' }).press('Enter');
  await page.getByRole('button', { name: 'Log in' }).waitFor();
  await page.goto(`${root}/users`);
  await page.getByRole('button', { name: 'Log in' }).waitFor();
});

t.test('a sign-in link works once, and its token leaves the address', async (t) => {
  const token = randomUUID();
  const link_hash = createHash('sha256').update(token).digest('hex');
  await typedCall(api.broker)('auth.createSignInLink', { email: developer.email, link_hash });
  const { page, complaints } = await openConsole(t);
  await page.goto(`${root}/sign-in#${token}`);
  await page.getByRole('heading', { name: 'Home' }).waitFor();
  t.equal(page.url(), root);
  t.strictSame(complaints, []);
  const other = await openConsole(t);
  await other.page.goto(`${root}/sign-in#${token}`);
  t.match(await other.page.getByRole('alert').innerText(), 'was used before');
  t.equal(other.page.url(), `${root}/sign-in`);
});

const views: readonly View[] = [
  ...([1440, 768, 360, 3840] as const).map((width) => ({ colorScheme: 'light', width }) as const),
  ...([1440, 768, 360] as const).map((width) => ({ colorScheme: 'dark', width }) as const),
];
// Colours depend on the theme, and what is shown depends on the width: two views have both.
const isChecked = ({ colorScheme, width }: View) => width === (colorScheme === 'light' ? 1440 : 360);

t.test('every page has its structure, in both themes, and fits into each width', async (t) => {
  const { page, complaints } = await openAt(null);
  for (const [path, heading, ready] of pages) {
    await page.goto(root + path);
    await page.locator(ready).first().waitFor();
    if (heading !== '') await page.getByRole('heading', { name: heading, level: 1 }).waitFor();
    await page
      .getByText(/^Loading/)
      .first()
      .waitFor({ state: 'detached' });
    // Client ids of the sandbox are values of settings.
    const text = (await textOf(page)).replaceAll(/sandbox-\w+/g, '');
    t.notMatch(text, apiNames, `${path} names providers as people do`);
    t.strictSame(structureFaults(await page.evaluate(outline)), [], `${path} has its landmarks and headings`);
    for (const view of views) {
      const shown = `${path}, ${view.colorScheme}, ${view.width} px`;
      await show(page, view);
      t.strictSame(await wideParts(page), [], `${shown}, fits into the width`);
      if (view.width <= 1440) await savePicture(page, `console-${nameOf(path)}`, view);
    }
    await shortenTables(page);
    for (const view of views.filter(isChecked)) {
      await show(page, view);
      t.strictSame(await violations(page), [], `${path}, ${view.colorScheme}, has no violations`);
    }
  }
  t.strictSame(complaints, []);
});

async function show(page: Page, { colorScheme, width }: View): Promise<void> {
  await page.emulateMedia({ colorScheme });
  await page.setViewportSize({ width, height: 900 });
}

const nameOf = (path: string) =>
  path
    .replace(`/users/${userId}`, '/user')
    .replace(`/deliveries/${deliveryId}`, '/delivery')
    .replace(`/destinations/${destinationId}`, '/destination')
    .replace(`sleep/${nightId}`, 'night')
    .replace(`workouts/${workoutId}`, 'workout')
    .slice(1)
    .replaceAll('/', '-') || 'home';

t.test('six steps zoom from a year to a minute without a reload, with at most 2,000 points', async (t) => {
  const { page, complaints } = await openAt(null);
  const counts: number[] = [];
  const Columns = z.object({ series: z.array(z.object({ offset_seconds: z.array(z.number()) })) });
  page.on('response', async (response) => {
    if (!response.url().includes('/timeseries/chart')) return;
    const body = Columns.safeParse(await response.json().catch(() => null)); // the page may be closed
    counts.push(...(body.data?.series ?? []).map(({ offset_seconds }) => offset_seconds.length));
  });
  await page.goto(`${root}/users/${userId}/data`);
  await page.locator('.plot canvas').waitFor();
  let documents = 0;
  page.on('request', (request) => {
    if (request.isNavigationRequest()) documents += 1;
  });
  await page.getByRole('button', { name: 'Year' }).click();
  for (let step = 1; step <= 6; step += 1) {
    const answered = page.waitForResponse((response) => response.url().includes('/timeseries/chart'));
    await page.getByRole('button', { name: 'Zoom in', exact: true }).click();
    await answered;
  }
  t.ok(await page.getByRole('button', { name: 'Zoom in' }).isDisabled(), 'a minute is the shortest span');
  t.equal(documents, 0);
  t.ok(Math.max(...counts) > 100 && Math.max(...counts) <= 2000, `${Math.max(...counts)} points`);
  await page.getByRole('button', { name: 'Day', exact: true }).click();
  await page.locator('figure:has(.plot) summary').first().click();
  await page.locator('figure details[open] tbody tr').nth(10).waitFor();
  const box = await page.locator('.plot .u-over').boundingBox();
  const before = await page.locator('.spans [role=status]').innerText();
  await page.mouse.move((box?.x ?? 0) + 100, (box?.y ?? 0) + 50);
  await page.mouse.down();
  await page.mouse.move((box?.x ?? 0) + 300, (box?.y ?? 0) + 60, { steps: 4 });
  await page.mouse.up();
  const shown = page.locator('.spans [role=status]').filter({ hasNotText: before });
  const after = await shown.innerText();
  await page.reload();
  t.equal(await shown.innerText(), after, 'the address of the page has the span');
  t.strictSame(complaints, []);
});

t.test('a year without samples leads to the year before', async (t) => {
  const { page, complaints } = await openAt(
    `/users/${userId}/data?from=2019-05-06T00:00:00Z&to=2019-05-07T00:00:00Z`,
  );
  const status = page.getByText(/^There are no samples from 201\d-/);
  const first = await status.innerText();
  await page.getByRole('button', { name: 'A year earlier' }).click();
  await status.filter({ hasNotText: first }).waitFor();
  await page.getByRole('button', { name: 'Today' }).click();
  await page.locator('.plot canvas').waitFor();
  t.strictSame(complaints, []);
});

t.test('the splits of a workout have its distance in sum', async (t) => {
  const { page, complaints } = await openAt(`/users/${userId}/workouts`);
  const table = page.getByRole('region', { name: 'Workouts, table' });
  await table
    .getByRole('row')
    .filter({ hasText: /running/i })
    .first()
    .getByRole('link')
    .first()
    .click();
  const splits = page.getByRole('region', { name: 'Splits, table' }).locator('tbody tr');
  await splits.first().waitFor();
  const figures = await page.locator('.figures').innerText();
  const length = Number.parseFloat(/Distance\s+([\d.]+)/.exec(figures)?.[1] ?? '');
  const distances = await splits.locator('td:last-child').allInnerTexts();
  t.equal(distances.length, Math.ceil(length));
  const sum = distances.reduce((total, text) => total + Number.parseFloat(text), 0);
  t.ok(Math.abs(sum - length) < 0.02, `${sum} of ${length}`);
  t.match(await splits.first().innerText(), /^1\s.*\d:\d\d.*\d+ bpm.*1 (km|mi)$/s);
  await shortenTables(page);
  t.strictSame(await violations(page), []);
  t.strictSame(complaints, []);
});

t.test('a change is shown without a reload', async (t) => {
  const { page } = await openAt(null);
  const polled = page.waitForRequest((request) => request.url().includes('/changes'));
  await page.goto(`${root}/users/${userId}/data`);
  await page.locator('.plot canvas').waitFor();
  await polled;
  const loadedAt = await page.evaluate(() => performance.timeOrigin);
  await api.expect(200, `/users/${userId}`, { method: 'PATCH', body: { first_name: 'Renamed' } });
  await page.getByRole('heading', { name: /^Renamed/ }).waitFor();
  t.equal(await page.evaluate(() => performance.timeOrigin), loadedAt, 'the page is the same');
});

t.test('the password is changed', async (t) => {
  const grace = { email: 'grace@example.com', password: developer.password };
  await insertDeveloper(api.database, grace);
  const { page, complaints } = await openConsole(t);
  await page.goto(root);
  await page.getByLabel('E-mail address').fill(grace.email);
  await page.getByLabel('Password').fill(grace.password);
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.getByRole('link', { name: grace.email }).click();
  await page.getByLabel('Current password').fill(grace.password);
  await page.getByLabel('New password').fill('purple lamps over quiet water');
  await page.getByRole('button', { name: 'Change the password' }).click();
  await page.getByText('The password is changed').waitFor();
  t.strictSame(complaints, []);
});
