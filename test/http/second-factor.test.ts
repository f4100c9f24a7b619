import t from 'tap';
import { z } from 'zod';
import { roles } from '../../domain/access.ts';
import { cipherOf } from '../../mixins/provider-api/cipher.ts';
import { resealTotp } from '../../services/auth/work/cleaning.ts';
import { resetPassword } from '../../services/auth/work/operator-accounts.ts';
import { type Ask, startApi } from '../support/api.ts';
import { insertDeveloper } from '../support/developer.ts';
import { insertMember, password as memberPassword } from '../support/members.ts';
import { testConfig } from '../support/servers/broker.ts';
import { codeOf } from '../support/totp.ts';

const api = await startApi(t, { RATE_LIMIT_ACCOUNT_FAILURES: '100000' });
const owner = { token: api.developerToken };
const password = 'purple lamps over quiet water';
const Tokens = z.object({ access_token: z.string() });
const Failure = z.object({ detail: z.string() });

const ask = (path: string, asked: Ask = {}) => api.ask(`/api/v1${path}`, asked);
const logIn = (email: string, code?: string, given = password) =>
  ask('/auth/login', { body: { email, password: given, ...(code === undefined ? {} : { code }) } });
const tokenOf = async (email: string, code?: string) =>
  Tokens.parse((await logIn(email, code)).body).access_token;
const enrol = async (token: string) => {
  const begun = await ask('/auth/totp', { token, method: 'POST' });
  const { secret, otpauth_url } = z.object({ secret: z.string(), otpauth_url: z.string() }).parse(begun.body);
  const confirmed = await ask('/auth/totp/confirm', { token, body: { code: codeOf(secret) } });
  const { recovery_codes } = z.object({ recovery_codes: z.array(z.string()) }).parse(confirmed.body);
  return { secret, otpauth_url, recovery_codes };
};
/** As if the time of the accepted codes had passed. */
const forgetSteps = () => api.database.query('update auth.totp set last_step = null');
const accountOf = async (name: string) => {
  const email = `${name}@example.com`;
  await insertDeveloper(api.database, { email, password }, { isOwner: false });
  return email;
};

t.test('an authenticator is turned on by a code, and a log-in needs one then', async (t) => {
  const email = await accountOf('ada');
  const token = await tokenOf(email);
  t.strictSame((await ask('/auth/totp', { token })).body, { enabled: false, recovery_codes: 0 });
  t.equal((await ask('/auth/totp/confirm', { token, body: { code: '000000' } })).status, 404);
  const begun = await ask('/auth/totp', { token, method: 'POST' });
  t.equal(begun.status, 200);
  t.equal((await logIn(email)).status, 200, 'a secret without a code has no effect');
  t.equal((await ask('/auth/totp/confirm', { token, body: { code: '000000' } })).status, 422);
  const { secret, otpauth_url, recovery_codes } = await enrol(token);
  t.match(otpauth_url, /^otpauth:\/\/totp\/Pulsebus:ada%40example.com\?/);
  t.equal(recovery_codes.length, 10);
  t.strictSame((await ask('/auth/totp', { token })).body, { enabled: true, recovery_codes: 10 });
  t.equal((await ask('/auth/totp', { token, method: 'POST' })).status, 409);

  const without = await logIn(email);
  t.equal(without.status, 401);
  t.equal(without.headers.get('x-error-code'), 'SECOND_FACTOR_REQUIRED');
  const wrongPassword = await logIn(email, codeOf(secret, 1), 'not the password');
  t.match(wrongPassword.body, { detail: 'The credentials are not valid.' });
  t.equal((await logIn(email, '000000')).status, 401);
  t.equal(
    (await logIn(email, codeOf(secret, 1))).status,
    200,
    'the code with the wrong password is not used up',
  );
  const stored = JSON.stringify(await api.database.query('select * from auth.totp, auth.recovery_code'));
  for (const text of [secret, ...recovery_codes, ...recovery_codes.map((one) => one.replaceAll('-', ''))])
    t.notMatch(stored, text);
});

t.test('a code is accepted once, also by two log-ins at once, and no earlier one after it', async (t) => {
  const email = await accountOf('grace');
  const { secret } = await enrol(await tokenOf(email));
  await forgetSteps();
  const code = codeOf(secret);
  const answers = await Promise.all([logIn(email, code), logIn(email, code), logIn(email, code)]);
  t.strictSame(answers.map(({ status }) => status).sort(), [200, 401, 401]);
  t.equal((await logIn(email, codeOf(secret, -1))).status, 401, 'an earlier code');
  t.equal((await logIn(email, codeOf(secret, 1))).status, 200);
  await forgetSteps();
  t.equal((await logIn(email, codeOf(secret, 3))).status, 401, 'a clock that is too fast');
});

t.test('a recovery code serves once', async (t) => {
  const email = await accountOf('carol');
  const token = await tokenOf(email);
  const { recovery_codes } = await enrol(token);
  const [first = '', second = ''] = recovery_codes;
  const answers = await Promise.all([logIn(email, first), logIn(email, first.toUpperCase())]);
  t.strictSame(answers.map(({ status }) => status).sort(), [200, 401]);
  t.equal((await logIn(email, second.replaceAll('-', ' '))).status, 200);
  t.match((await ask('/auth/totp', { token })).body, { recovery_codes: 8 });
});

t.test('wrong codes are audited and limited by account, a missing one is not counted', async (t) => {
  const email = await accountOf('dave');
  const { secret, recovery_codes } = await enrol(await tokenOf(email));
  await forgetSteps();
  for (let n = 0; n < 25; n += 1) t.equal((await logIn(email)).status, 401);
  const statuses: number[] = [];
  for (let n = 0; n < 21; n += 1) statuses.push((await logIn(email, '000000')).status);
  t.strictSame(statuses, [...Array.from({ length: 20 }, () => 401), 429]);
  const refused = await logIn(email, codeOf(secret));
  t.equal(refused.status, 429);
  t.match(Failure.parse(refused.body).detail, /20 wrong codes an hour/);
  const [entry] = await api.database.query<{ failures: number }>(
    `select (details ->> 'failures')::int as failures from auth.audit_entry
     where action = 'developer.log_in_failed' and subject_id = (select id from auth.developer where email = $1)`,
    [email],
  );
  t.equal(entry?.failures, 20);
  const byRecovery = await logIn(email, recovery_codes[0]);
  t.equal(byRecovery.status, 200, 'whoever has the password locks nobody out');
});

t.test('wrong passwords of a session are limited for every role, not those of another session', async (t) => {
  for (const role of ['owner', ...roles] as const) {
    const email = `guessed-${role}@example.com`;
    const login = { email, password: memberPassword };
    if (role === 'owner') await insertDeveloper(api.database, login);
    else await insertMember(api, email, [['default', role]]);
    const session = async () =>
      Tokens.parse((await logIn(email, undefined, memberPassword)).body).access_token;
    const [token, other] = [await session(), await session()];
    const change = async (as: string, current_password: string) => {
      const body = { current_password, new_password: 'other lamps over quiet water' };
      return (await ask('/auth/change-password', { token: as, body })).status;
    };
    await ask('/auth/totp', { token, method: 'POST' });
    for (let n = 0; n < 18; n += 1) await ask('/auth/totp/confirm', { token, body: { code: '000000' } });
    const guesses = [await change(token, 'not the password')];
    guesses.push((await ask('/auth/passkeys', { token, body: { password: 'not it either' } })).status);
    guesses.push(await change(token, 'nor this one'), await change(token, memberPassword));
    t.strictSame(guesses, [403, 403, 429, 429], role);
    t.equal(await change(other, memberPassword), 200, role);
    const [entry] = await api.database.query(
      `select (details ->> 'failures')::int as failures from auth.audit_entry
       where action = 'developer.log_in_failed' and subject_id = (select id from auth.developer where email = $1)`,
      [email],
    );
    t.strictSame(entry, { failures: 20 }, role);
  }
});

t.test('the authenticator is turned off with the password or a code in the body', async (t) => {
  const email = await accountOf('erin');
  const token = await tokenOf(email);
  const remove = (body: object) => ask('/auth/totp', { token, method: 'DELETE', body });
  t.equal((await remove({ password })).status, 404);
  const { secret } = await enrol(token);
  t.equal((await remove({})).status, 422);
  t.equal((await remove({ password: 'not the password' })).status, 403);
  t.equal((await remove({ code: '000000' })).status, 403);
  t.equal(
    (await ask('/auth/totp?code=000000', { token, method: 'DELETE' })).status,
    422,
    'a query is no body',
  );
  t.equal((await remove({ code: codeOf(secret, 1) })).status, 200);
  t.equal((await logIn(email)).status, 200);
  await enrol(token);
  t.equal((await remove({ password })).status, 200);
  t.equal(
    (
      await api.database.query(
        'select from auth.recovery_code c join auth.developer d on d.id = c.developer_id where email = $1',
        [email],
      )
    ).length,
    0,
  );
});

t.test('a project that requires a second factor lets in no session without one', async (t) => {
  await ask('/projects', { ...owner, body: { id: 'strict', name: 'Strict' } });
  const key = await ask('/api-keys', {
    ...owner,
    body: { name: 'Of strict' },
    headers: { 'X-Project': 'strict' },
  });
  const email = await accountOf('frank');
  for (const project of ['default', 'strict'])
    await ask('/members', { ...owner, body: { email, role: 'admin' }, headers: { 'X-Project': project } });
  const token = await tokenOf(email);
  const enter = (as: string, project = 'strict') =>
    ask('/users', { token: as, headers: { 'X-Project': project } });
  t.equal((await enter(token)).status, 200);
  const required = { method: 'PATCH', body: { require_second_factor: true } };
  t.match((await ask('/projects/strict', { ...owner, ...required })).body, { require_second_factor: true });
  t.match((await ask('/projects', owner)).body, [
    { require_second_factor: false },
    { require_second_factor: true },
  ]);

  const refused = await enter(token);
  t.equal(refused.status, 403);
  t.match(Failure.parse(refused.body).detail, /^This project requires a second factor/);
  t.equal((await enter(api.developerToken)).status, 403, 'an owner');
  t.equal((await enter(token, 'default')).status, 200, 'another project');
  const headers = { 'X-Project': 'strict' };
  t.equal((await ask('/auth/me', { token, headers })).status, 200, 'the permission account');
  const apiKey = z.object({ key: z.string() }).parse(key.body).key;
  t.equal((await ask('/users', { key: apiKey })).status, 200, 'a key');

  const before = await tokenOf(email);
  const { secret } = await enrol(token);
  t.equal((await enter(token)).status, 200, 'the session that proved it');
  t.equal((await enter(before)).status, 403, 'a session from before');
  t.equal((await enter(await tokenOf(email, codeOf(secret, 1)))).status, 200);
  await ask('/auth/totp', { token, method: 'DELETE', body: { password } });
  t.equal((await enter(token)).status, 403);
});

t.test('the console signs in with a code', async (t) => {
  const email = await accountOf('heidi');
  const { secret } = await enrol(await tokenOf(email));
  const { origin } = new URL(api.url);
  const signIn = (body: object) =>
    api.ask('/console/session', { body, headers: { Origin: origin, 'Sec-Fetch-Site': 'same-origin' } });
  const without = await signIn({ email, password });
  t.equal(without.headers.get('x-error-code'), 'SECOND_FACTOR_REQUIRED');
  t.equal(without.headers.get('set-cookie'), null);
  t.equal((await signIn({ email, password, code: codeOf(secret, 1) })).status, 201);
});

t.test('an operator turns the authenticator of an account off', async (t) => {
  const email = await accountOf('ivan');
  await enrol(await tokenOf(email));
  const kept = await resetPassword(api.database, email);
  t.equal(
    (await logIn(email, undefined, kept?.password)).headers.get('x-error-code'),
    'SECOND_FACTOR_REQUIRED',
  );
  const login = await resetPassword(api.database, email, true);
  t.equal((await logIn(email, undefined, login?.password)).status, 200);
});

t.test('secrets are encrypted again after a rotation of ENCRYPTION_KEY', async (t) => {
  const email = await accountOf('judy');
  const { secret } = await enrol(await tokenOf(email));
  const [old = ''] = testConfig({ databaseUrl: api.database.url }).ENCRYPTION_KEY ?? [];
  const fresh = 'another secret of the tests with 32 characters';
  const stored = async () =>
    (
      await api.database.query<{ developer_id: string; secret: string }>(
        'select t.developer_id, t.secret from auth.totp t join auth.developer d on d.id = developer_id where email = $1',
        [email],
      )
    )[0];
  await resealTotp({ database: api.database, cipher: cipherOf({ ENCRYPTION_KEY: [fresh, old] }) });
  const row = await stored();
  const bound = `totp ${row?.developer_id}`;
  t.equal(cipherOf({ ENCRYPTION_KEY: [fresh] }).decrypt(row?.secret ?? '', bound), secret);
  await resealTotp({ database: api.database, cipher: cipherOf({ ENCRYPTION_KEY: [`${old} unknown`] }) });
  t.strictSame(await stored(), row, 'what no key decrypts is unchanged');
});
