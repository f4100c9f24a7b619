// npm run test:browser: keys, applications, accounts and the audit in the console.
import type { Page } from 'playwright-core';
import t from 'tap';
import { audited, auditShows, sharedConsole, violations } from './console.ts';

const { api, root, openAt } = await sharedConsole(t);

/** Types a word into the dialog that asks for it, and confirms. */
async function confirm(page: Page, label: string): Promise<void> {
  const dialog = page.getByRole('dialog');
  const button = dialog.getByRole('button', { name: label });
  t.ok(await button.isDisabled());
  await dialog.getByRole('textbox').fill('delete');
  await button.click();
  await dialog.waitFor({ state: 'detached' });
}

t.test('a key is created, rotated and deleted; its value is shown once', async (t) => {
  const { page, complaints } = await openAt();
  await page.getByRole('link', { name: 'Developers', exact: true }).click();
  const keys = page.getByRole('region', { name: 'API keys', exact: true }).first();
  await keys.getByLabel('Name').fill('Backend');
  await keys.getByRole('button', { name: 'Create a key' }).click();
  t.match(await page.locator('.secret').innerText(), /^sk-/);
  t.strictSame(await violations(page), []);
  await page.getByRole('button', { name: 'Close' }).click();
  await page.getByRole('button', { name: 'Rotate Backend' }).click();
  const key = await page.locator('.secret').innerText();
  t.match(key, /^sk-/);
  await page.getByRole('button', { name: 'Close' }).click();
  await auditShows(page, root, 'api_key.rotated', 'Backend');
  await api.ask('/api/v1/webhook-endpoints', { key, body: { url: 'https://app.example/hook' } });
  const endpoints = async () =>
    (await api.ask('/api/v1/webhook-endpoints', { token: api.developerToken })).body;
  await page.getByRole('button', { name: 'Delete Backend' }).click();
  const url = 'https://app.example/hook';
  t.match(await endpoints(), [{ url, enabled: true }]);
  await page.getByRole('dialog').getByText(url).waitFor();
  await page.getByRole('checkbox', { name: 'Keep them as they are' }).waitFor();
  t.strictSame(await violations(page), []);
  await confirm(page, 'Delete Backend');
  t.match(await endpoints(), [{ url, enabled: false, disabled_reason: 'key_deleted' }]);
  await audited(api, 'api_key.deleted', 'Backend');
  t.strictSame(complaints, []);
});

t.test('an application is created, its secret rotated, and it is deleted', async (t) => {
  const { page, complaints } = await openAt('/developers');
  const applications = page.getByRole('region', { name: 'Applications', exact: true });
  await applications.getByText('There is no application yet').waitFor();
  await applications.getByLabel('Name').fill('Phone app');
  await applications.getByRole('button', { name: 'Create an application' }).click();
  const secret = await page.locator('.secret').innerText();
  await page.getByRole('button', { name: 'Copy' }).click();
  await page.getByRole('button', { name: 'Copied' }).waitFor();
  t.equal(await page.evaluate('navigator.clipboard.readText()'), secret);
  await page.getByRole('button', { name: 'Close' }).click();
  await applications.getByRole('cell', { name: 'Phone app', exact: true }).waitFor();
  await applications.getByRole('button', { name: 'Rotate the secret of Phone app' }).click();
  t.not(await page.locator('.secret').innerText(), secret);
  t.strictSame(await violations(page), []);
  await page.getByRole('button', { name: 'Close' }).click();
  await audited(api, 'application.secret_rotated', 'Phone app');
  await page.getByRole('button', { name: 'Delete Phone app' }).click();
  await confirm(page, 'Delete Phone app');
  await applications.getByText('There is no application yet').waitFor();
  await audited(api, 'application.deleted', 'Phone app');
  t.strictSame(complaints, []);
});

t.test('an account is created, refused with a weak password, and deleted', async (t) => {
  const { page, complaints } = await openAt('/developers');
  const form = page.getByRole('form', { name: 'Create an account' });
  await form.getByLabel('E-mail address').fill('grace@example.com');
  await form.getByLabel('Initial password').fill('1234567890');
  await form.getByRole('button').click();
  await form.getByRole('alert').waitFor();
  await form.getByLabel('Initial password').fill('purple lamps over quiet water');
  await form.getByRole('button').click();
  const accounts = page.getByRole('region', { name: 'Accounts', exact: true });
  await accounts.getByRole('cell', { name: 'grace@example.com', exact: true }).waitFor();
  t.equal(await accounts.getByRole('button').count(), 1, 'the own account has no button');
  t.strictSame(await violations(page), []);
  await audited(api, 'developer.created', '');
  await accounts.getByRole('button', { name: 'Delete grace@example.com' }).click();
  await confirm(page, 'Delete grace@example.com');
  await accounts.getByRole('cell', { name: 'grace@example.com', exact: true }).waitFor({ state: 'detached' });
  await audited(api, 'developer.deleted', '');
  t.strictSame(
    complaints.filter((text) => !text.includes('422')),
    [],
  );
});

t.test(
  'the audit is filtered by action, actor, user and time, and the address has the filters',
  async (t) => {
    const ids = [];
    for (const first_name of ['Ada', 'Ben'])
      ids.push(String(Object(await api.expect(201, '/users', { body: { first_name } })).id));
    const [created] = await api.database.query<{ count: number }>(
      "select count(*)::int as count from auth.audit_entry where action = 'user.created'",
    );
    const { page, complaints } = await openAt('/developers');
    const audit = page.getByRole('region', { name: 'Audit' });
    const rows = audit.locator('tbody tr');
    await rows.nth(2).waitFor();
    await audit.getByLabel('Action').selectOption('user.created');
    await rows.filter({ hasNotText: 'user.created' }).first().waitFor({ state: 'detached' });
    t.equal(await rows.count(), created?.count);
    await audit.getByLabel('User id').fill(ids[0] ?? '');
    await audit.getByLabel('User id').press('Enter');
    await rows.nth(1).waitFor({ state: 'detached' });
    t.match(await rows.first().innerText(), ids[0]?.slice(0, 8));
    t.match(page.url(), `action=user.created&user=${ids[0]}`);
    await page.reload();
    await rows.first().waitFor();
    t.equal(await rows.count(), 1, 'the address has the filters');
    t.strictSame(await violations(page), []);
    await audit.getByLabel('From').fill('2100-01-01T00:00');
    await audit.getByText('No entry matches').waitFor();
    await audit.getByRole('button', { name: 'Remove the filters' }).click();
    await rows.nth(2).waitFor();
    const actor = audit.getByRole('button', { name: /^admin:/ }).first();
    const name = (await actor.innerText()).split(',')[0] ?? '';
    await actor.click();
    await rows.filter({ hasNotText: name }).first().waitFor({ state: 'detached' });
    t.ok((await rows.count()) > 0);
    await audit.getByLabel('User id').fill('nobody');
    await audit.getByLabel('User id').press('Enter');
    await audit.getByRole('alert').waitFor();
    t.strictSame(
      complaints.filter((text) => !text.includes('422')),
      [],
    );
  },
);
