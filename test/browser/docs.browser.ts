// npm run test:browser: a newcomer at /docs logs in, makes a key and a user, sends data and reads it.
import type { Locator, Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { developer, startApi } from '../support/api.ts';
import { openPage, startBrowser } from '../support/browser.ts';

const api = await startApi(t);
const browser = await startBrowser(t);

// The page renders a document of 290 KB, which is slow on a busy machine.
const patienceMs = 180_000;
t.setTimeout(5 * patienceMs);

async function openDocs(t: Test) {
  const opened = await openPage(t, browser);
  opened.page.setDefaultTimeout(patienceMs);
  await opened.page.setViewportSize({ width: 1400, height: 2000 });
  await opened.page.goto(`${api.url}/docs`);
  return opened;
}

function operation(page: Page, method: string, path: string): Locator {
  return page.locator(`.opblock-${method.toLowerCase()}:has([data-path="${path}"])`);
}

async function open(page: Page, method: string, path: string): Promise<Locator> {
  const block = operation(page, method, path);
  await block.locator('.opblock-summary-control').click();
  await block.locator('.opblock-section-header').first().waitFor();
  return block;
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

t.test('the values that the page fills in lead from the log-in to data', async (t) => {
  const { page, complaints } = await openDocs(t);
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

t.test('the key survives a reload', async (t) => {
  const { page } = await openDocs(t);
  await page.getByRole('button', { name: 'Authorize' }).first().click();
  const form = page.locator('.auth-container:has-text("X-API-Key")').first();
  await form.locator('input').fill(api.apiKey);
  await form.getByRole('button', { name: 'Apply credentials' }).click();
  await page.locator('.close-modal').click();
  t.equal(await execute(page, 'GET', '/users'), 'GET /users 200');
  await page.reload();
  t.equal(await execute(page, 'GET', '/users'), 'GET /users 200');
});

t.test('streams cannot be tried out', async (t) => {
  const { page } = await openDocs(t);
  for (const path of ['/users/{user_id}/export', '/users/{user_id}/timeseries/download']) {
    const block = await open(page, 'GET', path);
    t.equal(await block.getByRole('button', { name: 'Execute' }).count(), 0, path);
    t.equal(await block.getByRole('button', { name: 'Try it out' }).count(), 0, path);
    t.match(await block.innerText(), 'curl -OJ');
  }
  const other = await open(page, 'GET', '/users/{user_id}/timeseries');
  t.equal(await other.getByRole('button', { name: 'Execute' }).count(), 1);
});
