// npm run test:browser: home, deliveries, providers and webhooks in the console.
import type { Page } from 'playwright-core';
import t from 'tap';
import { audited, newestDelivery, startConsole, violations } from './console.ts';
import { savePicture } from './pictures.ts';

const { api, product, root, receiverUrl, openAt } = await startConsole(t);
const account = 'account-of-the-console';
const body = {
  dailies: [
    { userId: account, summaryId: 'wrong', steps: 'many' },
    { userId: 'nobody-here', summaryId: 'x' },
  ],
};
const push = (body: unknown) =>
  api.ask('/api/v1/webhooks/devicemaker/push', {
    body,
    headers: { 'devicemaker-client-id': 'sandbox-devicemaker' },
  });
const user = await api.expect(201, '/users', { body: { first_name: 'Ada' } });
const connection = { provider: 'devicemaker', provider_user_id: account };
await api.expect(201, `/users/${Object(user).id}/connections`, { body: connection });
t.equal((await push(body)).status, 200);
const deliveryId = await newestDelivery(api);

/** Follows a link of home, which leads to a list. */
async function follow(page: Page, name: RegExp | string, heading: string, query: string): Promise<void> {
  await page.getByRole('link', { name: 'Home', exact: true }).click();
  await page.getByRole('main').getByRole('link', { name }).click();
  await page.getByRole('heading', { name: heading, level: 1 }).waitFor();
  t.equal(page.url(), `${root}${query}`);
}

t.test('a dead job is retried', async (t) => {
  const key = '00000000-0000-4000-8000-0000000000dd';
  await api.database.query(
    "insert into jobs.job (kind, key, error, dead_at) values ('test.dead', $1, 'BROKEN', now())",
    [key],
  );
  const { page, complaints } = await openAt('/jobs?state=dead');
  await page.getByRole('cell', { name: 'BROKEN', exact: true }).waitFor();
  t.strictSame(await violations(page), []);
  await page.getByRole('button', { name: `Retry test.dead ${key}` }).click();
  await page.getByText('No job is dead').waitFor();
  await page.goto(`${root}/jobs?state=waiting`);
  await page.getByRole('row').filter({ hasText: 'test.dead' }).getByText('waiting').waitFor();
  await audited(api, 'job.retried', key.slice(0, 8));
  t.strictSame(complaints, []);
  await api.database.query("delete from jobs.job where kind = 'test.dead'");
});

t.test('home says what is not well, since when and what to do, until it is mended', async (t) => {
  await api.database.query(
    "insert into jobs.job (kind, key, run_at) values ('test.late', '1', now() - interval '1 hour')",
  );
  await api.database.query("insert into jobs.job (kind, key, dead_at) values ('test.dead', '2', now())");
  const { page, complaints } = await openAt();
  const state = page.getByRole('region', { name: 'State of the service' });
  const item = (text: string) => state.getByRole('listitem').filter({ hasText: text });
  await item('1 job failed for good').waitFor();
  t.match(await state.getByRole('status').innerText(), /^\d+ things need attention\.$/);
  t.match(
    await item('The oldest job has waited for 1 h').innerText(),
    /Past data is loaded late.*Began 1 h ago/s,
  );
  t.strictSame(await violations(page), []);
  await item('1 job failed for good').getByRole('link').click();
  await page.getByRole('heading', { name: 'Jobs', level: 1 }).waitFor();
  t.equal(page.url(), `${root}/jobs?state=dead`);
  await api.database.query("delete from jobs.job where kind in ('test.dead', 'test.late')");
  await page.goBack();
  await state.waitFor();
  await item('job').first().waitFor({ state: 'detached' });
  t.strictSame(complaints, []);
});

t.test(
  'the set-up is shown until it is hidden, and the address has the period of what arrived',
  async (t) => {
    const { page, complaints } = await openAt();
    const setup = page.getByRole('region', { name: /^Set-up \d of 5 steps done$/ });
    await setup.getByRole('listitem').filter({ hasText: 'Create a user (done)' }).waitFor();
    await setup.getByRole('listitem').filter({ hasText: 'Add a webhook endpoint (not done)' }).waitFor();
    await setup.getByRole('link', { name: 'Add a webhook endpoint' }).click();
    await page.getByRole('heading', { name: 'Webhooks', level: 1 }).waitFor();
    await page.goBack();
    await setup.getByRole('button', { name: 'Hide the set-up' }).click();
    await setup.waitFor({ state: 'detached' });
    await page.reload();
    await page.getByRole('region', { name: 'State of the service' }).waitFor();
    t.equal(await setup.count(), 0, 'this browser remembers it');
    await page.getByRole('radio', { name: 'Last day' }).check();
    await page.getByText(/^Deliveries .*in the last day/).waitFor();
    t.match(page.url(), /\?period=day$/);
    await page.goBack();
    await page.getByText(/^Deliveries .*in the last hour/).waitFor();
    t.ok(await page.getByRole('radio', { name: 'Last hour' }).isChecked());
    t.strictSame(complaints, []);
  },
);

t.test('each number of home leads to its list', async (t) => {
  const { page, complaints } = await openAt();
  await follow(page, '1 active connections to Garmin', 'Users', '/users?provider=devicemaker&state=active');
  await page.getByRole('link', { name: 'Ada' }).waitFor();
  t.equal(await page.getByLabel('Connected to').inputValue(), 'devicemaker');
  await page.getByRole('combobox', { name: 'Connection' }).selectOption('revoked');
  await page.getByText('No user matches').waitFor();
  await follow(page, /^Users 1/, 'Users', '/users');
  await follow(page, /^Oldest waiting delivery/, 'Deliveries', '/deliveries?status=ready');
  await page.getByText('No delivery is ready').waitFor();
  await follow(page, /^Dead letters/, 'Deliveries', '/deliveries?status=dead');
  const times = 'from receipt until readable, half and 99 of 100 of Garmin';
  await follow(page, times, 'Deliveries', '/deliveries?status=done&provider=devicemaker');
  await page.getByRole('table').waitFor();
  await page.getByLabel('Provider').selectOption('withings');
  await page.getByText('No delivery of Withings is processed yet').waitFor();
  t.equal(page.url(), `${root}/deliveries?status=done&provider=withings`);
  await page.reload();
  await page.getByText('No delivery of Withings is processed yet').waitFor();
  await page.getByLabel('Provider').selectOption('any');
  await page.getByRole('table').waitFor();
  t.equal(page.url(), `${root}/deliveries?status=done`);
  await follow(page, /^Oldest waiting job/, 'Jobs', '/jobs?state=waiting');
  await follow(page, /^Dead jobs/, 'Jobs', '/jobs?state=dead');
  await page.getByText('No job is dead').waitFor();
  await follow(page, /^Failing endpoints/, 'Webhooks', '/webhooks?state=failed');
  await page.getByRole('link', { name: 'Home', exact: true }).click();
  await page.getByText(/^\d+ providers without connections$/).click();
  await page.getByRole('link', { name: /^Strava$/ }).click();
  await page.getByRole('heading', { name: 'Providers', level: 1 }).waitFor();
  t.equal(page.url(), `${root}/providers#activitynet`);
  t.strictSame(complaints, []);
});

t.test('home and the lists follow the changes without a reload', async (t) => {
  const { page } = await openAt();
  const loadedAt = await page.evaluate(() => performance.timeOrigin);
  const polled = page.waitForRequest((request) => request.url().includes('/changes'));
  await polled;
  await api.expect(201, '/users', { body: { first_name: 'Ben' } });
  await page.getByRole('link', { name: /^Users 2/ }).click();
  await page.getByRole('link', { name: 'Ben' }).waitFor();
  await api.expect(201, '/users', { body: { first_name: 'Cleo' } });
  await page.getByRole('link', { name: 'Cleo' }).waitFor();
  await page.getByRole('link', { name: 'Deliveries' }).click();
  const rows = page.locator('tbody tr');
  await rows.first().waitFor();
  const before = await rows.count();
  await push({ dailies: [{ ...body.dailies[0], steps: 7, calendarDate: '2026-01-01' }] });
  await api.expect(201, '/users', { body: { first_name: 'Dora' } });
  await rows.nth(before).waitFor();
  t.equal(await page.evaluate(() => performance.timeOrigin), loadedAt, 'the page is the same');
});

t.test(
  'a delivery shows the errors of its items and its body, whose read is audited; it is replayed',
  async (t) => {
    const { page, complaints } = await openAt('/deliveries?status=done');
    await page.locator(`tbody a[href$="${deliveryId}"]`).click();
    await page.getByRole('heading', { name: 'Delivery', level: 1 }).waitFor();
    t.equal(page.url(), `${root}/deliveries/${deliveryId}`);
    const errors = page.getByRole('region', { name: 'Errors of items' });
    await errors.getByText('dailies[1] (x)').waitFor();
    const answered = page.waitForResponse((response) => response.url().endsWith('/body?offset=0'));
    await page.getByRole('button', { name: 'Show the body' }).click();
    t.equal((await answered).headers()['cache-control'], 'no-store');
    t.strictSame(JSON.parse(await page.locator('pre').innerText()), body);
    t.strictSame(await violations(page), []);
    await page.getByRole('button', { name: 'Copy the body' }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    await audited(api, 'delivery.read', deliveryId);
    // Leaving the page earlier would abort the request.
    const replayed = page.waitForResponse((response) => response.url().endsWith('/replay'));
    await page.getByRole('button', { name: 'Replay' }).click();
    t.equal((await replayed).status(), 202);
    await audited(api, 'delivery.replayed', deliveryId);
    await page.goto(`${root}/deliveries/00000000-0000-4000-8000-000000000000`);
    await page.getByText('The delivery could not be loaded: Delivery not found.').waitFor();
    t.strictSame(
      complaints.filter((text) => !text.includes('404')),
      [],
    );
  },
);

t.test(
  'the providers show their addresses to copy; a fault of the sandbox is started and ended',
  async (t) => {
    const { page, complaints } = await openAt();
    await page.getByRole('link', { name: 'Providers', exact: true }).click();
    const devicemaker = page.getByRole('region', { name: 'Garmin', exact: true });
    await devicemaker.getByRole('button', { name: 'Copy the address of push' }).click();
    await devicemaker.getByRole('button', { name: 'Copied' }).waitFor();
    t.match(
      await page.evaluate('navigator.clipboard.readText()'),
      `${api.url}/api/v1/webhooks/devicemaker/push`,
    );
    const faults = page.getByRole('region', { name: 'Faults of the sandbox' });
    await faults.getByText('No fault is active').waitFor();
    await faults.getByLabel('Fault').selectOption('rate_limit');
    await faults.getByLabel('Provider').selectOption('activitynet');
    await faults.getByRole('button', { name: 'Start the fault' }).click();
    await faults.getByRole('cell', { name: 'rate_limit', exact: true }).waitFor();
    t.match(product.sandbox.world.faults.list(), [{ kind: 'rate_limit', provider: 'activitynet' }]);
    t.strictSame(await violations(page), []);
    await faults.getByRole('button', { name: 'End the fault rate_limit' }).click();
    await faults.getByText('No fault is active').waitFor();
    t.strictSame(product.sandbox.world.faults.list(), []);
    t.strictSame(complaints, []);
  },
);

t.test('an endpoint is added, tested, disabled and deleted; a message is sent again', async (t) => {
  const { page, complaints } = await openAt();
  await page.getByRole('link', { name: 'Webhooks', exact: true }).click();
  await page.getByText('There is no endpoint yet').waitFor();
  await page.getByRole('button', { name: 'Add an endpoint' }).click();
  await page.getByLabel('Address').fill(`${receiverUrl}/hook`);
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  t.match(await page.locator('.secret').innerText(), /^whsec_/);
  await page.getByRole('button', { name: 'Close' }).click();
  await page.getByRole('link', { name: `${receiverUrl}/hook` }).click();
  await page.getByRole('button', { name: 'Send a test' }).click();
  await page.getByText('A test message is on its way').waitFor();
  await page.getByRole('cell', { name: 'delivered', exact: true }).first().waitFor();
  await savePicture(page, 'console-webhook-endpoint');
  t.strictSame(await violations(page), []);
  await page.getByRole('button', { name: /^Resend/ }).click();
  await page.getByRole('button', { name: 'Recover failed messages' }).click();
  await page.getByText('messages of the last three days').waitFor();
  await page.getByRole('button', { name: 'Disable' }).click();
  await page.getByText('paused').waitFor();
  const address = page.url();
  const id = address.split('/').at(-1) ?? '';
  await audited(api, 'webhook_endpoint.updated', id);
  await page.goto(`${root}/webhooks?state=enabled`);
  await page.getByText('No endpoint is enabled').waitFor();
  await page.goto(address);
  await page.getByRole('button', { name: 'Delete the endpoint' }).click();
  await page.getByRole('dialog').getByRole('textbox').fill('delete');
  await page.getByRole('dialog').getByRole('button', { name: 'Delete the endpoint' }).click();
  await page.getByText('There is no endpoint yet').waitFor();
  t.strictSame(complaints, []);
});

t.test(
  'of many endpoints those that are furthest behind are first, and all are drawn by request',
  async (t) => {
    const { page, complaints } = await openAt();
    const example = Object(
      await api.expect(201, '/webhook-endpoints', { body: { url: `${receiverUrl}/many` } }),
    );
    await api.expect(200, `/webhook-endpoints/${example.id}`, { method: 'DELETE' });
    const many = Array.from({ length: 120 }, (_, index) => ({
      ...{ ...example, id: `${index}`, url: `https://app.example/${index}`, messages_waiting: index },
      oldest_waiting_message_seconds: index === 0 ? null : index * 60,
    }));
    await page.route('**/api/v1/webhook-endpoints', (route) => route.fulfill({ json: many }));
    await page.goto(`${root}/webhooks`);
    const rows = page.getByRole('region', { name: 'Endpoints, table' }).locator('tbody tr');
    await rows.nth(99).waitFor();
    t.equal(await rows.count(), 100);
    t.match(
      await rows.first().innerText(),
      /app\.example\/119\s.*119 messages wait, the oldest for 1 h 59 min/s,
    );
    await page.getByRole('button', { name: 'Show all 120 endpoints' }).click();
    await rows.nth(119).waitFor();
    t.match(await rows.last().innerText(), /app\.example\/0\s.*no/s);
    t.match(page.url(), /[?&]all=yes/);
    t.strictSame(complaints, []);
  },
);
