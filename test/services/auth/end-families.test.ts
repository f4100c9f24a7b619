import { randomUUID } from 'node:crypto';
import t from 'tap';
import type { Caller } from '../../../contracts/auth/schemas.ts';
import type { Queryable } from '../../../mixins/database.ts';
import { endReusedFamily } from '../../../services/auth/queries/end-families.ts';
import { sha256 } from '../../../services/auth/secrets.ts';
import { account, logIn, startAuth, type TestAuth } from '../../support/auth.ts';
import { refusal } from '../../support/refusal.ts';

const isAlive = async ({ call }: TestAuth, token: string) =>
  (await call('auth.admit', { token })).caller !== null;

t.test("a change of the password ends the developer's other sessions and nothing else", async (t) => {
  const auth = await startAuth(t);
  const { call } = auth;
  const own = await logIn(call);
  const second = await logIn(call);
  const bob = { email: 'bob@example.com', password: 'the password of somebody' };
  await call('auth.createDeveloper', bob, own.as);
  const bobs = await logIn(call, bob);
  const { app_id, app_secret } = await call('auth.createApplication', { name: 'app' }, own.as);
  const { id: user_id } = await call('users.create', {});
  const issued = [
    await call('auth.issueToken', { user_id }, own.as),
    await call('auth.issueToken', { user_id }, second.as),
    await call('auth.issueToken', { user_id, app_id, app_secret }),
    await call('auth.issueToken', { user_id }, bobs.as),
  ];
  const change = { current_password: account.password, new_password: 'another long password' };
  await call('auth.changePassword', change, own.as);

  t.equal(await isAlive(auth, second.tokens.access_token), false, 'the other session');
  await t.rejects(
    call('auth.refresh', { refresh_token: second.tokens.refresh_token }),
    refusal('UNAUTHENTICATED'),
  );
  t.ok(await isAlive(auth, own.tokens.access_token), 'the own session');
  t.ok(await isAlive(auth, bobs.tokens.access_token), "another developer's session");
  for (const [index, { access_token }] of issued.entries())
    t.ok(await isAlive(auth, access_token), `issued token ${index}`);
});

/** Whether a used refresh token ends its family when it comes back so long after its use. */
async function endsAfter({ call, database }: TestAuth, interval: string): Promise<boolean> {
  const { tokens } = await logIn(call);
  await call('auth.refresh', { refresh_token: tokens.refresh_token });
  const hash = sha256(tokens.refresh_token);
  // Within a transaction `now()` is constant.
  return database.transaction(async (transaction: Queryable) => {
    const used = `update auth.refresh_token set consumed_at = now() - interval '${interval}' where hash = $1`;
    await transaction.query(used, [hash]);
    return (await endReusedFamily(transaction, hash)) !== null;
  });
}

t.test('a used refresh token is refused for 10 s, and ends the family afterwards', async (t) => {
  const auth = await startAuth(t);
  t.equal(await endsAfter(auth, '0 s'), false);
  t.equal(await endsAfter(auth, '10 s'), false);
  t.equal(await endsAfter(auth, '10.000001 s'), true);
  t.equal(await endsAfter(auth, '1 hour'), true);
});

t.test('actions of developers refuse every other kind of caller', async (t) => {
  const { call } = await startAuth(t);
  const { as } = await logIn(call);
  const { developer_id } = as.meta.caller;
  const key: Caller = { kind: 'api-key', id: randomUUID(), developer_id, user_id: null };
  const sdk: Caller = { kind: 'sdk', id: randomUUID(), developer_id, user_id: randomUUID() };
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
