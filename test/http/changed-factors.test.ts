import t from 'tap';
import { z } from 'zod';
import { type Ask, startApi } from '../support/api.ts';
import { insertDeveloper } from '../support/developer.ts';
import { Creation, softwarePasskey } from '../support/passkey.ts';
import { codeOf } from '../support/totp.ts';

const origin = 'https://pulsebus.example.com';
const api = await startApi(t, { RATE_LIMIT_ACCOUNT_FAILURES: '100000', PUBLIC_URL: `${origin}/` });
const owner = { token: api.developerToken };
const password = 'purple lamps over quiet water';
const withoutPasskey = {
  status: 403,
  body: { detail: 'This account has a passkey: sign in with it first.' },
};
const withoutChallenge = {
  status: 403,
  body: {
    detail: 'This request was begun elsewhere, is older than 5 minutes, or was answered before. Begin again.',
  },
};

const ask = (path: string, asked: Ask = {}) => api.ask(`/api/v1${path}`, asked);
const tokenOf = async (email: string) => {
  const answer = await ask('/auth/login', { body: { email, password } });
  return z.object({ access_token: z.string() }).parse(answer.body).access_token;
};
/** An account and two of its sessions. */
const accountOf = async (name: string) => {
  const email = `${name}@example.com`;
  await insertDeveloper(api.database, { email, password }, { isOwner: false });
  return { email, token: await tokenOf(email), stolen: await tokenOf(email) };
};

const beginWith = (token: string, body: object) => ask('/auth/passkeys', { token, body });
const deviceOf = async (token: string) =>
  softwarePasskey(origin).create(Creation.parse((await beginWith(token, { password })).body));
const confirm = (token: string, credential: object) =>
  ask('/auth/passkeys/confirm', { token, body: { name: 'Laptop', credential } });
const register = async (token: string) => {
  const added = await confirm(token, await deviceOf(token));
  t.equal(added.status, 201, added.text);
  return z.object({ id: z.string() }).parse(added.body).id;
};
const remove = (token: string, id: string) =>
  ask(`/auth/passkeys/${id}`, { token, method: 'DELETE', body: { password } });
const passkeysOf = async (token: string) =>
  z.array(z.unknown()).parse((await ask('/auth/passkeys', { token })).body).length;

const beginTotp = async (token: string) =>
  z.object({ secret: z.string() }).parse((await ask('/auth/totp', { token, method: 'POST' })).body).secret;
const confirmTotp = (token: string, secret: string) =>
  ask('/auth/totp/confirm', { token, body: { code: codeOf(secret) } });
const turnOff = (token: string, body: object) => ask('/auth/totp', { token, method: 'DELETE', body });

/** A request that used up its challenge before another one changed the factors, and confirms after it. */
const overtaken = async (change: () => Promise<unknown>) => {
  const challenges = await api.database.query<{ hash: string; family_id: string; expires_at: Date }>(
    'select * from auth.passkey_challenge where family_id is not null',
  );
  await change();
  for (const { hash, family_id, expires_at } of challenges)
    await api.database.query(
      'insert into auth.passkey_challenge values ($1, $2, $3) on conflict do nothing',
      [hash, family_id, expires_at],
    );
};

t.test('factors that were begun before a passkey are not confirmed after it', async (t) => {
  const { token, stolen } = await accountOf('ada');
  const secret = await beginTotp(stolen);
  const device = await deviceOf(stolen);
  await register(token);
  t.equal((await confirmTotp(stolen, secret)).status, 404, 'the secret is deleted');
  t.match(await confirm(stolen, device), withoutChallenge);
  t.equal(await passkeysOf(token), 1);
  t.match(await ask('/auth/totp', { token: stolen, method: 'POST' }), withoutPasskey);
});

t.test('a session without the passkey confirms no authenticator that another one began', async (t) => {
  const { token, stolen } = await accountOf('bob');
  await register(token);
  const secret = await beginTotp(token);
  t.match(await confirmTotp(stolen, secret), withoutPasskey);
  t.match((await ask('/auth/totp', { token })).body, { enabled: false });
  t.equal((await confirmTotp(token, secret)).status, 200);
});

t.test('a passkey is refused if another was added while the device made it', async (t) => {
  const { token, stolen } = await accountOf('carol');
  const device = await deviceOf(stolen);
  await overtaken(() => register(token));
  t.match(await confirm(stolen, device), withoutPasskey);
  t.equal(await passkeysOf(token), 1);

  const other = await accountOf('dave');
  const sessions = [other.token, other.stolen];
  const devices = await Promise.all(sessions.map(deviceOf));
  const answers = await Promise.all(sessions.map((session, n) => confirm(session, devices[n] ?? {})));
  t.strictSame(answers.map(({ status }) => status).sort(), [201, 403], 'two sessions at once');
});

t.test(
  'with an authenticator, a session that did not prove it changes factors with a code only',
  async (t) => {
    const { token, stolen } = await accountOf('erin');
    const begun = await deviceOf(stolen);
    const taken = await deviceOf(stolen);
    const secret = await beginTotp(token);
    let confirmed = 0;
    await overtaken(async () => {
      confirmed = (await confirmTotp(token, secret)).status;
      t.match(await confirm(stolen, begun), withoutChallenge, 'begun when no code was required');
    });
    t.equal(confirmed, 200);
    const withoutCode = {
      status: 403,
      body: { detail: 'This account has an authenticator: a code is required.' },
    };
    t.match(await confirm(stolen, taken), withoutCode, 'while the device made it');
    t.match(await beginWith(stolen, { password }), withoutCode);
    t.match(await turnOff(stolen, { password }), withoutCode);
    t.equal((await beginWith(stolen, { code: '000000' })).status, 403);
    t.equal(await passkeysOf(token), 0);

    const options = await beginWith(stolen, { code: codeOf(secret, 1) });
    const device = softwarePasskey(origin).create(Creation.parse(options.body));
    t.equal((await confirm(stolen, device)).status, 201, 'with a code');
    t.equal((await beginWith(token, { password })).status, 200, 'a session that proved it');
  },
);

t.test('sessions stay proven until no factor is left', async (t) => {
  const { email, token } = await accountOf('frank');
  const headers = { 'X-Project': 'strict' };
  await ask('/projects', { ...owner, body: { id: 'strict', name: 'Strict' } });
  await ask('/members', { ...owner, body: { email, role: 'admin' }, headers });
  await ask('/projects/strict', { ...owner, method: 'PATCH', body: { require_second_factor: true } });
  const enter = async () => (await ask('/users', { token, headers })).status;
  t.equal(await enter(), 403);

  const first = await register(token);
  t.equal((await confirmTotp(token, await beginTotp(token))).status, 200);
  t.equal((await turnOff(token, { password })).status, 200);
  t.equal(await enter(), 200, 'a passkey is left');
  const second = await register(token);
  t.equal((await remove(token, first)).status, 200);
  t.equal(await enter(), 200, 'another passkey is left');
  t.equal((await confirmTotp(token, await beginTotp(token))).status, 200);
  t.equal((await remove(token, second)).status, 200);
  t.equal(await enter(), 200, 'the authenticator is left');
  t.equal((await turnOff(token, { password })).status, 200);
  t.equal(await enter(), 403, 'none is left');

  const last = await register(token);
  t.equal(await enter(), 200);
  t.equal((await remove(token, last)).status, 200);
  t.equal(await enter(), 403, 'the last passkey is removed');
});
