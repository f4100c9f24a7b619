import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import t from 'tap';
import { z } from 'zod';
import { ConfigError, loadConfig } from '../../config.ts';
import { roles } from '../../domain/access.ts';
import { oidcOf } from '../../services/auth/work/oidc.ts';
import { developer, startApi } from '../support/api.ts';
import { startAuth } from '../support/auth.ts';
import { insertMember, password } from '../support/members.ts';
import { client, newBrowser, startProvider } from '../support/oidc-provider.ts';
import { refusal } from '../support/refusal.ts';

const port = await freePort();
const own = `http://127.0.0.1:${port}`;
const provider = await startProvider(t, () => [`${own}/console/oidc/callback`]);
const settings = {
  ...{ PORT: String(port), OIDC_ISSUER: provider.issuer, OIDC_CLIENT_ID: client.id },
  ...{ OIDC_CLIENT_SECRET: client.secret, OIDC_ALLOWED_DOMAINS: 'example.com, Example.ORG' },
  OIDC_ROLES: 'ops=default:admin, science=default:analyst, science=lab:analyst',
};
const api = await startApi(t, settings);
await api.ask('/api/v1/projects', { token: api.developerToken, body: { id: 'lab', name: 'Lab' } });

const refusals = {
  browser: 'This sign-in was begun in another browser, or too long ago. Begin again.',
  provider: 'The identity provider refused the sign-in. Begin again.',
  clock: 'The clocks of this server and of the identity provider differ by more than 30 seconds.',
  unverified: 'The identity provider has not verified the e-mail address.',
  domain: 'Addresses of this domain may not sign in here.',
  account: 'No account has this e-mail address, and the identity provider states no role for it.',
  unconfirmed:
    'Nobody has confirmed that the account of this e-mail address belongs to you. An owner confirms or deletes it, or a link by e-mail sets a new password.',
  subject: 'Another identity of the provider is bound to the account of this address.',
};
const isCallback = (url: URL) => url.pathname === '/console/oidc/callback';
const begin = `${own}/console/oidc`;
const Session = z.object({ developer: z.object({ email: z.string() }).nullable() });

/** Signs in as an account of the provider; answers the page and who is signed in then. */
async function signIn(account: typeof provider.account, browser = newBrowser()) {
  provider.account = account;
  const page = await browser.visit(begin, ({ pathname }) => pathname === '/console');
  return { page, email: await signedIn(browser) };
}

async function signedIn(browser: ReturnType<typeof newBrowser>): Promise<string | null> {
  const { pulsebus_console: token } = browser.cookiesOf(own);
  const headers = { Cookie: `pulsebus_console=${token}` };
  return Session.parse((await api.ask('/console/session', { headers })).body).developer?.email ?? null;
}

const verified = (email: string, more = {}) => ({ sub: randomUUID(), email, email_verified: true, ...more });
const membersOf = (email: string) =>
  api.database.query(
    `select project_id, role, is_owner from auth.developer left join auth.member on id = developer_id
     where lower(email) = lower($1) order by project_id`,
    [email],
  );

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = z.object({ port: z.int() }).parse(server.address());
  await new Promise((resolve) => server.close(resolve));
  return port;
}

t.test('an account is bound by its verified address at first, and by the subject then', async (t) => {
  const account = verified(developer.email.toUpperCase());
  t.equal((await signIn(account)).email, developer.email);
  const moved = { ...account, email: 'renamed@example.com' };
  t.equal((await signIn(moved)).email, developer.email, 'the subject counts');
  t.match(await membersOf(developer.email), [{ project_id: null, is_owner: true }]);
  const { page, email } = await signIn(verified(developer.email));
  t.equal(email, null);
  t.match(page, { status: 403, text: refusals.subject });
  const [entry] = await api.database.query(
    "select details from auth.audit_entry where action = 'developer.logged_in' and details is not null limit 1",
  );
  t.strictSame(entry, { details: { method: 'oidc' } });
});

t.test('an account whose address nobody confirmed is not bound, whatever role it has', async (t) => {
  for (const role of roles) {
    const email = `squatted-${role}@example.com`;
    await insertMember(api, email, [['lab', role]]);
    await api.database.query('update auth.developer set confirmed_at = null where email = $1', [email]);
    const account = verified(email.toUpperCase(), { groups: ['ops'] });
    const { page, email: who } = await signIn(account);
    t.equal(who, null, role);
    t.match(page, { status: 403, text: refusals.unconfirmed }, role);
    t.match(await membersOf(email), [{ project_id: 'lab', role }], 'and gets no role');
    await api.database.query('update auth.developer set confirmed_at = now() where email = $1', [email]);
    t.equal((await signIn(account)).email, email);
  }
});

t.test('a sign-in at another name of this machine begins at the one of the callback', async (t) => {
  const elsewhere = await fetch(`http://localhost:${port}/console/oidc`, { redirect: 'manual' });
  t.equal(elsewhere.headers.get('location'), begin);
  t.equal(elsewhere.headers.getSetCookie().length, 0);
  provider.account = verified(developer.email.replace('@', '+names@'), { groups: ['ops'] });
  const browser = newBrowser();
  await browser.visit(begin.replace('127.0.0.1', 'localhost'), ({ pathname }) => pathname === '/console');
  t.equal(await signedIn(browser), provider.account.email);
});

t.test('the provider leads back to PUBLIC_URL', async (t) => {
  const { url } = await startApi(t, { ...settings, PORT: '0', PUBLIC_URL: 'https://wearables.example' });
  const begun = await fetch(`${url}/console/oidc`, { redirect: 'manual' });
  const { origin, searchParams } = new URL(begun.headers.get('location') ?? '');
  t.equal(origin, provider.issuer);
  t.equal(searchParams.get('redirect_uri'), 'https://wearables.example/console/oidc/callback');
  t.match(begun.headers.getSetCookie(), [/^pulsebus_oidc=.*; Secure$/]);
});

t.test('roles follow the claim at each sign-in, and make an account that has none', async (t) => {
  const account = verified('grace@example.org', { groups: ['science', 'unknown'] });
  t.equal((await signIn(account)).email, 'grace@example.org');
  const analyst = { role: 'analyst', is_owner: false };
  t.strictSame(await membersOf('grace@example.org'), [
    { project_id: 'default', ...analyst },
    { project_id: 'lab', ...analyst },
  ]);
  await signIn({ ...account, groups: ['science', 'ops'] });
  t.match(await membersOf('grace@example.org'), [{ role: 'admin' }, { role: 'analyst' }], 'the first counts');
  await signIn({ ...account, groups: [] });
  t.strictSame(await membersOf('grace@example.org'), [{ project_id: null, role: null, is_owner: false }]);
});

t.test('keys of an account end with the role that a sign-in takes away', async (t) => {
  const email = 'ada@example.com';
  await insertMember(api, email, [
    ['default', 'admin'],
    ['lab', 'analyst'],
  ]);
  const { access_token: token } = z
    .object({ access_token: z.string() })
    .parse((await api.ask('/api/v1/auth/login', { body: { email, password } })).body);
  const headers = { 'X-Project': 'default' };
  const made = await api.ask('/api/v1/api-keys', { token, headers, body: { name: 'of ada' } });
  const { key } = z.object({ key: z.string() }).parse(made.body);
  const status = async () => (await api.ask('/api/v1/users', { key })).status;
  const account = verified(email, { groups: ['ops'] });
  t.equal((await signIn(account)).email, email);
  t.equal(await status(), 200, 'the role stays, and the key');
  await signIn({ ...account, groups: ['science'] });
  t.match(await membersOf(email), [{ role: 'analyst' }, { role: 'analyst' }]);
  t.equal(await status(), 200, 'another role');
  await signIn({ ...account, groups: [] });
  t.equal(await status(), 401);
});

t.test('addresses that are unverified, of a foreign domain or without a role are refused', async (t) => {
  const before = (await api.database.query('select from auth.developer')).length;
  const cases = [
    [{ ...verified('new@example.com', { groups: ['ops'] }), email_verified: false }, refusals.unverified],
    [{ sub: 'without-address', groups: ['ops'] }, refusals.unverified],
    [verified('a@foreign.example', { groups: ['ops'] }), refusals.domain],
    [verified('a@example.com.foreign.example', { groups: ['ops'] }), refusals.domain],
    [verified('nobody@example.com', { groups: ['unknown'] }), refusals.account],
  ] as const;
  for (const [account, sentence] of cases) {
    const { page, email } = await signIn(account);
    t.match(page, { status: 403, text: sentence });
    t.equal(email, null);
  }
  t.equal((await api.database.query('select from auth.developer')).length, before);
});

t.test('a foreign state, a foreign browser and a replayed code are refused', async (t) => {
  provider.account = verified('replay@example.com', { groups: ['ops'] });
  const browser = newBrowser();
  const { url } = await browser.visit(begin, isCallback);
  const foreign = new URL(url);
  foreign.searchParams.set('state', 'foreign');
  t.match(await browser.visit(foreign.href), { status: 403, text: refusals.browser });
  t.match(await newBrowser().visit(url.href), { status: 403, text: refusals.browser }, 'without the cookie');
  const other = newBrowser();
  await other.visit(begin, isCallback);
  t.match(
    await other.visit(url.href),
    { status: 403, text: refusals.browser },
    'the cookie of another sign-in',
  );

  const { pulsebus_oidc: flow = '' } = browser.cookiesOf(own);
  t.match(await browser.visit(url.href, ({ pathname }) => pathname === '/console'), { status: 0 });
  t.equal(browser.cookiesOf(own).pulsebus_oidc, undefined, 'the cookie is used up');
  const replayed = await fetch(url, { headers: { Cookie: `pulsebus_oidc=${flow}`, Accept: 'text/html' } });
  t.match({ status: replayed.status, text: await replayed.text() }, { status: 403, text: refusals.provider });
  t.equal(replayed.headers.getSetCookie().length, 0);
});

t.test('a token for another audience, issuer or nonce, and an expired one, are refused', async (t) => {
  const account = verified('token@example.com', { groups: ['ops'] });
  const now = Math.floor(Date.now() / 1000);
  const cases = [
    [{ aud: 'another client' }, refusals.provider],
    [{ iss: 'https://foreign.example' }, refusals.provider],
    [{ nonce: 'foreign' }, refusals.provider],
    [{ exp: now - 60 }, refusals.clock],
    [{ iat: now - 300, exp: now + 3300 }, refusals.clock],
    [{ iat: now + 300, exp: now + 3900 }, refusals.clock],
  ] as const;
  for (const [change, sentence] of cases) {
    provider.change = change;
    const { page, email } = await signIn(account);
    t.match(page, { status: 403, text: sentence }, JSON.stringify(change));
    t.equal(email, null);
  }
  for (const skew of [-30, 30]) {
    const at = Math.floor(Date.now() / 1000) + skew;
    provider.change = { iat: at, exp: at + 3600 };
    t.equal((await signIn(account)).email, 'token@example.com', `${skew} s are tolerated`);
  }
  provider.change = { amr: ['pwd', 'mfa'] };
  await signIn(account);
  const families = await api.database.query('select from auth.family where second_factor');
  t.equal(families.length, 1, 'a second factor of the provider counts');
  provider.change = {};
});

t.test('a provider that is away is said to be', async (t) => {
  provider.account = verified('away@example.com', { groups: ['ops'] });
  const browser = newBrowser();
  const { url } = await browser.visit(begin, isCallback);
  provider.isAway = true;
  const page = await browser.visit(url.href);
  t.match(page, { status: 503, text: 'The identity provider does not answer. Try again in a moment.' });
  provider.isAway = false;
  t.equal((await signIn(provider.account)).email, 'away@example.com');
});

t.test('requests go to the origin of the issuer only', async (t) => {
  const asked: string[] = [];
  const elsewhere = createServer((req, res) => {
    asked.push(String(req.url));
    res.writeHead(200, { 'Content-Type': 'application/json' }).end('{}');
  });
  await new Promise<void>((resolve) => elsewhere.listen(0, '127.0.0.1', resolve));
  t.teardown(() => elsewhere.close());
  const { port: foreign } = z.object({ port: z.int() }).parse(elsewhere.address());
  let tokens = '';
  const hostile = createServer((req, res) => {
    if (req.url === '/moved') return void res.writeHead(307, { Location: `${there}/token` }).end();
    const addresses = { authorization_endpoint: `${issuer}/auth`, jwks_uri: `${there}/jwks` };
    res.writeHead(200, { 'Content-Type': 'application/json' });
    res.end(JSON.stringify({ issuer, ...addresses, token_endpoint: tokens }));
  });
  await new Promise<void>((resolve) => hostile.listen(0, '127.0.0.1', resolve));
  t.teardown(() => hostile.close());
  const issuer = `http://127.0.0.1:${z.object({ port: z.int() }).parse(hostile.address()).port}`;
  const there = `http://127.0.0.1:${foreign}`;
  const given = { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: client.id, OIDC_CLIENT_SECRET: client.secret };
  for (const endpoint of [`${there}/token`, `${issuer}/moved`]) {
    tokens = endpoint;
    const oidc = oidcOf({ ...given, OIDC_ROLE_CLAIM: 'groups' });
    const { flow = '', url = '' } = (await oidc?.begin(`${own}/console/oidc/callback`)) ?? {};
    const state = new URL(url).searchParams.get('state');
    const finished = oidc?.finish(`?code=x&state=${state}&iss=${issuer}`, flow).then(() => undefined);
    await t.rejects(finished ?? Promise.resolve(), refusal('SIGN_IN_REFUSED'), endpoint);
  }
  t.strictSame(asked, []);
});

t.test('without passwords, none is accepted, and no passkey', async (t) => {
  const { call, account } = await startAuth(t, { ...settings, PASSWORDS: 'off' });
  const token = 'of a link';
  const refused = refusal('PASSWORDS_OFF');
  await t.rejects(call('auth.login', account), refused);
  await t.rejects(call('auth.startSession', { ...account, session_hash: '0'.repeat(64) }), refused);
  await t.rejects(call('auth.forgotPassword', { email: account.email }), refused);
  await t.rejects(call('auth.resetPassword', { token, password: account.password }), refused);
  await t.rejects(call('auth.acceptInvitation', { token, password: account.password }), refused);
  const response = {
    clientDataJSON: 'AAAA',
    attestationObject: 'AAAA',
    authenticatorData: 'AAAA',
    signature: 'AAAA',
  };
  const credential = { id: 'AAAA', response };
  const answer = { credential, challenge: null, session_hash: '0'.repeat(64) };
  await t.rejects(call('auth.beginPasskey', { password: account.password }), refused);
  await t.rejects(call('auth.confirmPasskey', { name: 'Laptop', credential }), refused);
  await t.rejects(call('auth.beginPasskeySignIn', {}), refused);
  await t.rejects(call('auth.startSessionByPasskey', answer), refused);
  const change = { current_password: account.password, new_password: 'a newer password' };
  await t.rejects(call('auth.changePassword', change), refused);
  t.throws(() => loadConfig({ PASSWORDS: 'off' }), ConfigError);
  const plain = { OIDC_ISSUER: 'http://id.example', OIDC_CLIENT_ID: 'x' };
  t.throws(
    () => loadConfig(plain),
    new ConfigError(['OIDC_ISSUER: must be https, unless it is of this machine']),
  );
  t.throws(() => loadConfig({ OIDC_ISSUER: 'https://id.example' }), ConfigError);
  for (const bad of ['ops', 'ops=default', 'ops=default:owner'])
    t.throws(() => loadConfig({ OIDC_ROLES: bad }), ConfigError, bad);
});
