// npm run test:browser: invitations, a new password, an authenticator, passkeys, and the ways to sign in.

import type { Page } from 'playwright-core';
import t from 'tap';
import { sha256 } from '../../services/auth/rules/secrets.ts';
import { insertResetLink } from '../../services/auth/tables/developers.ts';
import { insertMember, password as memberPassword } from '../support/members.ts';
import { codeOf } from '../support/totp.ts';
import { until } from '../support/until.ts';
import { startConsole, violations } from './console.ts';

// Nothing asks the provider: the page only shows its name.
const { api, root, openAt, openConsole } = await startConsole(t, [], {
  OIDC_ISSUER: 'https://id.example.com',
  OIDC_CLIENT_ID: 'pulsebus',
});
const email = 'grace@example.com';
/** A PNG file of one pixel. */
const pixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
);
interface Stored {
  readonly connect_colour: string | null;
  readonly connect_logo: string | null;
}
async function storedProject(): Promise<Stored> {
  const statement = "select connect_colour, connect_logo from auth.project where id = 'default'";
  const [row] = await api.database.query<Stored>(statement);
  return row ?? { connect_colour: null, connect_logo: null };
}
const [first, second] = ['purple lamps over quiet water', 'another lamp over quiet water'];

async function enter(page: Page, password: string, address = email): Promise<void> {
  await page.getByLabel('E-mail address').fill(address);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Log in' }).click();
}

t.test('an invited member joins by the link, which leaves the address at once', async (t) => {
  const owner = await openAt('/members');
  const form = owner.page.getByRole('form', { name: 'Invite a member' });
  await form.getByLabel('E-mail address').fill(email);
  await form.getByLabel('Role').selectOption('developer');
  await form.getByRole('button', { name: 'Invite' }).click();
  const link = await owner.page.locator('.secret').innerText();
  t.match(link, /\/console\/invitation#[\w-]{43}$/);
  t.strictSame(await violations(owner.page), []);
  await owner.page.getByRole('button', { name: 'Close' }).click();
  await owner.page.getByRole('cell', { name: email, exact: true }).waitFor();
  t.equal(await form.getByLabel('Role').inputValue(), 'support', 'the next one is no admin by accident');

  const { page, complaints } = await openConsole(t);
  await page.goto(link);
  await page.getByRole('heading', { name: 'Join a project' }).waitFor();
  t.equal(page.url(), `${root}/invitation`);
  t.strictSame(await violations(page), []);
  await page.getByLabel('Password').fill(first);
  await page.getByRole('button', { name: 'Join' }).click();
  await page.getByRole('heading', { name: 'Home' }).waitFor();
  t.strictSame([...complaints, ...owner.complaints], []);
});

t.test('a member with the role support is offered nothing that would be refused', async (t) => {
  const headers = { 'devicemaker-client-id': 'sandbox-devicemaker' };
  const body = { dailies: [{ userId: 'nobody-here', summaryId: 'x' }] };
  await api.expect(200, '/webhooks/devicemaker/push', { headers, body });
  const { page: owners } = await openAt('/deliveries?status=done');
  const offered = async (page: Page) => {
    const counts = { Replay: 0, 'Show the body': 0, 'Create a user': 0, 'Address of push': 0 };
    await page.goto(`${root}/deliveries?status=done`);
    await page.getByRole('cell', { name: 'Garmin' }).first().waitFor();
    counts.Replay = await page.getByRole('button', { name: 'Replay' }).count();
    await page.locator('td a').first().click();
    await page.getByRole('heading', { name: 'Errors of items' }).waitFor();
    counts.Replay += await page.getByRole('button', { name: 'Replay' }).count();
    counts['Show the body'] = await page.getByRole('button', { name: 'Show the body' }).count();
    await page.getByRole('link', { name: 'Users', exact: true }).click();
    await page
      .getByRole('region', { name: 'Users, table' })
      .or(page.locator('main .state'))
      .first()
      .waitFor();
    counts['Create a user'] = await page.getByRole('button', { name: 'Create a user' }).count();
    await page.getByRole('link', { name: 'Providers' }).click();
    await page.getByRole('heading', { name: /^Garmin/ }).waitFor();
    counts['Address of push'] = await page.getByText('Address of push', { exact: true }).count();
    return counts;
  };
  const toOwners = Object.entries(await offered(owners));
  t.strictSame(
    toOwners.filter(([, count]) => count === 0),
    [],
    'owners are offered all of it',
  );
  await insertMember(api, 'sue@example.com', [['default', 'support']]);
  const { page, complaints } = await openConsole(t);
  await page.goto(root);
  await enter(page, memberPassword, 'sue@example.com');
  await page.getByRole('heading', { name: 'Home' }).waitFor();
  const nothing = { Replay: 0, 'Show the body': 0, 'Create a user': 0, 'Address of push': 0 };
  t.strictSame(await offered(page), nothing);
  t.strictSame(complaints, []);
});

t.test('an owner sets the credentials and the connect page of the project', async (t) => {
  const { page, complaints } = await openAt('/members');
  const credentials = page.getByRole('form', { name: 'Set credentials' });
  await credentials.getByRole('combobox').selectOption('withings');
  await credentials.getByLabel('Client id').fill('client-of-default');
  await credentials.getByLabel('Client secret').fill('a secret of the tests');
  await credentials.getByRole('button', { name: 'Set credentials' }).click();
  const table = page.getByRole('region', { name: 'Credentials at providers, table' });
  await table.getByRole('cell', { name: 'client-of-default' }).waitFor();

  const brand = page.getByRole('form', { name: 'Connect page' });
  await brand.getByLabel('Colour').fill('#1a6b52');
  await brand.getByRole('button', { name: 'Save' }).click();
  await until(async () => (await storedProject()).connect_colour === '#1a6b52');
  await until(async () => (await brand.getByLabel('Colour').inputValue()) === '#1a6b52');
  const logo = page.getByRole('form', { name: 'Logo', exact: true });
  await logo.getByLabel('Logo').setInputFiles({ name: 'logo.png', mimeType: 'image/png', buffer: pixel });
  await logo.getByRole('button', { name: 'Set the logo' }).click();
  await page.getByRole('img', { name: 'Logo' }).waitFor();
  t.strictSame(await violations(page), []);

  await page.getByRole('button', { name: 'Remove the logo' }).click();
  await page.getByRole('img', { name: 'Logo' }).waitFor({ state: 'detached' });
  await table.getByRole('button', { name: 'Remove' }).click();
  await page.getByRole('dialog').getByLabel('to confirm').fill('withings');
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
  await table.getByRole('cell', { name: 'client-of-default' }).waitFor({ state: 'detached' });
  t.match(await storedProject(), { connect_colour: '#1a6b52', connect_logo: null });
  t.strictSame(complaints, []);
});

t.test('an owner deletes a project once its name is typed, and reads how many users go', async (t) => {
  const ask = (path: string, body?: object, headers = {}) =>
    api.ask(path, { token: api.developerToken, headers, ...(body === undefined ? {} : { body }) });
  await ask('/api/v1/projects', { id: 'trial', name: 'Trial of 2026' });
  for (const external_user_id of ['a', 'b'])
    await ask('/api/v1/users', { external_user_id }, { 'X-Project': 'trial' });
  const { page, complaints } = await openAt('/members');
  await page.getByRole('region', { name: 'Projects, table' }).getByText('Trial of 2026').waitFor();
  const opening = page.getByRole('button', { name: 'Delete the project' });
  t.equal(await opening.count(), 0, '`default` stays');
  await page.getByRole('combobox', { name: 'Project' }).selectOption('trial');
  await page.getByRole('heading', { name: 'Users' }).waitFor();
  await page.getByRole('link', { name: 'Members' }).click();
  await opening.click();
  const dialog = page.getByRole('dialog', { name: 'Delete the project Trial of 2026?' });
  await dialog.getByText('2 users').waitFor();
  t.strictSame(await violations(page), []);
  const confirming = dialog.getByRole('button', { name: 'Delete the project' });
  for (const typed of ['', 'trial', '2']) {
    await dialog.getByRole('textbox').fill(typed);
    t.ok(await confirming.isDisabled(), typed);
  }
  await dialog.getByRole('textbox').fill('Trial of 2026');
  await confirming.click();
  await page.getByRole('heading', { name: 'Home' }).waitFor();
  t.equal(await page.getByRole('combobox', { name: 'Project' }).count(), 0, 'one project is open');
  await until(async () => (await ask('/api/v1/projects/trial')).status === 404);
  t.strictSame(complaints, []);
});

t.test('a lost password is set anew by a link', async (t) => {
  const { page, complaints } = await openConsole(t, { colorScheme: 'dark', width: 390 });
  await page.goto(root);
  await page.getByRole('link', { name: 'Sign in with id.example.com' }).waitFor();
  t.strictSame(await violations(page), []);
  await page.getByRole('link', { name: 'Forgot password' }).click();
  await page.getByLabel('E-mail address').fill(email);
  await page.getByRole('button', { name: 'Send a link' }).click();
  await page.getByText('a message with a link is on its way').waitFor();
  t.strictSame(await violations(page), []);
  await insertResetLink(api.database, { hash: sha256('a-token'), email, seconds: 60 });
  await page.goto(`${root}/reset#a-token`);
  await page.getByLabel('New password').fill(second);
  t.strictSame(await violations(page), []);
  await page.getByRole('button', { name: 'Set the password' }).click();
  await page.getByRole('link', { name: 'Log in' }).click();
  await enter(page, second);
  await page.getByRole('heading', { name: 'Home' }).waitFor();
  t.strictSame(complaints, []);
});

t.test('an authenticator is set up, asked for at the sign-in, and turned off', async (t) => {
  const { page, complaints } = await openConsole(t);
  await page.goto(`${root}/account`);
  await enter(page, second);
  await page.getByRole('button', { name: 'Set up an authenticator' }).click();
  const secret = await page.locator('.secret').innerText();
  await page.getByLabel('Code that it shows').fill(codeOf(secret));
  t.strictSame(await violations(page), []);
  await page.getByRole('button', { name: 'Turn it on' }).click();
  const dialog = page.getByRole('dialog', { name: 'Recovery codes' });
  t.equal((await dialog.locator('.secret').innerText()).split('\n').length, 10);
  t.strictSame(await violations(page), []);
  await dialog.getByRole('button', { name: 'Close' }).click();
  await page.getByText('10 of 10 recovery codes are left').waitFor();
  await page.getByRole('button', { name: 'Log out' }).click();

  await enter(page, second);
  await page.getByLabel('Code of your authenticator').fill(codeOf(secret, 1));
  t.strictSame(await violations(page), []);
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.getByText('10 of 10 recovery codes are left').waitFor();
  const off = page.getByRole('form', { name: 'Turn the authenticator off' });
  await off.getByLabel('Password').fill(second);
  await off.getByRole('button', { name: 'Turn it off' }).click();
  await page.getByRole('button', { name: 'Set up an authenticator' }).waitFor();
  t.equal(complaints.length, 1, 'the browser reports the answer 401');
  t.match(complaints, [/401/]);
});

t.test('a passkey is added, signs in, and is removed', async (t) => {
  // Browsers use no passkey at an IP address.
  const origin = api.url.replace('127.0.0.1', 'localhost');
  const { page, complaints } = await openConsole(t, { colorScheme: 'light', width: 1440, origin });
  await addDevice(page);
  await page.goto(`${origin}/console/account`);
  await enter(page, second);
  const form = page.getByRole('form', { name: 'Add a passkey' });
  await form.getByLabel('Name of the device').fill('Laptop of Grace');
  await form.getByLabel('Password, or a code').fill(second);
  await form.getByRole('button', { name: 'Add a passkey' }).click();
  await page.getByRole('cell', { name: 'Laptop of Grace', exact: true }).waitFor();
  t.strictSame(await violations(page), []);
  await page.getByRole('button', { name: 'Log out' }).click();

  await enter(page, second);
  await page.getByText('This account has a passkey: sign in to the console with it.').waitFor();
  t.strictSame(await violations(page), []);
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
  await page.getByRole('cell', { name: 'Laptop of Grace', exact: true }).waitFor();
  t.equal(await page.getByRole('cell', { name: 'Never' }).count(), 0, 'its last use is shown');
  await page.getByRole('button', { name: 'Remove the passkey Laptop of Grace' }).click();
  const dialog = page.getByRole('dialog', { name: 'Remove the passkey Laptop of Grace?' });
  await dialog.getByLabel('Password, or a code').fill(second);
  t.strictSame(await violations(page), []);
  await dialog.getByRole('button', { name: 'Remove', exact: true }).click();
  await page.getByRole('cell', { name: 'Laptop of Grace', exact: true }).waitFor({ state: 'detached' });
  t.equal(complaints.length, 1, 'the browser reports the answer 401');
  t.match(complaints, [/401/]);
});

t.test('a page at an IP address says where passkeys work', async (t) => {
  const { page, complaints } = await openConsole(t);
  await page.goto(root);
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
  await page.getByText('Passkeys work at localhost: open the console there.').waitFor();
  t.strictSame(complaints, []);
});

/** A device of the browser that verifies its holder, by the DevTools protocol. */
async function addDevice(page: Page): Promise<void> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('WebAuthn.enable');
  const able = { hasResidentKey: true, hasUserVerification: true, isUserVerified: true };
  const options = { protocol: 'ctap2', transport: 'internal', ...able } as const;
  await devtools.send('WebAuthn.addVirtualAuthenticator', { options });
}
