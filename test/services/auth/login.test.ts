import t from 'tap';
import { cipherOf } from '../../../mixins/provider-api/cipher.ts';
import { logIn as logInWith } from '../../../services/auth/actions/log-in.ts';
import { tokenSignerOf } from '../../../services/auth/rules/access-tokens.ts';
import { createPasswords } from '../../../services/auth/work/passwords.ts';
import { account, logIn, outcomes, startAuth } from '../../support/auth.ts';
import { insertDeveloper } from '../../support/developer.ts';
import { refusal } from '../../support/refusal.ts';
import { testConfig } from '../../support/servers/broker.ts';

const shared = await startAuth(t);

t.test('logs in by e-mail address in any case, in JSON and in a form', async (t) => {
  const { call } = shared;
  const { email, password } = account;
  for (const params of [
    { email, password },
    { username: ` ${email.toUpperCase()}`, password },
  ]) {
    const { access_token, ...rest } = await call('auth.login', params);
    t.match(rest, { token_type: 'bearer', expires_in: 3600, refresh_token: /^rt-[\w-]{43}$/ });
    const { caller } = await call('auth.admit', { token: access_token });
    t.match(caller, { kind: 'developer', user_id: null });
  }
});

t.test('a wrong password and an unknown e-mail address fail alike, with one scrypt each', async (t) => {
  const { database } = shared;
  const passwords = createPasswords();
  const config = testConfig({ databaseUrl: database.url });
  const tokens = tokenSignerOf(config);
  const attempt = (email: string, password: string) =>
    logInWith(
      {
        database,
        tokens,
        passwords,
        config,
        cipher: cipherOf(config),
        origin: { actor: null, requestId: null },
      },
      email,
      password,
    ).catch((error: unknown) => error);

  const wrong = await attempt(account.email, 'not the password');
  t.equal(passwords.computed, 1);
  const unknown = await attempt('nobody@example.com', account.password);
  t.equal(passwords.computed, 2);
  t.match(wrong, refusal('UNAUTHENTICATED'));
  t.same(Reflect.get(Object(unknown), 'message'), Reflect.get(Object(wrong), 'message'));
});

t.test('a password is stored as a salted scrypt hash only', async (t) => {
  const { call, database } = shared;
  const { as } = await logIn(call);
  for (const email of ['bob@example.com', 'carol@example.com'])
    await call('auth.createDeveloper', { email, password: account.password }, as);
  const sql = 'select password from auth.developer where email <> $1';
  const rows = await database.query<{ password: string }>(sql, [account.email]);
  t.equal(new Set(rows.map(({ password }) => password)).size, 2, 'one password, two hashes');
  for (const { password } of rows) t.match(password, /^scrypt\$14\$8\$5\$[\w-]{22}\$[\w-]{43}$/);
});

t.test('hashes are queued, and too many are refused', async (t) => {
  const passwords = createPasswords({ atOnce: 1, reserved: 0, mostWaiting: 2 });
  const { values, types } = outcomes(
    await Promise.allSettled(Array.from({ length: 5 }, () => passwords.matches('password', null))),
  );
  t.same(values, [false, false, false]);
  t.same(types, ['RATE_LIMITED', 'RATE_LIMITED']);
  t.equal(
    await passwords.matches('password', await passwords.hash('password')),
    true,
    'the gate is free again',
  );
});

t.test('without an address, or with a NUL in it, the request is refused', async (t) => {
  const { call } = shared;
  await t.rejects(call('auth.login', { password: 'x' }), {
    ...refusal('VALIDATION_FAILED'),
    data: { errors: [{ field: 'email' }] },
  });
  await t.rejects(call('auth.login', { email: 'a\0b', password: 'x' }), refusal('VALIDATION_FAILED'));
});

t.test('an e-mail address has one account, whatever its case', async (t) => {
  const { call } = shared;
  const { as } = await logIn(call);
  const made = await call('auth.createDeveloper', { email: 'Dora@example.com', password: 'a password' }, as);
  t.match(made, { id: /^[0-9a-f-]{36}$/, email: 'Dora@example.com', created_at: /Z$/ });
  t.notOk('password' in made);
  await t.rejects(
    call('auth.createDeveloper', { email: 'dora@EXAMPLE.com', password: 'a password' }, as),
    refusal('EMAIL_TAKEN'),
  );
  const emails = (await call('auth.listDevelopers', {}, as)).map(({ email }) => email);
  t.same(
    emails.filter((email) => /^dora@/i.test(email)),
    ['Dora@example.com'],
  );
});

t.test('tokens of a deleted developer are invalid at once; their API keys stay', async (t) => {
  const { call, database } = shared;
  const { as } = await logIn(call);
  const eve = { email: 'eve@example.com', password: 'the password of somebody' };
  await insertDeveloper(database, eve);
  const theirs = await logIn(call, eve);
  const id = theirs.as.meta.caller.developer_id ?? '';
  const key = await call('auth.createKey', { name: 'stays' }, theirs.as);

  t.match(await call('auth.removeDeveloper', { developer_id: id }, as), { id, email: eve.email });
  t.equal((await call('auth.admit', { token: theirs.tokens.access_token })).caller, null);
  const { refresh_token } = theirs.tokens;
  await t.rejects(call('auth.refresh', { refresh_token }), refusal('UNAUTHENTICATED'));
  await t.rejects(call('auth.login', eve), refusal('UNAUTHENTICATED'));
  t.match(await call('auth.listKeys', {}, as), [{ id: key.id, created_by: id }]);
  await t.rejects(call('auth.removeDeveloper', { developer_id: id }, as), refusal('DEVELOPER_NOT_FOUND'));
});

t.test('of two developers who delete each other at once, one remains', async (t) => {
  const { call, database } = await startAuth(t);
  // More than one round: in the first, connections to the database are still being made, one after the other.
  for (let round = 0; round < 10; round += 1) {
    await database.query("insert into auth.developer (email, password) values ($1, 'none')", [`bob${round}`]);
    const both = await call('auth.listDevelopers', {});
    t.equal(both.length, 2);
    const removals = [...both, ...both].map(({ id }) => call('auth.removeDeveloper', { developer_id: id }));
    const { values, types } = outcomes(await Promise.allSettled(removals));
    t.equal(values.length, 1);
    t.same(new Set(types), new Set(['LAST_DEVELOPER', 'DEVELOPER_NOT_FOUND']));
    t.equal((await call('auth.listDevelopers', {})).length, 1);
  }
});
