import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import t from 'tap';
import { consentVersion } from '../../services/api-gateway/actions/connect-page/languages.ts';
import { item, score } from '../services/timeseries/items.ts';
import { createUser } from '../support/api.ts';
import { until } from '../support/until.ts';
import { apiNames, audited, sharedConsole, textOf, violations } from './console.ts';

// npm run test:browser: the page of a user in the console: connect, disconnect, backfill, scores, activity log, deletion.

const { api, root, userId, openAt } = await sharedConsole(t);
/** Is connected by the second test, and disconnected by a later one. */
const newcomer = await createUser(api, { first_name: 'Newly' });

t.test('a user is created, found, exported and deleted', async (t) => {
  const { page, complaints } = await openAt();
  await page.getByRole('link', { name: 'Users', exact: true }).click();
  await page.getByRole('button', { name: 'Create a user' }).click();
  await page.getByRole('textbox', { name: 'First name' }).fill('Zoe');
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  await page.getByRole('heading', { name: 'Zoe' }).waitFor();
  const id = new URL(page.url()).pathname.split('/').at(-1) ?? '';
  await page.getByRole('link', { name: 'Data', exact: true }).click();
  await page.getByText('They arrive once an account is connected').waitFor();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Export all data' }).click(),
  ]);
  t.match(readFileSync(await download.path(), 'utf8'), 'Zoe');
  await page.getByRole('link', { name: 'Users', exact: true }).click();
  t.ok(await page.getByRole('button', { name: 'Last', exact: true }).isDisabled(), 'there is one page');
  await page.goto(`${root}/users?page=9`);
  const [{ count } = { count: 0 }] = await api.database.query<{ count: number }>(
    'select count(*)::int as count from users.person where deleted_at is null',
  );
  await page.getByText(`There is no page 9: the list has ${count} users on 1 page.`).waitFor();
  await page.getByRole('button', { name: 'Go to the last page' }).click();
  await page.getByRole('link', { name: 'Zoe' }).waitFor();
  await page.getByLabel('Search').fill('zo');
  await page.getByText('Page 1 of 1, 1 user', { exact: true }).waitFor();
  await page.getByRole('link', { name: 'Zoe' }).click();
  await page.getByRole('button', { name: 'Delete the user' }).click();
  const dialog = page.getByRole('dialog');
  const confirm = dialog.getByRole('button', { name: 'Delete the user' });
  t.ok(await confirm.isDisabled());
  await dialog.getByRole('textbox').fill('delete');
  t.strictSame(await violations(page), []);
  await confirm.click();
  await page.getByRole('heading', { name: 'Users' }).waitFor();
  await page.getByLabel('Search').fill('zo');
  await page.getByText('No user matches').waitFor();
  await audited(api, 'user.deleted', id.slice(0, 8));
  t.strictSame(complaints, []);
});

const card = (page: Page, provider: string) => page.getByRole('region', { name: provider, exact: true });

t.test('connect leads to the connect page, and the connection is shown as soon as it is made', async (t) => {
  const { page, complaints } = await openAt(`/users/${newcomer}/connections`);
  await card(page, 'Garmin').getByRole('button', { name: 'Connect Garmin' }).click();
  const link = page.getByRole('link', { name: 'Open the connect page of Garmin' });
  t.match(await link.getAttribute('href'), `${api.url}/connect/`);
  t.strictSame(await violations(page), []);
  const [connectPage] = await Promise.all([page.context().waitForEvent('page'), link.click()]);
  await connectPage.getByRole('heading', { name: 'Connect Garmin' }).waitFor();
  t.notMatch(await textOf(connectPage), apiNames);
  await connectPage.locator('form button').first().click();
  await connectPage.getByRole('heading', { name: 'Garmin (simulated)' }).waitFor();
  await connectPage.getByRole('radio', { name: 'Somebody new' }).check();
  await connectPage.getByRole('button', { name: 'Allow' }).click();
  await card(page, 'Garmin').getByText('active', { exact: true }).waitFor();
  const read = 'select from auth.access where user_id = $1';
  await until(
    async () => (await api.database.query(read, [newcomer])).length > 0,
    'the reads of the page are written',
  );
  await page.reload();
  const consents = page.getByRole('region', { name: 'Consents, table' });
  await consents.getByText(`version ${consentVersion}, en`).waitFor();
  t.match(await consents.innerText(), 'Garmin');
  t.strictSame(await violations(page), []);
  await page.getByRole('link', { name: 'Activity log' }).click();
  const reads = page.getByRole('region', { name: 'Reads, table' });
  await reads
    .getByText(/^admin:/)
    .first()
    .waitFor();
  t.match(await reads.innerText(), 'timeseries');
  t.strictSame(await violations(page), []);
  t.strictSame(complaints, []);
});

t.test(
  'an invitation code is made, shown once with its expiry, and copied; an app has no backfill',
  async (t) => {
    const id = await createUser(api, { first_name: 'Invited' });
    const { page, complaints } = await openAt(`/users/${id}/connections`);
    const make = page.getByRole('button', { name: 'Make an invitation code' });
    await make.click();
    t.equal(await make.count(), 1, 'one provider is connected by an app');
    const dialog = page.getByRole('dialog');
    const code = await dialog.locator('.secret').innerText();
    t.match(code, /^[2-9A-HJ-NP-Z]{8}$/);
    const expiry = Date.parse((await dialog.locator('time').getAttribute('datetime')) ?? '');
    t.ok(expiry > Date.now());
    t.strictSame(await violations(page), []);
    await dialog.getByRole('button', { name: 'Copy' }).click();
    await dialog.getByRole('button', { name: 'Copied' }).waitFor();
    t.equal(await page.evaluate('navigator.clipboard.readText()'), code);
    await dialog.getByRole('button', { name: 'Close' }).click();
    t.equal(await page.getByText(code).count(), 0, 'it is not shown again');
    const redeemed = await api.ask('/api/v1/invitation-code/redeem', { body: { code } });
    t.match(redeemed, { status: 200, body: { user_id: id } });
    const app = card(page, 'Phone');
    await app.getByText('active', { exact: true }).waitFor();
    t.equal(await app.getByRole('button', { name: 'Start a backfill' }).count(), 0);
    await audited(api, 'token.code_created', id.slice(0, 8));
    t.strictSame(
      complaints.filter((text) => !text.includes('404')), // no upload has begun
      [],
    );
  },
);

t.test(
  'a connection shows its last data, scope and expiry; a backfill is started and cancelled',
  async (t) => {
    const { page, complaints } = await openAt(`/users/${userId}/connections`);
    const devicemaker = card(page, 'Garmin');
    await devicemaker.getByText('active', { exact: true }).waitFor();
    const facts = await devicemaker.locator('dl').innerText();
    for (const fact of ['Last data', 'Access expires', 'renewed before', 'Scope', 'HEALTH_EXPORT'])
      t.match(facts, fact);
    await devicemaker.getByRole('button', { name: 'Start a backfill' }).click();
    await devicemaker.getByRole('button', { name: 'Cancel the backfill' }).waitFor();
    await devicemaker.locator('summary').click();
    await devicemaker.locator('details li').first().waitFor();
    t.strictSame(await violations(page), []);
    await devicemaker.getByRole('button', { name: 'Cancel the backfill' }).click();
    await devicemaker.getByText('cancelled', { exact: true }).waitFor();
    t.strictSame(complaints, []);
  },
);

t.test('scores are listed by day, with their words and parts', async (t) => {
  const id = await createUser(api, { first_name: 'Scored' });
  const today = new Date().toISOString().slice(0, 10);
  const components = { hrv_balance: 81, sleep_regularity: 'good' };
  const resilience = { kind: 'resilience', value: null, label: 'solid' } as const;
  await api.call('timeseries.store', {
    ...{ user_id: id, provider: 'devicemaker' },
    items: [item({ scores: [score(today, { value: 71.5, components }), score(today, resilience)] })],
  });
  const { page, complaints } = await openAt(`/users/${id}/body`);
  const table = page.getByRole('region', { name: 'Scores, table' });
  await table.waitFor();
  const texts = async (name: string) => table.getByRole('row').filter({ hasText: name }).innerText();
  t.match(await texts('readiness'), /71\.5\s+hrv balance: 81, sleep regularity: good\s+Garmin/);
  t.match(await texts('resilience'), 'solid');
  t.strictSame(await violations(page), []);
  t.strictSame(complaints, []);
});

t.test('an account is disconnected by typing, and the user is connected no more', async (t) => {
  const { page, complaints } = await openAt(`/users/${newcomer}/connections`);
  const devicemaker = card(page, 'Garmin');
  await devicemaker.getByRole('button', { name: 'Disconnect Garmin' }).click();
  const dialog = page.getByRole('dialog');
  const confirm = dialog.getByRole('button', { name: 'Disconnect Garmin' });
  await dialog.getByRole('textbox').fill('disconnec');
  t.ok(await confirm.isDisabled());
  await dialog.getByRole('textbox').fill('disconnect');
  await confirm.click();
  await devicemaker.getByText('revoked', { exact: true }).waitFor();
  await devicemaker.getByRole('button', { name: 'Connect again: Garmin' }).waitFor();
  await audited(api, 'connection.revoked', newcomer);
  t.strictSame(complaints, []);
});

t.test('the activity log has reads, changes, messages and deliveries', async (t) => {
  const { page, complaints } = await openAt(`/users/${userId}/activity`);
  const changes = page.getByRole('region', { name: 'Changes, table' });
  await changes.getByRole('row').nth(2).waitFor();
  t.match(await changes.innerText(), 'timeseries.updated');
  const times = await changes
    .locator('tbody time')
    .evaluateAll((all) => all.map((one) => Date.parse(one.dateTime))); // whole seconds have no fraction
  t.strictSame(
    times,
    times.toSorted((one, other) => other - one),
    'newest first',
  );
  await page.getByRole('button', { name: 'Last hour' }).click();
  t.match(page.url(), /period=hour/);
  await page.goBack();
  await page.locator('button[aria-pressed=true]', { hasText: 'Last day' }).waitFor();
  await page.getByRole('link', { name: 'Deliveries of Garmin' }).waitFor();
  await page.getByText('No webhook endpoint yet').or(page.getByText('of each endpoint')).first().waitFor();
  t.notMatch(await textOf(page), apiNames);
  t.strictSame(await violations(page), []);
  t.strictSame(complaints, []);
});
