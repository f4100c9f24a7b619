import t from 'tap';
import { z } from 'zod';
import { resetPassword } from '../../services/auth/work/operator-accounts.ts';
import { type Ask, startApi } from '../support/api.ts';
import { insertDeveloper } from '../support/developer.ts';
import { Creation, type Deviations, softwarePasskey } from '../support/passkey.ts';
import { codeOf } from '../support/totp.ts';

const origin = 'https://pulsebus.example.com';
const api = await startApi(t, { RATE_LIMIT_ACCOUNT_FAILURES: '100000', PUBLIC_URL: `${origin}/` });
const owner = { token: api.developerToken };
const password = 'purple lamps over quiet water';

const sentences = {
  challenge:
    'This request was begun elsewhere, is older than 5 minutes, or was answered before. Begin again.',
  origin: 'The passkey was used on a page that is not of this installation.',
  account: 'The passkey belongs to no account here, or to another one.',
  counter: 'The passkey was used elsewhere since: it may have been copied. Remove it.',
  verification: 'The device did not verify you. Set up its lock or the PIN of the key.',
  invalid: 'The answer of the passkey is not valid.',
};
const Failure = z.object({ detail: z.string() });
const Assertion = z.object({ challenge: z.string(), rpId: z.string() });
type Device = ReturnType<typeof softwarePasskey>;

const ask = (path: string, asked: Ask = {}) => api.ask(`/api/v1${path}`, asked);
const logIn = (email: string, more: object = {}) =>
  ask('/auth/login', { body: { email, password, ...more } });
const tokenOf = async (email: string, more: object = {}) =>
  z.object({ access_token: z.string() }).parse((await logIn(email, more)).body).access_token;
const accountOf = async (name: string) => {
  const email = `${name}@example.com`;
  await insertDeveloper(api.database, { email, password }, { isOwner: false });
  return { email, token: await tokenOf(email) };
};
const begin = async (token: string) =>
  Creation.parse((await ask('/auth/passkeys', { token, body: { password } })).body);
const confirm = (token: string, credential: object, name = 'Laptop') =>
  ask('/auth/passkeys/confirm', { token, body: { name, credential } });
const register = async (token: string, device = softwarePasskey(origin)) => {
  const added = await confirm(token, device.create(await begin(token)));
  t.equal(added.status, 201, added.text);
  return { device, id: z.object({ id: z.string() }).parse(added.body).id };
};

const page = { Origin: origin, 'Sec-Fetch-Site': 'same-origin' };
const cookieIn = (headers: Headers, name: string) =>
  headers
    .getSetCookie()
    .find((one) => one.startsWith(`${name}=`))
    ?.split(';')[0] ?? '';
const beginSignIn = async () => {
  const begun = await api.ask('/console/session/passkey/begin', { method: 'POST', headers: page });
  return { options: Assertion.parse(begun.body), cookie: cookieIn(begun.headers, 'pulsebus_passkey') };
};
const finish = (credential: object, cookie: string) =>
  api.ask('/console/session/passkey', { body: { credential }, headers: { ...page, Cookie: cookie } });
const signIn = async (device: Device, other: Deviations = {}) => {
  const { options, cookie } = await beginSignIn();
  return finish(device.get(options, other), cookie);
};
/** What a refused answer must not change. */
const stored = () =>
  api.database.query(
    'select p.*, (select count(*) from auth.console_session) as sessions from auth.passkey p order by id',
  );
const refusal = async (answer: Promise<{ status: number; body: unknown; headers: Headers }>) => {
  const before = await stored();
  const { status, body, headers } = await answer;
  t.strictSame(await stored(), before, 'nothing is changed');
  t.equal(headers.get('set-cookie'), null);
  return { status, detail: Failure.parse(body).detail };
};
const refused = (why: keyof typeof sentences) => ({ status: 403, detail: sentences[why] });

t.test('a passkey is added, named, listed, used and removed, and each is audited', async (t) => {
  const { email, token } = await accountOf('ada');
  t.strictSame((await ask('/auth/passkeys', { token })).body, []);
  const { device, id } = await register(token);
  t.match((await ask('/auth/passkeys', { token })).body, [{ id, name: 'Laptop', last_used_at: null }]);
  t.equal((await begin(token)).excludeCredentials.length, 1);
  const opened = await signIn(device);
  t.equal(opened.status, 201, opened.text);
  t.match(opened.body, { developer: { email } });
  const cookie = cookieIn(opened.headers, 'pulsebus_console');
  t.match(await api.ask('/console/session', { headers: { Cookie: cookie } }), {
    body: { developer: { email }, sign_in: { passwords: true } },
  });
  t.match((await ask('/auth/passkeys', { token })).body, [{ id, last_used_at: String }]);

  const remove = (body: object) => ask(`/auth/passkeys/${id}`, { token, method: 'DELETE', body });
  t.equal((await remove({})).status, 422);
  t.equal((await remove({ password: 'not the password' })).status, 403);
  t.equal((await remove({ password })).status, 200);
  t.equal((await remove({ password })).status, 404);
  t.match(await api.ask('/console/session', { headers: { Cookie: cookie } }), { body: { developer: null } });
  t.equal((await ask('/auth/me', { token })).status, 200, 'the session that removed it continues');
  t.strictSame(await refusal(signIn(device)), refused('account'));
  const entries = await api.database.query(
    `select action, details ->> 'method' as method from auth.audit_entry where subject_id = $1
       or id = (select max(id) from auth.audit_entry where action = 'developer.logged_in') order by id`,
    [id],
  );
  t.strictSame(entries, [
    { action: 'passkey.added', method: null },
    { action: 'developer.logged_in', method: 'passkey' },
    { action: 'passkey.removed', method: null },
  ]);
});

t.test('a passkey is added with the password or a code, in a session of the account', async (t) => {
  const { token } = await accountOf('bob');
  const beginWith = (body: object) => ask('/auth/passkeys', { token, body });
  t.equal((await beginWith({})).status, 422);
  t.equal((await beginWith({ password: 'not the password' })).status, 403);
  t.equal((await beginWith({ code: '000000' })).status, 403, 'without an authenticator');
  const begun = await ask('/auth/totp', { token, method: 'POST' });
  const { secret } = z.object({ secret: z.string() }).parse(begun.body);
  await ask('/auth/totp/confirm', { token, body: { code: codeOf(secret) } });
  t.equal((await beginWith({ code: codeOf(secret, 1) })).status, 200);
});

t.test('a registration is refused with one sentence, and stores nothing', async (t) => {
  const { email, token } = await accountOf('carol');
  const device = softwarePasskey(origin);
  const add = async (other: Deviations) => confirm(token, device.create(await begin(token), other));
  const foreign = 'https://pulsebus.example.net';
  t.strictSame(await refusal(add({ origin: foreign })), refused('origin'));
  t.strictSame(await refusal(add({ rpId: 'example.com' })), refused('origin'));
  t.strictSame(await refusal(add({ challenge: 'AAAA' })), refused('challenge'));
  t.strictSame(await refusal(add({ isVerified: false })), refused('verification'));
  const other = await tokenOf(email);
  t.strictSame(
    await refusal(confirm(other, device.create(await begin(token)))),
    refused('challenge'),
    'the challenge of another session of the account',
  );
  const late = device.create(await begin(token));
  await api.database.query('update auth.passkey_challenge set expires_at = now()');
  t.strictSame(await refusal(confirm(token, late)), refused('challenge'), 'after 5 minutes');
  const broken = { ...late, response: { ...late.response, clientDataJSON: 'AAAA' } };
  t.strictSame(await refusal(confirm(token, broken)), refused('invalid'));
  const { options } = await beginSignIn();
  const ofSignIn = device.create({ ...(await begin(token)), challenge: options.challenge });
  t.strictSame(await refusal(confirm(token, ofSignIn)), refused('challenge'), 'the challenge of a sign-in');

  const credential = device.create(await begin(token));
  const answers = await Promise.all([confirm(token, credential), confirm(token, credential)]);
  t.strictSame(answers.map(({ status }) => status).sort(), [201, 403], 'a challenge serves once');
  const dave = await accountOf('dave');
  const taken = await refusal(confirm(dave.token, device.create(await begin(dave.token))));
  t.equal(taken.status, 409, 'the passkey of another account');
});

t.test('a sign-in is refused with one sentence, and opens no session', async (t) => {
  const { token } = await accountOf('erin');
  const other = await accountOf('frank');
  const { device } = await register(token);
  const ofOther = softwarePasskey(origin);
  const { user } = await begin(other.token);
  await register(other.token, ofOther);
  const foreign = 'https://pulsebus.example.net';
  t.strictSame(await refusal(signIn(device, { origin: foreign })), refused('origin'));
  t.strictSame(await refusal(signIn(device, { rpId: 'example.com' })), refused('origin'));
  t.strictSame(await refusal(signIn(device, { isVerified: false })), refused('verification'));
  t.strictSame(await refusal(signIn(device, { userHandle: user.id })), refused('account'));
  t.strictSame(await refusal(signIn(softwarePasskey(origin), { userHandle: user.id })), refused('account'));
  const { options, cookie } = await beginSignIn();
  const forged = { ...device.get(options), response: { ...ofOther.get(options).response } };
  forged.response.userHandle = device.get(options).response.userHandle;
  t.strictSame(await refusal(finish(forged, cookie)), refused('invalid'), 'signed by another passkey');
  const { challenge } = await begin(token);
  t.strictSame(
    await refusal(finish(device.get({ ...options, challenge }), `pulsebus_passkey=${challenge}`)),
    refused('challenge'),
    'the challenge of a registration',
  );
  t.equal((await signIn(device)).status, 201);
  const failed = await api.database.query(
    `select sum((details ->> 'failures')::int)::int as failures from auth.audit_entry where action = 'developer.log_in_failed'`,
  );
  t.match(failed, [{ failures: Number }], 'failed sign-ins are audited');
});

t.test('a challenge of a sign-in serves once, in the browser that began it', async (t) => {
  const { device } = await register((await accountOf('grace')).token);
  const { options, cookie } = await beginSignIn();
  const credential = device.get(options);
  const elsewhere = await beginSignIn();
  t.strictSame(await refusal(finish(credential, '')), refused('challenge'), 'without the cookie');
  t.strictSame(await refusal(finish(device.get(elsewhere.options), cookie)), refused('challenge'));
  const begun = await beginSignIn();
  const once = device.get(begun.options);
  const answers = await Promise.all([finish(once, begun.cookie), finish(once, begun.cookie)]);
  t.strictSame(answers.map(({ status }) => status).sort(), [201, 403]);
  t.strictSame(await refusal(finish(once, begun.cookie)), refused('challenge'));
  const late = await beginSignIn();
  await api.database.query('update auth.passkey_challenge set expires_at = now()');
  t.strictSame(await refusal(finish(device.get(late.options), late.cookie)), refused('challenge'));
  const open = await api.database.query('select hash from auth.passkey_challenge');
  t.notMatch(JSON.stringify(open), late.options.challenge, 'challenges are stored as hashes');
});

t.test('a counter that does not go up is refused; a device may have none', async (t) => {
  const { device } = await register((await accountOf('heidi')).token);
  t.equal((await signIn(device, { counter: 9 })).status, 201);
  for (const counter of [9, 8, 0])
    t.strictSame(await refusal(signIn(device, { counter })), refused('counter'));
  const begun = await Promise.all(Array.from({ length: 6 }, beginSignIn));
  const answers = await Promise.all(
    begun.map(({ options, cookie }) => finish(device.get(options, { counter: 10 }), cookie)),
  );
  t.equal(answers.filter(({ status }) => status === 201).length, 1, 'sign-ins at once');
  const { device: without } = await register((await accountOf('ivan')).token);
  for (let n = 0; n < 2; n += 1) t.equal((await signIn(without, { counter: 0 })).status, 201);
});

t.test('a passkey is a second factor: the password alone is refused, and changes no factor', async (t) => {
  const { email, token } = await accountOf('judy');
  const before = await tokenOf(email);
  const { id } = await register(token);
  const withPassword = await logIn(email);
  t.equal(withPassword.status, 401);
  t.equal(withPassword.headers.get('x-error-code'), 'PASSKEY_REQUIRED');
  t.match(
    (await logIn(email, { password: 'not the password' })).headers.get('x-error-code'),
    'UNAUTHENTICATED',
  );
  const changes = [
    ask('/auth/totp', { token: before, method: 'POST' }),
    ask('/auth/passkeys', { token: before, body: { password } }),
    ask(`/auth/passkeys/${id}`, { token: before, method: 'DELETE', body: { password } }),
  ];
  for (const answer of changes)
    t.strictSame(await refusal(answer), {
      status: 403,
      detail: 'This account has a passkey: sign in with it first.',
    });
  const reset = await resetPassword(api.database, email);
  t.equal((await logIn(email, reset ?? {})).status, 401, 'a new password changes no factor');
  const without = await resetPassword(api.database, email, true);
  t.equal((await logIn(email, without ?? {})).status, 200);
  const removed = await api.database.query(
    `select actor from auth.audit_entry where action = 'passkey.removed' and subject_id = $1`,
    [id],
  );
  t.strictSame(removed, [{ actor: 'system:reset-password' }]);
});

t.test('a project that requires a second factor lets in a session of a passkey', async (t) => {
  await ask('/projects', { ...owner, body: { id: 'strict', name: 'Strict' } });
  const { email, token } = await accountOf('kim');
  const headers = { 'X-Project': 'strict' };
  await ask('/members', { ...owner, body: { email, role: 'admin' }, headers });
  await ask('/projects/strict', { ...owner, method: 'PATCH', body: { require_second_factor: true } });
  const users = (asked: Ask) => ask('/users', { ...asked, headers });
  t.equal((await users({ token })).status, 403);
  const { device } = await register(token);
  t.equal((await users({ token })).status, 200, 'the session that added it');
  const opened = await signIn(device);
  const { csrf_token } = z.object({ csrf_token: z.string() }).parse(opened.body);
  const entered = await api.ask('/console/api/v1/users', {
    headers: {
      ...{ ...page, 'X-CSRF-Token': csrf_token },
      Cookie: `${cookieIn(opened.headers, 'pulsebus_console')}; pulsebus_project=strict`,
    },
  });
  t.equal(entered.status, 200, entered.text);
});

t.test('an account has at most 20 passkeys, and sees its own only', async (t) => {
  const { token } = await accountOf('lena');
  const { id } = await register(token);
  for (let n = 1; n < 20; n += 1) await register(token);
  const more = softwarePasskey(origin).create(await begin(token));
  t.equal((await refusal(confirm(token, more))).status, 409);
  const other = await accountOf('mallory');
  t.strictSame((await ask('/auth/passkeys', other)).body, []);
  const stolen = ask(`/auth/passkeys/${id}`, { token: other.token, method: 'DELETE', body: { password } });
  t.equal((await refusal(stolen)).status, 404);
});
