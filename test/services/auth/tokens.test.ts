import { randomBytes, randomUUID } from 'node:crypto';
import jwt from 'jsonwebtoken';
import t from 'tap';
import auth from '../../../services/auth/auth.service.ts';
import { tokenSignerOf } from '../../../services/auth/rules/access-tokens.ts';
import { sha256 } from '../../../services/auth/rules/secrets.ts';
import { deleteExpired } from '../../../services/auth/tables/expired.ts';
import users from '../../../services/users/users.service.ts';
import { logIn, outcomes, startAuth } from '../../support/auth.ts';
import { callerOf } from '../../support/callers.ts';
import { refusal } from '../../support/refusal.ts';
import { startBroker } from '../../support/servers/broker.ts';
import { natsUrl } from '../../support/servers/database.ts';

const shared = await startAuth(t);

const refused = refusal('UNAUTHENTICATED');

t.test('an application obtains a token that names its user and who issued it', async (t) => {
  const { call, database } = await startAuth(t, { SDK_TOKEN_MINUTES: '5' });
  const { as } = await logIn(call);
  const { app_id, app_secret, ...application } = await call('auth.createApplication', { name: 'app' }, as);
  t.match(app_id, /^app_[0-9a-f]{32}$/);
  t.match(app_secret, /^secret_[0-9a-f]{64}$/);
  const [row] = await database.query('select a::text as text, secret_hash from auth.application a');
  t.notMatch(row?.text, app_secret);
  t.equal(row?.secret_hash, sha256(app_secret));
  t.same(await call('auth.listApplications', {}, as), [{ ...application, app_id }]);

  const user = await call('users.create', {});
  const issued = await call('auth.issueToken', { user_id: user.id, app_id, app_secret });
  t.match(issued, { token_type: 'bearer', expires_in: 300, refresh_token: /^rt-/ });
  const claims = jwt.decode(issued.access_token, { json: true });
  t.match(claims, { sub: user.id, kind: 'sdk', issued_by: `app:${app_id}` });
  t.equal((claims?.exp ?? 0) - (claims?.iat ?? 0), 300);
  const { caller } = await call('auth.admit', { token: issued.access_token });
  t.match(caller, { kind: 'sdk', user_id: user.id, developer_id: null });
  const stored = await database.query('select r::text as text from auth.refresh_token r');
  t.notOk(stored.some(({ text }) => text.includes(issued.refresh_token)));
});

t.test(
  'only developers and applications issue tokens; credentials are checked before the user',
  async (t) => {
    const { call, database } = shared;
    const { as } = await logIn(call);
    const { app_id, app_secret } = await call('auth.createApplication', { name: 'app' }, as);
    const { id: user_id } = await call('users.create', {});
    const issued = await call('auth.issueToken', { user_id }, as);
    const by = `admin:${as.meta.caller.developer_id}`;
    t.match(jwt.decode(issued.access_token), { sub: user_id, issued_by: by });

    const nobody = randomUUID();
    await t.rejects(call('auth.issueToken', { user_id: nobody }), refusal('CREDENTIALS_MISSING'));
    for (const wrong of [
      { app_id, app_secret: `secret_${'0'.repeat(64)}` },
      { app_id: 'app_unknown', app_secret },
      { app_id },
      { app_secret },
    ])
      await t.rejects(call('auth.issueToken', { user_id: nobody, ...wrong }), refused);
    const caller = callerOf('api-key', { developer_id: randomUUID() });
    await t.rejects(call('auth.issueToken', { user_id }, { meta: { caller } }), refusal('FORBIDDEN'));

    const before = await database.query('select id from auth.family');
    await t.rejects(call('auth.issueToken', { user_id: nobody }, as), refusal('USER_NOT_FOUND'));
    await t.rejects(
      call('auth.issueToken', { user_id: nobody, app_id, app_secret }),
      refusal('USER_NOT_FOUND'),
    );
    t.same(await database.query('select id from auth.family'), before, 'nothing is left of those');
  },
);

t.test('a new secret replaces the old one, and tokens end with their application', async (t) => {
  const { call } = shared;
  const { as } = await logIn(call);
  const { app_id, app_secret } = await call('auth.createApplication', { name: 'app' }, as);
  const { id: user_id } = await call('users.create', {});
  t.ok(await call('auth.issueToken', { user_id, app_id, app_secret }));
  t.match(await call('auth.renameApplication', { app_id, name: 'new' }, as), { app_id, name: 'new' });
  const rotated = await call('auth.rotateSecret', { app_id }, as);
  t.match(rotated, { app_id, name: 'new' });
  await t.rejects(call('auth.issueToken', { user_id, app_id, app_secret }), refused);
  const issued = await call('auth.issueToken', { user_id, app_id, app_secret: rotated.app_secret });
  t.ok((await call('auth.admit', { token: issued.access_token })).caller);

  t.match(await call('auth.removeApplication', { app_id }, as), { app_id, name: 'new' });
  t.equal((await call('auth.admit', { token: issued.access_token })).caller, null);
  await t.rejects(call('auth.refresh', { refresh_token: issued.refresh_token }), refused);
  const { app_secret: newest } = rotated;
  await t.rejects(call('auth.issueToken', { user_id, app_id, app_secret: newest }), refused);
  const refusedAll = refusal('APPLICATION_NOT_FOUND');
  await t.rejects(call('auth.removeApplication', { app_id }, as), refusedAll);
  await t.rejects(call('auth.renameApplication', { app_id, name: 'x' }, as), refusedAll);
  await t.rejects(call('auth.rotateSecret', { app_id }, as), refusedAll);
});

t.test('a refresh keeps user and issuer, and its token works once', async (t) => {
  const { call } = shared;
  const { as } = await logIn(call);
  const { id: user_id } = await call('users.create', {});
  const first = await call('auth.issueToken', { user_id }, as);
  const second = await call('auth.refresh', { refresh_token: first.refresh_token });
  const [was, is] = [jwt.decode(first.access_token), jwt.decode(second.access_token)].map(Object);
  t.match(is, { sub: user_id, kind: 'sdk', issued_by: was.issued_by, family: was.family });
  t.not(second.refresh_token, first.refresh_token);
  t.ok((await call('auth.admit', { token: second.access_token })).caller);

  await t.rejects(call('auth.refresh', { refresh_token: first.refresh_token }), refused, 'a double click');
  t.ok((await call('auth.admit', { token: second.access_token })).caller, 'ends nothing');
  const third = await call('auth.refresh', { refresh_token: second.refresh_token });
  t.ok((await call('auth.admit', { token: third.access_token })).caller);
  await t.rejects(call('auth.refresh', { refresh_token: 'rt-unknown' }), refused);
});

t.test("a developer's session is refreshed as such", async (t) => {
  const { call } = shared;
  const { tokens, as } = await logIn(call);
  const { access_token } = await call('auth.refresh', { refresh_token: tokens.refresh_token });
  t.same((await call('auth.admit', { token: access_token })).caller, as.meta.caller);
});

t.test('of 50 refreshes at once over two nodes one succeeds, and its tokens work', async (t) => {
  const { call, database } = shared;
  const { as } = await logIn(call);
  const namespace = randomBytes(8).toString('hex');
  const node = { databaseUrl: database.url, services: [auth, users], natsUrl: natsUrl(), namespace };
  const nodes = [await startBroker(t, node), await startBroker(t, node)];
  const { id: user_id } = await call('users.create', {});
  const { refresh_token } = await call('auth.issueToken', { user_id }, as);

  const { values, types } = outcomes(
    await Promise.allSettled(
      Array.from({ length: 25 }, () =>
        nodes.map((one) => one.call('auth.refresh', { refresh_token })),
      ).flat(),
    ),
  );
  t.equal(values.length, 1);
  t.equal(types.length, 49);
  t.same(new Set(types), new Set(['UNAUTHENTICATED']));
  const [won] = values;
  t.ok((await call('auth.admit', { token: won?.access_token ?? '' })).caller);
  t.ok(await call('auth.refresh', { refresh_token: won?.refresh_token ?? '' }));
});

t.test('a refresh for a deleted user is refused and ends the family', async (t) => {
  const { call, database } = shared;
  const { as } = await logIn(call);
  const { id: user_id } = await call('users.create', {});
  const issued = await call('auth.issueToken', { user_id }, as);
  await database.query('update users.person set deleted_at = now() where id = $1', [user_id]);
  await t.rejects(call('auth.refresh', { refresh_token: issued.refresh_token }), refused);
  t.equal((await call('auth.admit', { token: issued.access_token })).caller, null);
});

t.test('a refresh token stays valid if users was unavailable', async (t) => {
  const { broker, call } = shared;
  const { as } = await logIn(call);
  const { id: user_id } = await call('users.create', {});
  const { refresh_token } = await call('auth.issueToken', { user_id }, as);
  await broker.destroyService('users');
  await t.rejects(call('auth.refresh', { refresh_token }), { code: 404 });
  broker.createService(users);
  await broker.waitForServices('users');
  t.ok(await call('auth.refresh', { refresh_token }));
});

t.test('forgetUser ends the tokens of the user only', async (t) => {
  const { call } = shared;
  const { as } = await logIn(call);
  const [one, two] = [await call('users.create', {}), await call('users.create', {})];
  const issue = (user_id: string) => call('auth.issueToken', { user_id }, as);
  const [first, second, kept] = [await issue(one.id), await issue(one.id), await issue(two.id)];
  await call('auth.forgetUser', { user_id: one.id });
  await call('auth.forgetUser', { user_id: one.id });
  for (const { access_token, refresh_token } of [first, second]) {
    t.equal((await call('auth.admit', { token: access_token })).caller, null);
    await t.rejects(call('auth.refresh', { refresh_token }), refused);
  }
  t.ok((await call('auth.admit', { token: kept.access_token })).caller);
});

t.test('the first secret signs, all configured ones verify, and tokens expire', async (t) => {
  const [old, fresh] = ['the old secret with 32 characters', 'the new secret with 32 characters'];
  const signer = (...JWT_SECRET: string[]) => tokenSignerOf({ JWT_SECRET, SDK_TOKEN_MINUTES: 60 });
  const familyId = randomUUID();
  const grant = { kind: 'sdk', subject: randomUUID(), familyId, issuedBy: 'app:x' } as const;
  const token = signer(old).sign(grant, 'rt-x').access_token;
  t.match(signer(fresh, old).verify(token), { kind: 'sdk', family: familyId });
  t.equal(signer(fresh).verify(token), null);
  t.ok(signer(fresh).verify(signer(fresh, old).sign(grant, 'rt-x').access_token));

  const claims = { kind: 'sdk', family: familyId, sub: randomUUID() };
  const now = Math.floor(Date.now() / 1000);
  t.ok(signer(old).verify(jwt.sign({ ...claims, exp: now + 60 }, old)));
  t.equal(signer(old).verify(jwt.sign({ ...claims, exp: now - 1 }, old)), null, 'expired');
  t.equal(signer(old).verify(jwt.sign({ ...claims, exp: now + 60 }, old, { algorithm: 'HS512' })), null);
  t.equal(signer(old).verify(jwt.sign({ ...claims, kind: 'root', exp: now + 60 }, old)), null);
  t.throws(() => signer(), /JWT_SECRET is not set/);
});

t.test('expired rows are invalid and deleted in the background; others are kept', async (t) => {
  const { call, database } = await startAuth(t);
  const { as } = await logIn(call);
  const { id: user_id } = await call('users.create', {});
  const [dead, alive] = [
    await call('auth.issueToken', { user_id }, as),
    await call('auth.issueToken', { user_id }, as),
  ];
  const familyOf = (token: string) => Object(jwt.decode(token)).family;
  await database.query("update auth.family set expires_at = now() - interval '1 second' where id = $1", [
    familyOf(dead.access_token),
  ]);
  t.equal((await call('auth.admit', { token: dead.access_token })).caller, null);
  await t.rejects(call('auth.refresh', { refresh_token: dead.refresh_token }), refused);
  await call('auth.admit', { token: alive.access_token });
  await database.query(
    "update auth.rate_window set started_at = now() - interval '3 minutes' where subject = $1",
    [as.meta.caller.developer_id],
  );

  t.equal(await deleteExpired(database), 2, 'a family and a window');
  t.equal(await deleteExpired(database), 0);
  t.same(await database.query('select subject from auth.rate_window'), [{ subject: user_id }]);
  const next = await call('auth.refresh', { refresh_token: alive.refresh_token });
  const [family] = await database.query(
    'select extract(epoch from expires_at - now())::float8 as seconds from auth.family where id = $1',
    [familyOf(next.access_token)],
  );
  t.ok(Math.abs(family?.seconds - 60 * 86_400) < 60, 'a refresh moves the end');
});
