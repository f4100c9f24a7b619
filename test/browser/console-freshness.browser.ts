// npm run test:browser: whether data arrives as expected, on its page of the console and on the page of a user.
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { z } from 'zod';
import { dayMs } from '../../domain/time/time.ts';
import { block, item } from '../services/timeseries/items.ts';
import { createUser, createWearer } from '../support/api.ts';
import { apiNames, sharedConsole, textOf, tooWide, violations } from './console.ts';
import { insertFreshness, insertIncident, setFreshness } from './freshness-rows.ts';

const { api, openAt } = await sharedConsole(t);
const { database } = api;
const table = (page: Page) => page.getByRole('region', { name: 'Data by state, table' });
const rows = (page: Page) => table(page).locator('tbody tr');
const choice = (page: Page, name: string) => page.getByRole('combobox', { name });
const queryOf = (page: Page) => new URL(page.url()).search;

/** Checks a page in both themes at two widths. With CONSOLE_PICTURES set, pictures are saved there. */
async function check(t: Test, page: Page, name: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    for (const width of [360, 1440]) {
      await page.setViewportSize({ width, height: 900 });
      const shown = `${name}, ${colorScheme}, ${width} px`;
      t.strictSame(z.array(z.string()).parse(await page.evaluate(tooWide)), [], `${shown}, fits`);
      t.strictSame(await violations(page), [], `${shown}, has no violations`);
      const { CONSOLE_PICTURES } = process.env;
      const path = join(CONSOLE_PICTURES ?? '', `${name}-${colorScheme}-${width}.png`);
      if (CONSOLE_PICTURES) await page.screenshot({ path, fullPage: true });
    }
  }
}

t.test('incidents are first, and a row has all that is known and leads to its user', async (t) => {
  const userId = await createUser(api, { first_name: 'Late' });
  await insertIncident(database, 'suunto');
  await insertFreshness(database, {
    userId,
    provider: 'suunto',
    states: { sleep: 'stale', stress: 'fresh' },
  });
  const { page, complaints } = await openAt();
  await page.getByRole('link', { name: 'Freshness', exact: true }).click();
  const incidents = page.getByRole('list', { name: 'Open incidents' });
  t.match(await incidents.innerText(), /^Suunto since .*: data of far more connections than usual is late$/);
  const row = rows(page).filter({ hasText: userId.slice(0, 8) });
  t.match(await row.innerText(), /Suunto\s+sleep\s+stale\s.*\s36 h\s+3$/s);
  t.equal(await row.count(), 1, 'stale data is shown first');
  t.notMatch(await textOf(page), apiNames);
  await check(t, page, 'freshness');
  await row.getByRole('link').click();
  await page.getByRole('heading', { name: 'Late' }).waitFor();
  t.strictSame(complaints, []);
});

t.test('filters are in the address, the history has them, and pages follow by cursor', async (t) => {
  for (let made = 0; made < 26; made++)
    await insertFreshness(database, { provider: 'polar', states: { sleep: 'paused' } });
  const { page, complaints } = await openAt('/freshness');
  await choice(page, 'State').selectOption('paused');
  await choice(page, 'Provider').selectOption('polar');
  await rows(page).nth(24).waitFor();
  t.equal(queryOf(page), '?state=paused&provider=polar');
  t.equal(await rows(page).count(), 25);
  const next = page.getByRole('button', { name: 'Next' });
  await next.click();
  await page.getByText('Page 2', { exact: true }).waitFor();
  await rows(page).nth(1).waitFor({ state: 'detached' });
  t.equal(await rows(page).count(), 1);
  t.ok(await next.isDisabled());
  await page.reload();
  await rows(page).nth(24).waitFor();
  t.equal(await choice(page, 'State').inputValue(), 'paused');
  await choice(page, 'Provider').selectOption('whoop');
  await page
    .getByText(/^No data of WHOOP is paused\. Data is paused when the user does not share it/)
    .waitFor();
  await page.goBack();
  await rows(page).nth(24).waitFor();
  t.equal(await choice(page, 'Provider').inputValue(), 'polar');
  await page.goBack();
  t.equal(queryOf(page), '?state=paused');
  t.strictSame(complaints, []);
});

t.test('a connection has its state, its gaps, and a link that says why', async (t) => {
  const { userId } = await createWearer(api);
  await api.expect(201, `/users/${userId}/connections`, {
    body: { provider: 'phone', provider_user_id: userId },
  });
  await storeWithGap(userId);
  await database.query(
    "update users.connection set status = 'expired' where user_id = $1 and provider = $2",
    [...[userId, 'devicemaker']],
  );
  const states = { sleep: 'stale', body: 'late', stress: 'paused' } as const;
  await setFreshness(database, { userId, provider: 'devicemaker', states, hasEnded: true });
  await setFreshness(database, { userId, provider: 'phone', states: { daily_activity: 'late' } });
  const { page, complaints } = await openAt(`/users/${userId}/connections`);
  const card = (name: string) => page.getByRole('region', { name, exact: true });
  const garmin = card('Garmin');
  await garmin.getByText('Data is missing. Stale:').waitFor();
  t.match(
    await garmin.innerText(),
    /Stale: [\w ,]*sleep.*Late: weight and body composition\..*Paused: stress and recovery\./s,
  );
  await garmin.getByText('1 in the last 28 days').click();
  t.match(await garmin.innerText(), new RegExp(`daily activity: ${dayBefore(4)} to ${dayBefore(3)}`));
  t.match(await card('Phone').innerText(), /Late: daily activity\..*The user has to open the app/s);
  t.equal(
    await card('Phone')
      .getByRole('button', { name: /^Connect/ })
      .count(),
    0,
  );
  await garmin.getByText('Send the user a link to the connect page').waitFor();
  await check(t, page, 'user-freshness');
  await garmin.getByRole('button', { name: 'Connect again: Garmin' }).click();
  const link = garmin.getByRole('link', { name: 'Open the connect page of Garmin' });
  const [connectPage] = await Promise.all([page.context().waitForEvent('page'), link.click()]);
  await connectPage.getByText('The access to Garmin has ended').waitFor();
  t.strictSame(
    complaints.filter((text) => !text.includes('/backfill')), // the phone has none
    [],
  );
});

const dayBefore = (days: number) => new Date(Date.now() - days * dayMs).toISOString().slice(0, 10);

/** Heart rates of five days, on two of which there are no steps. */
async function storeWithGap(userId: string): Promise<void> {
  const noon = (days: number) => Date.parse(`${dayBefore(days)}T12:00:00Z`);
  const samples = (days: readonly number[]) => days.map((day) => [noon(day), 60] as const);
  const samplesOf = [block('heart_rate', samples([6, 5, 4, 3, 2])), block('steps', samples([6, 5, 2]))];
  await api.call('timeseries.store', {
    ...{ user_id: userId, provider: 'devicemaker' },
    items: [item({ samples: samplesOf })],
  });
}
