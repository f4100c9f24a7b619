import t from 'tap';
import { isError } from '../../../domain/errors.ts';
import auth from '../../../services/auth/auth.service.ts';
import {
  ensureFirstDeveloper,
  isUnused,
  type Login,
  resetPassword,
} from '../../../services/auth/work/operator-accounts.ts';
import { createPasswords } from '../../../services/auth/work/passwords.ts';
import { refusal } from '../../support/refusal.ts';
import { startBroker } from '../../support/servers/broker.ts';
import { freshDatabase } from '../../support/servers/database.ts';

const unset = { ADMIN_EMAIL: undefined, ADMIN_PASSWORD: undefined };

const database = await freshDatabase(t);
const { call } = await startBroker(t, { databaseUrl: database.url, services: [auth] });

t.beforeEach(() => database.query('truncate auth.developer, auth.audit_entry cascade'));

t.test('of two processes that start at once, one generates the password that logs in', async (t) => {
  const both = await Promise.all([
    ensureFirstDeveloper(database, unset),
    ensureFirstDeveloper(database, unset),
  ]);
  const passwords = both.flatMap(({ password }) => (password === null ? [] : [password]));
  t.equal(passwords.length, 1);
  const [{ email }] = both;
  t.equal((await call('auth.login', { email, password: passwords[0] ?? '' })).token_type, 'bearer');
  t.equal((await call('auth.listDevelopers', {})).length, 1);
  const later = await ensureFirstDeveloper(database, unset);
  t.same(later, { email, password: null, isSettingIgnored: false }, 'a later start makes none');
});

t.test('ADMIN_PASSWORD sets the password of the first account and never changes one', async (t) => {
  const admin = (password: string) => ({ ADMIN_EMAIL: 'Ops@example.com', ADMIN_PASSWORD: password });
  const email = 'ops@EXAMPLE.com';
  const made = await ensureFirstDeveloper(database, admin('the first password'));
  t.same(made, { email: 'Ops@example.com', password: null, isSettingIgnored: false });
  const { access_token } = await call('auth.login', { email, password: 'the first password' });
  const { caller } = await call('auth.admit', { token: access_token });
  const change = { current_password: 'the first password', new_password: 'one that its owner chose' };
  await call('auth.changePassword', change, { meta: { caller } });

  const ignored = await ensureFirstDeveloper(database, admin('the first password'));
  t.same(ignored, { email: 'Ops@example.com', password: null, isSettingIgnored: true });
  await t.rejects(call('auth.login', { email, password: 'the first password' }), refusal('UNAUTHENTICATED'));
  t.equal((await call('auth.login', { email, password: 'one that its owner chose' })).token_type, 'bearer');
  t.ok((await call('auth.admit', { token: access_token })).caller, 'sessions stay');
  t.match(await ensureFirstDeveloper(database, admin('one that its owner chose')), {
    isSettingIgnored: false,
  });
  const other = { ADMIN_EMAIL: 'second@example.com', ADMIN_PASSWORD: 'the first password' };
  t.match(await ensureFirstDeveloper(database, other), { email: 'Ops@example.com', isSettingIgnored: true });
  t.equal((await call('auth.listDevelopers', {})).length, 1);
});

t.test('a generated password counts as unused until a log-in with it', async (t) => {
  const kept: Login[] = [];
  const { email, password } = await ensureFirstDeveloper(database, unset, (login) => kept.push(login));
  const login = { email, password: password ?? '' };
  t.same(kept, [login]);
  t.equal(await isUnused(database, login), true);
  t.equal(await isUnused(database, { email, password: 'another password' }), false);
  t.equal(await isUnused(database, { email: 'nobody@example.com', password: login.password }), false);
  await call('auth.login', login);
  t.equal(await isUnused(database, login), false);
});

t.test('a reset gives a new password, ends the sessions, and is in the audit trail', async (t) => {
  const admin = { ADMIN_EMAIL: 'ops@example.com', ADMIN_PASSWORD: 'the first password' };
  const { email } = await ensureFirstDeveloper(database, admin);
  const before = await call('auth.login', { email, password: admin.ADMIN_PASSWORD });
  t.equal(await resetPassword(database, 'nobody@example.com'), null);
  const login = await resetPassword(database, 'OPS@example.com');
  t.equal((await call('auth.admit', { token: before.access_token })).caller, null);
  await t.rejects(call('auth.login', { email, password: admin.ADMIN_PASSWORD }), refusal('UNAUTHENTICATED'));
  t.equal((await call('auth.login', { email, password: login?.password ?? '' })).token_type, 'bearer');
  const entries = "select actor from auth.audit_entry where action = 'developer.password_changed'";
  t.same(await database.query(entries), [{ actor: 'system:reset-password' }]);
});

t.test('a configured password that is easy to guess stops the start with a sentence', async (t) => {
  const start = (ADMIN_PASSWORD: string) =>
    ensureFirstDeveloper(database, { ADMIN_EMAIL: 'ops@example.com', ADMIN_PASSWORD });
  for (const weak of ['aaaaaaaaaa', 'password123', 'ops of the night'])
    await t.rejects(start(weak), { name: 'ConfigError', message: /ADMIN_PASSWORD: must not / }, weak);
  t.same(await database.query('select from auth.developer'), []);
  const hash = await createPasswords().hash('password123');
  await database.query("insert into auth.developer (email, password) values ('ops@example.com', $1)", [hash]);
  t.match(await start('password123'), { password: null }, 'one that is set already stays');
});

t.test('a password is generated for the configured e-mail address', async (t) => {
  const { email, password } = await ensureFirstDeveloper(database, {
    ...unset,
    ADMIN_EMAIL: 'me@example.com',
  });
  t.equal(email, 'me@example.com');
  t.match(password, /^[\w-]{20}$/);
});

t.test('the service does not start without JWT_SECRET', async (t) => {
  const starting = startBroker(t, {
    databaseUrl: database.url,
    services: [auth],
    settings: { JWT_SECRET: '' },
  });
  await t.rejects(starting, /JWT_SECRET is not set/);
  t.notOk(isError(await starting.catch((error: unknown) => error), 'INTERNAL'));
});
