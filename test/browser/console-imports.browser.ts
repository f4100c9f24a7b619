import { readFileSync } from 'node:fs';
import { Uint8ArrayReader, Uint8ArrayWriter, ZipWriter } from '@zip.js/zip.js';
import type { Page } from 'playwright-core';
import t from 'tap';
import { createUser } from '../support/api.ts';
import { apiNames, startConsole, textOf, tooWide, violations } from './console.ts';

// npm run test:browser: files in the console: the password of an archive, progress, members, the original.

const { api, openAt } = await startConsole(t, [], { IMPORT_RETENTION_DAYS: '7' });
const password = 'a pässword of a user';

async function encrypted(members: Readonly<Record<string, string>>): Promise<Buffer> {
  const writer = new ZipWriter(new Uint8ArrayWriter());
  for (const [name, content] of Object.entries(members))
    await writer.add(name, new Uint8ArrayReader(Buffer.from(content)), { password });
  return Buffer.from(await writer.close());
}

const file = {
  name: 'my "health" 心.zip',
  mimeType: 'application/zip',
  buffer: await encrypted({
    'rates.csv':
      'type,timestamp,value\nheart_rate,2026-01-01T08:00:00Z,60\nheart_rate,2026-01-01T08:01:00Z,61',
    'run.gpx': '<gpx><trk><trkseg><trkpt lat="1"',
    'photo.jpg': 'no health data',
  }),
};
const chooseFile = (page: Page, chosen: typeof file) => page.locator('.drop input').setInputFiles(chosen);
const problem = (page: Page, hasText: string) => page.locator('p.problem', { hasText });
const field = (page: Page) => page.getByLabel('Password of');

t.test('an encrypted archive is imported with its password, and its members are listed', async (t) => {
  const { page, complaints } = await openAt(`/users/${await createUser(api)}/connections`);
  await page.getByText('No file was imported.').waitFor();
  t.equal(await field(page).count(), 0);
  const asked: string[] = [];
  page.on('request', (request) => asked.push(request.url()));

  // Its members cannot be noted before this ends: the import has begun, and its progress is shown.
  await api.database.transaction(async (transaction) => {
    await transaction.query('lock table imports.member in share mode');
    await chooseFile(page, file);
    t.equal(await field(page).getAttribute('type'), 'password');
    t.equal(await field(page).getAttribute('autocomplete'), 'off');
    await field(page).fill(password);
    t.strictSame(await violations(page), []);
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await field(page).waitFor({ state: 'detached' });
    await page.getByRole('progressbar', { name: 'Progress of' }).waitFor();
    t.strictSame(await violations(page), []);
  });

  const list = page.locator('li', { hasText: file.name });
  await list.getByText('done', { exact: true }).waitFor();
  await list.getByText('3 of 3 members, 1 damaged, 1 of other kinds').click();
  await list.getByText('rates.csv: read, 2 entries').waitFor();
  const members = await list.innerText();
  t.match(members, /run\.gpx: damaged, 1 entry\. \w+/);
  t.match(members, /photo\.jpg: unread, 0 entries\. \w+/);
  t.notMatch(await textOf(page), apiNames);
  t.notMatch(await page.content(), password);
  t.strictSame(
    asked.filter((url) => decodeURIComponent(url).includes('word')),
    [],
    'the password is in no address',
  );

  await list.getByText(/^Original, 1 kB, until /).waitFor();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: `Original of ${file.name}` }).click(),
  ]);
  t.same(readFileSync(await download.path()), file.buffer);
  t.match(download.suggestedFilename(), /health.*心\.zip$/);
  t.strictSame(await violations(page), []);
  await page.setViewportSize({ width: 360, height: 800 });
  t.strictSame(await page.evaluate(tooWide), []);
  t.strictSame(complaints, []);
});

t.test('a wrong password and a missing one are said; other files have no such field', async (t) => {
  const { page, complaints } = await openAt(`/users/${await createUser(api)}/connections`);
  await chooseFile(page, file);
  await page.getByRole('button', { name: 'Import', exact: true }).click();
  await problem(page, 'The archive is encrypted, and no password was sent with it.').waitFor();
  await chooseFile(page, file);
  t.equal(await field(page).inputValue(), '', 'no password is kept');
  await field(page).fill('another');
  await page.getByRole('button', { name: 'Import', exact: true }).click();
  await problem(page, 'The password of the archive is wrong.').waitFor();
  await chooseFile(page, file);
  await page.getByRole('button', { name: 'Cancel', exact: true }).click();
  await field(page).waitFor({ state: 'detached' });
  const table = Buffer.from('type,timestamp,value\nheart_rate,2026-01-01T08:00:00Z,60');
  await chooseFile(page, { name: 'rates.csv', mimeType: 'text/csv', buffer: table });
  await page.locator('li', { hasText: 'rates.csv' }).getByText('done', { exact: true }).waitFor();
  t.equal(await page.locator('li', { hasText: file.name }).count(), 2, 'nothing else was sent');
  t.strictSame(complaints, []);
});
