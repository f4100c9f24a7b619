// npm run test:browser: the search of the console, by keyboard, and what it offers to each role.
import type { Page } from 'playwright-core';
import t from 'tap';
import { createUser } from '../support/api.ts';
import { insertMember, password as memberPassword } from '../support/members.ts';
import { sharedConsole, tooWide, violations } from './console.ts';

const { api, root, openAt, openConsole } = await sharedConsole(t);
const userId = await createUser(api, { first_name: 'Quentin', last_name: 'Finder' });
const url = 'https://finder.example/hook';
const endpoint = await api.ask('/api/v1/webhook-endpoints', { key: api.apiKey, body: { url } });
const endpointId = String(Object(endpoint.body).id);

const dialog = (page: Page) => page.getByRole('dialog', { name: 'Search' });
const field = (page: Page) => dialog(page).getByRole('combobox');
const option = (page: Page, name: string) => dialog(page).getByRole('option', { name, exact: true });
const path = (page: Page) => new URL(page.url()).pathname.replace('/console', '');

t.test('a user is found by name, with the keyboard alone', async (t) => {
  const { page, complaints } = await openAt('/freshness');
  await page.getByRole('heading', { name: 'Freshness', level: 1 }).waitFor();
  await page.keyboard.press('/');
  await dialog(page).waitFor();
  await field(page).and(page.locator(':focus')).waitFor();
  await option(page, 'Home Page').waitFor();
  t.strictSame(await violations(page), []);
  await page.keyboard.type('quentin');
  await option(page, 'Quentin Finder User').waitFor();
  t.equal(await option(page, 'Quentin Finder User').getAttribute('aria-selected'), 'true');
  t.equal(await dialog(page).getByRole('option').count(), 1);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: /^Quentin Finder/, level: 1 }).waitFor();
  t.equal(path(page), `/users/${userId}`);
  t.equal(await dialog(page).count(), 0);
  await page.goBack();
  t.equal(path(page), '/freshness');
  await page.keyboard.press('/');
  await page.keyboard.type('quentin');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: /^Quentin Finder/, level: 1 }).waitFor();
  t.equal(path(page), `/users/${userId}`, 'Enter counts for what was typed, also before it is found');
  t.strictSame(complaints, []);
});

t.test('Ctrl-K finds endpoints and pages; arrows choose, Escape closes', async (t) => {
  const { page, complaints } = await openAt('/users');
  await page.getByRole('searchbox', { name: 'Search' }).focus();
  await page.keyboard.type('/');
  t.equal(await dialog(page).count(), 0, 'a slash in a field is a slash');
  await page.keyboard.press('Control+K');
  await page.keyboard.type('finder.example');
  // It may have messages that wait.
  await dialog(page)
    .getByRole('option', { name: new RegExp(`^${url} Webhook endpoint`) })
    .waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Webhook endpoint', level: 1 }).waitFor();
  await page.getByText(url).first().waitFor();
  t.equal(path(page), `/webhooks/${endpointId}`);
  await page.keyboard.press('Control+K');
  await page.keyboard.type('dead');
  await option(page, 'Home Page').waitFor({ state: 'detached' });
  const selected = dialog(page).locator('[aria-selected=true]');
  t.match(await selected.innerText(), 'Dead letters');
  await page.keyboard.press('ArrowDown');
  t.match(await selected.innerText(), 'Dead jobs');
  t.equal(await field(page).getAttribute('aria-activedescendant'), await selected.getAttribute('id'));
  await page.keyboard.press('ArrowDown');
  t.match(await selected.innerText(), 'Dead letters', 'the list is a ring');
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Jobs', level: 1 }).waitFor();
  t.match(page.url(), /\/jobs\?state=dead$/);
  await page.getByRole('button', { name: /^Search/ }).click();
  await page.keyboard.type('nothing has this name');
  await dialog(page).getByText('Nothing matches.').waitFor();
  await page.keyboard.press('Escape');
  await dialog(page).waitFor({ state: 'detached' });
  t.strictSame(complaints, []);
});

t.test('on a phone, an id leads to its user', async (t) => {
  const { page, complaints } = await openAt(null);
  await page.setViewportSize({ width: 360, height: 800 });
  await page.goto(root);
  await page.getByRole('button', { name: /^Search/ }).click();
  await field(page).fill(userId.toUpperCase());
  await option(page, `${userId} User with this id`).waitFor();
  t.strictSame(await page.evaluate(tooWide), []);
  await option(page, `${userId} User with this id`).click();
  await page.getByRole('heading', { name: /^Quentin Finder/, level: 1 }).waitFor();
  t.strictSame(complaints, []);
});

t.test('a member with the role support finds users, and nothing that the role may not see', async (t) => {
  await insertMember(api, 'finn@example.com', [['default', 'support']]);
  const { page, complaints } = await openConsole(t);
  const asked: string[] = [];
  page.on('request', (request) => asked.push(new URL(request.url()).pathname));
  await page.goto(root);
  await page.getByLabel('E-mail address').fill('finn@example.com');
  await page.getByLabel('Password').fill(memberPassword);
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.getByRole('heading', { name: 'Home' }).waitFor();
  await page.keyboard.press('Control+K');
  await option(page, 'Home Page').waitFor();
  const offered = await dialog(page).getByRole('option').allInnerTexts();
  t.notMatch(offered.join(' '), /Webhooks|endpoint|estination|Developers|Members|Create/);
  t.match(offered.join(' '), /Users/);
  await page.keyboard.type('finder');
  await option(page, 'Quentin Finder User').waitFor();
  t.equal(await dialog(page).getByRole('option').count(), 1, 'neither the endpoint nor an action');
  t.strictSame(
    asked.filter((one) => /webhook-endpoints|destinations|api-keys/.test(one)),
    [],
    'what the role may not read is not asked for',
  );
  t.strictSame(complaints, []);
});
