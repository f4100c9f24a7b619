import { randomUUID } from 'node:crypto';
import t from 'tap';
import type { Caller } from '../../../contracts/auth/schemas.ts';
import type { Queryable } from '../../../mixins/database/database.ts';
import { sha256 } from '../../../services/auth/rules/secrets.ts';
import { endReusedFamily } from '../../../services/auth/tables/families.ts';
import { account, logIn, startAuth, type TestAuth } from '../../support/auth.ts';
import { callerOf } from '../../support/callers.ts';
import { insertDeveloper } from '../../support/developer.ts';
import { refusal } from '../../support/refusal.ts';

const isAlive = async ({ call }: TestAuth, token: string) =>
  (await call('auth.admit', { token })).caller !== null;

const auth = await startAuth(t);
const { call, database } = auth;

const used = { meta: { client: 'a phone' } };

/** Whether a refresh token ends its family when a client sends it so long after its use by `a phone`. */
async function endsAfter({ call, database }: TestAuth, interval: string, client = 'a phone') {
  const { tokens } = await logIn(call);
  await call('auth.refresh', { refresh_token: tokens.refresh_token }, used);
  const hash = sha256(tokens.refresh_token);
  const name = sha256(`${hash} ${client}`);
  // Within a transaction `now()` is constant.
  return database.transaction(async (transaction: Queryable) => {
    const earlier = `update auth.refresh_token set consumed_at = now() - interval '${interval}' where hash = $1`;
    await transaction.query(earlier, [hash]);
    return (await endReusedFamily(transaction, hash, name)) !== null;
  });
}

t.test('a used refresh token is refused for 10 s, and ends the family afterwards', async (t) => {
  t.equal(await endsAfter(auth, '0 s'), false);
  t.equal(await endsAfter(auth, '10 s'), false);
  t.equal(await endsAfter(auth, '10.000001 s'), true);
  t.equal(await endsAfter(auth, '1 hour'), true);
  t.equal(await endsAfter(auth, '0 s', 'another phone'), true, 'another client has stolen it, or was robbed');
});

t.test('a refresh token that a thief uses first ends with the try of its owner', async (t) => {
  const { tokens, as } = await logIn(call);
  const { id: user_id } = await call('users.create', {});
  const { refresh_token } = await call('auth.issueToken', { user_id }, as);
  const thief = await call('auth.refresh', { refresh_token }, { meta: { client: 'a thief' } });
  await t.rejects(
    call('auth.refresh', { refresh_token }, { meta: { client: 'a thief' } }),
    refusal('UNAUTHENTICATED'),
    'a double click',
  );
  t.ok((await call('auth.admit', { token: thief.access_token })).caller, 'ends nothing');
  await t.rejects(call('auth.refresh', { refresh_token }, used), refusal('UNAUTHENTICATED'));
  t.equal((await call('auth.admit', { token: thief.access_token })).caller, null);
  await t.rejects(call('auth.refresh', { refresh_token: thief.refresh_token }), refusal('UNAUTHENTICATED'));
  t.ok((await call('auth.admit', { token: tokens.access_token })).caller, 'another family');
  const entries = await database.query(
    "select from auth.audit_entry where action = 'token.reused' and user_id = $1",
    [user_id],
  );
  t.equal(entries.length, 1);
});

t.test('of two clients that use a refresh token at once, neither keeps the session', async (t) => {
  const { as } = await logIn(call);
  const { id: user_id } = await call('users.create', {});
  const { refresh_token } = await call('auth.issueToken', { user_id }, as);
  const attempts = ['one', 'two'].map((client) =>
    call('auth.refresh', { refresh_token }, { meta: { client } }),
  );
  const answers = await Promise.allSettled(attempts);
  const won = answers.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  t.equal(won.length, 1);
  t.equal((await call('auth.admit', { token: won[0]?.access_token ?? '' })).caller, null);
});

t.test('actions of developers refuse every other kind of caller', async (t) => {
  const { as } = await logIn(call);
  const { developer_id } = as.meta.caller;
  const key: Caller = callerOf('api-key', { developer_id });
  const sdk: Caller = callerOf('sdk', { developer_id, user_id: randomUUID() });
  const change = { current_password: account.password, new_password: 'another long password' };
  for (const caller of [key, sdk]) {
    const meta = { meta: { caller } };
    await t.rejects(call('auth.me', {}, meta), refusal('FORBIDDEN'), caller.kind);
    await t.rejects(call('auth.changePassword', change, meta), refusal('FORBIDDEN'), caller.kind);
    await t.rejects(call('auth.createKey', {}, meta), refusal('FORBIDDEN'), caller.kind);
  }
  await t.rejects(call('auth.createKey', {}), refusal('UNAUTHENTICATED'), 'nobody');
  t.ok(await logIn(call), 'the password stands');
  t.same(await call('auth.listKeys', {}, as), []);
});

t.test("a change of the password ends the developer's other sessions and nothing else", async (t) => {
  const own = await logIn(call);
  const second = await logIn(call);
  const bob = { email: 'bob@example.com', password: 'the password of somebody' };
  await insertDeveloper(database, bob);
  const bobs = await logIn(call, bob);
  const { app_id, app_secret } = await call('auth.createApplication', { name: 'app' }, own.as);
  const { id: user_id } = await call('users.create', {});
  const issued = [
    await call('auth.issueToken', { user_id }, own.as),
    await call('auth.issueToken', { user_id }, second.as),
    await call('auth.issueToken', { user_id, app_id, app_secret }),
    await call('auth.issueToken', { user_id }, bobs.as),
  ];
  const change = (current_password: string, new_password: string) =>
    call('auth.changePassword', { current_password, new_password }, own.as);
  await t.rejects(change('not the password', 'another long password'), refusal('FORBIDDEN'));
  await t.rejects(change(account.password, 'short'), refusal('VALIDATION_FAILED'));
  t.ok(await isAlive(auth, second.tokens.access_token), 'nothing has changed');
  t.match(await change(account.password, 'another long password'), { email: account.email });

  t.equal(await isAlive(auth, second.tokens.access_token), false, 'the other session');
  await t.rejects(
    call('auth.refresh', { refresh_token: second.tokens.refresh_token }),
    refusal('UNAUTHENTICATED'),
  );
  t.ok(await isAlive(auth, own.tokens.access_token), 'the own session');
  t.ok(await isAlive(auth, bobs.tokens.access_token), "another developer's session");
  for (const [index, { access_token }] of issued.entries())
    t.ok(await isAlive(auth, access_token), `issued token ${index}`);
  await t.rejects(logIn(call), refusal('UNAUTHENTICATED'));
  t.ok((await logIn(call, { ...account, password: 'another long password' })).tokens);
});
