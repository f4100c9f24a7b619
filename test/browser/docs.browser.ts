// npm run test:browser: a newcomer at /docs uses a key, or logs in, makes a key and a user, sends data and reads it.
import type { Locator, Page } from 'playwright-core';
import t from 'tap';
import { developer, startApi } from '../support/api.ts';
import { findingsOf } from '../support/axe.ts';
import { openPage, startBrowser } from '../support/browser.ts';

const api = await startApi(t);
const browser = await startBrowser();

// The page renders a document of 660 KB: each load takes seconds of CPU, so the tests walk through it in three loads.
const patienceMs = 180_000;
t.setTimeout(5 * patienceMs);

/** The page, with the requests to other origins and the violations of its policy as complaints. */
async function openDocs() {
  const opened = await openPage(t, browser);
  opened.page.on('request', (request) => {
    if (!request.url().startsWith(`${api.url}/`) && !request.url().startsWith('data:'))
      opened.complaints.push(`request to ${request.url()}`);
  });
  opened.page.setDefaultTimeout(patienceMs);
  await opened.page.setViewportSize({ width: 1400, height: 2000 });
  await opened.page.goto(`${api.url}/docs`);
  return opened;
}

function operation(page: Page, method: string, path: string): Locator {
  return page.locator(`.opblock-${method.toLowerCase()}:has([data-path="${path}"])`);
}

async function open(page: Page, method: string, path: string): Promise<Locator> {
  await (await linkTo(page, method, path)).click();
  const block = operation(page, method, path);
  await block.locator('.opblock-section-header').first().waitFor();
  return block;
}

/** The link of an operation in the list, whose group is opened. */
async function linkTo(page: Page, method: string, path: string): Promise<Locator> {
  const link = page.locator(`a[title="${path}"]`).filter({ hasText: new RegExp(`${method}$`) });
  const group = page.locator('nav details').filter({ has: link });
  if ((await group.getAttribute('open')) === null) await group.locator('summary').click();
  return link;
}

/** Puts a key into the field of the page, with the keyboard. */
async function enterKey(page: Page, key: string): Promise<string> {
  await page.getByLabel('API key').fill(key);
  await page.keyboard.press('Enter');
  const state = page.locator('#credential-state[class]:not([class=""])');
  await state.waitFor();
  return state.innerText();
}

/** Sends a request with the form of the page; returns the status of the answer. */
async function execute(page: Page, method: string, path: string, body?: unknown): Promise<string> {
  const block = await open(page, method, path);
  if (body !== undefined) await block.locator('textarea').first().fill(JSON.stringify(body));
  await block.getByRole('button', { name: 'Execute' }).click();
  const status = await block.locator('.live-responses-table tbody .response-col_status').first().innerText();
  await block.locator('.opblock-summary-control').click();
  return `${method} ${path} ${status.trim()}`;
}

const { page, complaints } = await openDocs();

/** The complaints since the last call, without those of answers with 401. */
const otherThan401 = () => complaints.splice(0).filter((one) => !one.includes('401'));

t.test('what the page refuses or only shows', async (t) => {
  await t.test('a key that the server refuses is not kept', async (t) => {
    t.match(await enterKey(page, 'sk-wrong'), /^The server refuses the key: .+/);
    t.equal(await page.getByRole('button', { name: 'Forget' }).isVisible(), false);
  });

  await t.test('streams cannot be tried out', async (t) => {
    for (const path of ['/users/{user_id}/export', '/users/{user_id}/timeseries/download']) {
      const block = await open(page, 'GET', path);
      t.equal(await block.getByRole('button', { name: 'Execute' }).count(), 0, path);
      t.equal(await block.getByRole('button', { name: 'Try it out' }).count(), 0, path);
      t.match(await block.innerText(), 'curl -OJ');
    }
    const other = await open(page, 'GET', '/users/{user_id}/timeseries');
    t.equal(await other.getByRole('button', { name: 'Execute' }).count(), 1);
    await other.locator('.opblock-summary-control').click();
  });

  await t.test('the events that applications receive are shown without a form', async (t) => {
    const search = page.getByLabel('Search guides and operations');
    await search.fill('workout.created');
    await page.getByRole('link', { name: 'A workout was stored' }).click();
    const event = page.locator('.opblock:has([data-path="workout.created"])');
    await event.getByText('webhook-signature').first().waitFor();
    t.equal(await event.getByRole('button', { name: 'Execute' }).count(), 0);
    await search.fill('');
  });
  t.strictSame(otherThan401(), []);
});

t.test('the values that the page fills in lead from the log-in to data', async (t) => {
  const user = '/users/{user_id}';
  const steps = [
    await execute(page, 'POST', '/auth/login', developer),
    await execute(page, 'POST', '/api-keys'),
    await execute(page, 'POST', '/users'),
    await execute(page, 'GET', user),
    await execute(page, 'POST', `${user}/connections`),
    await execute(page, 'POST', '/webhooks/devicemaker/push'),
    await execute(page, 'GET', `${user}/timeseries`),
  ];
  t.strictSame(steps, [
    'POST /auth/login 200',
    'POST /api-keys 201',
    'POST /users 201',
    'GET /users/{user_id} 200',
    'POST /users/{user_id}/connections 201',
    'POST /webhooks/devicemaker/push 200',
    'GET /users/{user_id}/timeseries 200',
  ]);
  const [made] = await api.database.query<{ id: string }>('select id from users.person');
  const read = await open(page, 'GET', `${user}/timeseries`);
  t.match(await read.locator('.curl').first().innerText(), `/users/${made?.id}/timeseries`);
  t.match(await read.locator('.live-responses-table').innerText(), '"total_count": 3');
  t.strictSame(complaints, []);
});

// In the browser: the text that a copy of the first code block by the keyboard gets.
const selectedCode = `(() => {
  getSelection().selectAllChildren(document.querySelector('.code code'));
  const copied = new ClipboardEvent('copy', { clipboardData: new DataTransfer(), cancelable: true });
  document.dispatchEvent(copied);
  return copied.clipboardData.getData('text/plain');
})()`;

// In the browser: clicks the button within the change of the page that adds it.
const pressAtOnce = `
  new MutationObserver((_, observer) => {
    const button = document.querySelector('button.execute');
    if (button === null) return;
    observer.disconnect();
    button.click();
    document.body.dataset.pressed = 'at once';
  }).observe(document.body, { childList: true, subtree: true })`;

t.test('a press of Execute before the operation is read does not block it; no key is left', async (t) => {
  await page.getByRole('button', { name: 'Forget' }).click();
  t.equal(await page.evaluate(() => JSON.stringify({ ...localStorage }).includes('sk-')), false);
  await page.goto(`${api.url}/docs`);
  await page.getByLabel('API key').and(page.locator(':enabled')).waitFor();
  await page.evaluate(`void ${pressAtOnce}`);
  t.equal(await execute(page, 'GET', '/users'), 'GET /users 401', 'the key is forgotten');
  t.equal(await page.evaluate('document.body.dataset.pressed'), 'at once');
  t.strictSame(otherThan401(), []);
});

t.test('a key of the field is checked and fills in a user', async (t) => {
  t.match(await enterKey(page, api.apiKey), 'Every request uses the API key.');
  t.equal(await page.getByLabel('API key').inputValue(), '');
  t.equal(await execute(page, 'GET', '/users/{user_id}'), 'GET /users/{user_id} 200');
  t.strictSame(complaints, []);
});

t.test('guides have the key of the reference, and a search that leads to their headings', async (t) => {
  await page.goto(`${api.url}/docs/guides/webhooks`);
  await page.getByText('Every request uses the API key.').waitFor();
  const block = page.locator('.code').first();
  const shown = await block.innerText();
  t.match(shown, `${api.url}/api/v1/webhook-endpoints`);
  t.match(shown, 'X-API-Key: sk-••••');
  t.equal((await page.content()).includes(api.apiKey), false, 'the key is masked');
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await block.getByRole('button', { name: 'Copy' }).click();
  await block.getByRole('button', { name: 'Copied' }).waitFor();
  t.match(await page.evaluate('navigator.clipboard.readText()'), `X-API-Key: ${api.apiKey}"`);
  t.match(
    await page.evaluate(selectedCode),
    `X-API-Key: ${api.apiKey}"`,
    'a selection is copied with it too',
  );

  await page.keyboard.press('/');
  await page.keyboard.type('rotate the secret');
  await page.locator('#results a').first().waitFor();
  t.match(await page.locator('#results').innerText(), 'POST', 'operations are among the results');
  for (const key of ['ArrowDown', 'ArrowDown', 'ArrowUp', 'Enter']) await page.keyboard.press(key);
  await page.waitForURL(`${api.url}/docs/guides/webhooks#rotate-the-secret`);
  t.ok(
    await page.evaluate(
      "scrollY > 0 && document.querySelector(':target').getBoundingClientRect().top < innerHeight",
    ),
  );
  await page.keyboard.press('Escape');
  t.equal(await page.locator('#results').isVisible(), false);
  await page.goBack();
  await page.waitForURL(`${api.url}/docs/guides/webhooks`);
  await page.waitForFunction('scrollY === 0');
  t.strictSame(complaints, []);
});

t.test('axe finds nothing on guides, in both themes and three widths', async (t) => {
  const findings: string[] = [];
  // A page reads the theme when it is loaded, and fits each width without that.
  for (const [colorScheme, widths] of [
    ['light', [1440, 360]],
    ['dark', [768]],
  ] as const) {
    await page.emulateMedia({ colorScheme });
    for (const name of ['webhooks', 'settings', 'data-oura', 'nothing']) {
      await page.goto(`${api.url}/docs/guides/${name}`);
      for (const width of widths) {
        await page.setViewportSize({ width, height: 900 });
        const { violations } = await findingsOf(page);
        findings.push(...violations.map((one) => `${name} ${width} ${one.id}: ${one.targets.join(' ')}`));
        if (!(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')))
          findings.push(`${name} is wider than ${width}`);
      }
    }
  }
  t.strictSame(findings, []);
  t.strictSame(
    complaints.splice(0).filter((one) => !one.includes('404')),
    [],
  );
});

t.test('a key that is entered in a guide is used by the reference, and Forget removes it', async (t) => {
  await page.goto(`${api.url}/docs/guides/webhooks`);
  await page.getByRole('button', { name: 'Forget' }).click();
  t.match(await page.locator('.code').first().innerText(), '$KEY');
  t.equal(await page.evaluate('JSON.stringify(localStorage).includes("sk-")'), false);
  t.equal(await enterKey(page, api.apiKey), 'Every request uses the API key.');
  t.match(await page.locator('.code').first().innerText(), 'sk-••••');
  t.equal(page.url().includes('sk-'), false);
  t.strictSame(complaints, []);
});

t.test(
  'the key survives a reload, and the keyboard leads to an answer, in the dark theme and 360 pixels',
  async (t) => {
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.setViewportSize({ width: 360, height: 740 });
    await page.goto(`${api.url}/docs`);
    await page.getByLabel('API key').and(page.locator(':enabled')).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('list users');
    await page.locator('#results a').first().waitFor();
    for (const key of ['ArrowDown', 'Enter']) await page.keyboard.press(key);
    const block = operation(page, 'GET', '/users');
    await block.locator('.responses-wrapper .model-example').first().waitFor(); // Swagger UI has read the operation
    const execute = block.getByRole('button', { name: 'Execute' });
    await execute.focus();
    await page.keyboard.press('Enter');
    const status = page.locator('.live-responses-table tbody .response-col_status').first();
    t.match(await status.innerText(), /^200/);
    t.ok(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'));
    t.equal(await page.locator('html.dark-mode').count(), 1);
    t.strictSame(complaints, []);
  },
);
