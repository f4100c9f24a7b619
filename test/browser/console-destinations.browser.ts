// npm run test:browser: destinations are created, changed, reset and deleted in the console, by keyboard.
import t from 'tap';
import { createFailingDestination, sharedConsole, violations } from './console.ts';

const { api, root, receiverUrl, openAt } = await sharedConsole(t);
const secret = 'typed-by-a-developer';

t.test('without destinations, the page says what they are', async (t) => {
  const { page, complaints } = await openAt(null);
  await page.route('**/console/api/v1/destinations', (route) => route.fulfill({ json: [] }));
  await page.goto(`${root}/destinations`);
  await page.getByText(/^There is no destination yet\. A destination copies all data/).waitFor();
  const guide = page.getByRole('link', { name: 'Guide to destinations' });
  t.equal(await guide.getAttribute('href'), '/docs/guides/destinations');
  t.strictSame(await violations(page), []);
  t.strictSame(complaints, []);
});

t.test('a destination is created by keyboard, and its secret is not shown', async (t) => {
  const { page, complaints } = await openAt('/destinations');
  await page.getByRole('button', { name: 'Add a destination' }).press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Add a destination' });
  await dialog.getByLabel('Kind').press('P');
  await dialog.getByLabel('Password').waitFor();
  await dialog.getByLabel('Kind').press('Home');
  await dialog.getByLabel('Address of the store').focus();
  for (const value of ['http://192.0.2.1', '', 'by-keyboard', 'folder', 'KEY', secret]) {
    await page.keyboard.type(value);
    await page.keyboard.press('Tab');
  }
  await dialog.getByText('Types: all').press('Enter');
  await dialog.getByLabel('sleep', { exact: true }).press('Space');
  t.strictSame(await violations(page), []);
  await dialog.getByRole('button', { name: 'Add' }).press('Enter');
  await dialog.getByRole('alert').filter({ hasText: 'encrypted connection' }).waitFor();
  await dialog.getByLabel('Address of the store').fill(receiverUrl);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Destination', level: 1 }).waitFor();
  await page.getByText('The answer is not one of such a destination.').waitFor();
  await page.getByText('Check the address and the region in the settings.').waitFor();
  await page.getByText('by-keyboard/folder').waitFor();
  t.notMatch(await page.content(), secret);
  const [shown] = Object(await api.expect(200, '/destinations')).filter(
    (one: { settings: { bucket: string } }) => one.settings.bucket === 'by-keyboard',
  );
  t.match(shown, { kind: 's3', types: ['sleep'], from: 'beginning', settings: { prefix: 'folder' } });
  t.strictSame(await violations(page), []);
  const expected = complaints.filter((one) => !one.includes('422'));
  t.strictSame(expected, []);
});

t.test('a destination is paused, changed, reset and deleted', async (t) => {
  const id = await createFailingDestination({ api, receiverUrl }, 'to-be-changed');
  const stored = async () => Object(await api.expect(200, `/destinations/${id}`));
  const { page, complaints } = await openAt(`/destinations/${id}`);
  await page.getByRole('button', { name: 'Pause' }).click();
  await page.getByText('paused', { exact: true }).waitFor();
  await page.getByText(/^Paused by a developer\./).waitFor();

  await page.getByRole('button', { name: 'Change the settings' }).click();
  const change = page.getByRole('dialog', { name: 'Change the settings' });
  t.equal(await change.getByLabel('Secret access key').inputValue(), '');
  await change.getByLabel('Bucket', { exact: true }).fill('changed');
  await change.getByRole('button', { name: 'Save' }).click();
  await page.getByText('changed', { exact: true }).first().waitFor();

  await page.getByRole('button', { name: 'Reset the destination' }).click();
  const reset = page.getByRole('dialog', { name: 'Begin this copy anew?' });
  await reset.getByText(/^Everything is written to changed again\./).waitFor();
  t.ok(await reset.getByRole('button', { name: 'Reset the destination' }).isDisabled());
  await reset.getByLabel('Type reset to confirm').fill('reset');
  await reset.getByRole('button', { name: 'Reset the destination' }).click();
  await reset.waitFor({ state: 'detached' });
  t.match(await stored(), { from: 'beginning', state: 'paused', settings: { bucket: 'changed' } });

  await page.getByRole('button', { name: 'Resume' }).click();
  await page.getByRole('button', { name: 'Try now' }).waitFor();
  await page.getByRole('button', { name: 'Delete the destination' }).click();
  const deletion = page.getByRole('dialog', { name: 'Delete this destination?' });
  await deletion.getByLabel('Type delete to confirm').fill('delete');
  await deletion.getByRole('button', { name: 'Delete the destination' }).click();
  await page.getByRole('heading', { name: 'Destinations', level: 1 }).waitFor();
  await api.expect(404, `/destinations/${id}`);
  t.strictSame(complaints, []);
});

t.test('home names a failing destination, and the search finds it', async (t) => {
  await createFailingDestination({ api, receiverUrl }, 'seen-at-home');
  const { page, complaints } = await openAt();
  const item = page
    .getByRole('region', { name: 'State of the service' })
    .getByRole('listitem')
    .filter({ hasText: 'The destination seen-at-home fails' });
  await item.waitFor();
  await item.getByRole('link', { name: /^Open the destination/ }).click();
  await page.getByText('seen-at-home').first().waitFor();
  await page.goBack();
  await page.keyboard.press('Control+K');
  await page.keyboard.type('seen-at');
  await page.getByRole('option', { name: 'seen-at-home Destination' }).click();
  await page.getByRole('heading', { name: 'Destination', level: 1 }).waitFor();
  t.strictSame(complaints, []);
});
