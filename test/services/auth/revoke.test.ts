import { randomUUID } from 'node:crypto';
import jwt from 'jsonwebtoken';
import t from 'tap';
import type { Tokens } from '../../../contracts/auth/schemas.ts';
import { sha256 } from '../../../services/auth/rules/secrets.ts';
import { rotateSecret } from '../../../services/auth/tables/applications.ts';
import { insertFamilyByApplication } from '../../../services/auth/tables/families.ts';
import { logIn, startAuth, type TestAuth } from '../../support/auth.ts';
import { refusal } from '../../support/refusal.ts';

const refused = refusal('UNAUTHENTICATED');
const isAlive = async ({ call }: TestAuth, { access_token }: Tokens) =>
  (await call('auth.admit', { token: access_token })).caller !== null;
const familyOf = ({ access_token }: Tokens): string => Object(jwt.decode(access_token)).family;

const shared = await startAuth(t);

t.beforeEach(() => shared.database.query('truncate auth.audit_entry'));

async function startRevoking() {
  const { call } = shared;
  const { tokens, as } = await logIn(call);
  const application = () => call('auth.createApplication', { name: 'app' }, as);
  const { id: user_id } = await call('users.create', {});
  return { ...shared, session: tokens, as, application, user_id };
}

/** The entries of revoked tokens, oldest first. */
const revoked = ({ database }: TestAuth) =>
  database.query(
    "select actor, subject_id, user_id from auth.audit_entry where action = 'token.revoked' order by id",
  );

t.test('revocation of either token ends the session of a developer and no other', async (t) => {
  const auth = await startRevoking();
  const { call, session } = auth;
  for (const name of ['refresh_token', 'access_token'] as const) {
    const { tokens: first } = await logIn(call);
    const second = await call('auth.refresh', { refresh_token: first.refresh_token });
    t.same(await call('auth.revoke', { token: second[name] }), {}, name);
    for (const dead of [first, second]) t.notOk(await isAlive(auth, dead), name);
    await t.rejects(call('auth.refresh', { refresh_token: second.refresh_token }), refused, name);
    t.same(await call('auth.revoke', { token: second[name] }), {}, 'once more');
  }
  t.ok(await isAlive(auth, session));
  const actor = `admin:${auth.as.meta.caller.developer_id}`;
  t.match(await revoked(auth), [
    { actor, user_id: null },
    { actor, user_id: null },
  ]);
});

t.test('any holder can revoke a user token, also by a used refresh token', async (t) => {
  const auth = await startRevoking();
  const { call, as, user_id } = auth;
  const first = await call('auth.issueToken', { user_id }, as);
  const other = await call('auth.issueToken', { user_id }, as);
  const second = await call('auth.refresh', { refresh_token: first.refresh_token });
  const hint = { token_type_hint: 'access_token' };
  t.same(await call('auth.revoke', { token: first.refresh_token, ...hint }), {}, 'a wrong hint does no harm');
  for (const dead of [first, second]) t.notOk(await isAlive(auth, dead));
  t.ok(await isAlive(auth, other));
  t.same(await revoked(auth), [{ actor: `user:${user_id}`, subject_id: familyOf(first), user_id }]);
});

t.test('an application revokes only tokens that it obtained, with either pair of names', async (t) => {
  const auth = await startRevoking();
  const { call, as, user_id } = auth;
  const [one, two] = [await auth.application(), await auth.application()];
  const issue = ({ app_id, app_secret }: typeof one) =>
    call('auth.issueToken', { user_id, app_id, app_secret });
  const [first, second, foreign] = [await issue(one), await issue(one), await issue(two)];
  const byDeveloper = await call('auth.issueToken', { user_id }, as);
  const own = { app_id: one.app_id, app_secret: one.app_secret };
  for (const { access_token } of [foreign, byDeveloper, auth.session])
    await t.rejects(call('auth.revoke', { token: access_token, ...own }), refusal('FORBIDDEN'));
  const wrong = [{ ...own, app_secret: two.app_secret }, { app_id: one.app_id }, { ...own, app_id: 'app_x' }];
  for (const credentials of wrong)
    await t.rejects(call('auth.revoke', { token: first.access_token, ...credentials }), refused);
  for (const alive of [first, second, foreign, byDeveloper, auth.session]) t.ok(await isAlive(auth, alive));

  await call('auth.revoke', { token: first.access_token, ...own });
  const names = { client_id: one.app_id, client_secret: one.app_secret };
  await call('auth.revoke', { token: second.refresh_token, ...names });
  for (const dead of [first, second]) t.notOk(await isAlive(auth, dead));
  for (const alive of [foreign, byDeveloper]) t.ok(await isAlive(auth, alive));
  t.match(await revoked(auth), [
    { actor: `app:${one.app_id}`, user_id },
    { actor: `app:${one.app_id}`, user_id },
  ]);
});

t.test('unknown and expired tokens get the same answer and leave no entry', async (t) => {
  const auth = await startRevoking();
  const { call, as, user_id, database } = auth;
  const expired = await call('auth.issueToken', { user_id }, as);
  await database.query("update auth.family set expires_at = now() - interval '1 second' where id = $1", [
    familyOf(expired),
  ]);
  const forged = jwt.sign({ sub: user_id, kind: 'sdk', family: familyOf(expired) }, 'x'.repeat(32));
  for (const token of ['x', 'rt-unknown', 'a.b.c', forged, expired.access_token, expired.refresh_token])
    t.same(await call('auth.revoke', { token }), {}, token.slice(0, 12));
  t.same(await revoked(auth), []);
  t.ok(await isAlive(auth, auth.session));
});

t.test('revoking an API key is refused with the route that deletes it', async (t) => {
  const auth = await startRevoking();
  const { key } = await auth.call('auth.createKey', {}, auth.as);
  await t.rejects(auth.call('auth.revoke', { token: key }), {
    ...refusal('VALIDATION_FAILED'),
    data: { errors: [{ field: 'token', message: /DELETE \/api-keys/ }] },
  });
  t.ok((await auth.call('auth.admit', { api_key_hash: sha256(key) })).caller);
});

t.test('a new secret ends only the tokens that were obtained with the old one', async (t) => {
  const auth = await startRevoking();
  const { call, as, user_id } = auth;
  const [one, two] = [await auth.application(), await auth.application()];
  const issue = (app_id: string, app_secret: string) =>
    call('auth.issueToken', { user_id, app_id, app_secret });
  const [first, second] = [await issue(one.app_id, one.app_secret), await issue(one.app_id, one.app_secret)];
  const foreign = await issue(two.app_id, two.app_secret);
  const byDeveloper = await call('auth.issueToken', { user_id }, as);
  const { app_secret } = await call('auth.rotateSecret', { app_id: one.app_id }, as);
  for (const dead of [first, second]) {
    t.notOk(await isAlive(auth, dead));
    await t.rejects(call('auth.refresh', { refresh_token: dead.refresh_token }), refused);
  }
  for (const alive of [foreign, byDeveloper, auth.session]) t.ok(await isAlive(auth, alive));
  t.ok(await isAlive(auth, await issue(one.app_id, app_secret)), 'the new secret obtains tokens');
});

t.test('a token that is being issued while the secret is replaced ends too', async (t) => {
  const auth = await startRevoking();
  const { database } = auth;
  const { id, app_id, app_secret } = await auth.application();
  const issuing = await database.pool.connect();
  const on = {
    query: async (text: string, values: readonly unknown[] = []) =>
      (await issuing.query(text, [...values])).rows,
  };
  try {
    await issuing.query('begin');
    const family = { familyId: randomUUID(), refreshHash: 'hash', refreshSeconds: 3600 };
    const application = { id, secretHash: sha256(app_secret) };
    t.ok(await insertFamilyByApplication(on, family, auth.user_id, application));
    const rotating = database.transaction((transaction) =>
      rotateSecret(transaction, 'default', app_id, sha256('new')),
    );
    const waiting =
      "select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()";
    while ((await database.query(waiting)).length === 0)
      await new Promise((resolve) => setTimeout(resolve, 10));
    await issuing.query('commit');
    await rotating;
  } finally {
    issuing.release();
  }
  t.same(await database.query('select from auth.family where application_id = $1', [id]), []);
});
