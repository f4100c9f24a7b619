import t from 'tap';
import { isError } from '../../../domain/errors.ts';
import auth from '../../../services/auth/auth.service.ts';
import { ensureFirstDeveloper } from '../../../services/auth/first-developer.ts';
import { createPasswords } from '../../../services/auth/passwords.ts';
import { startBroker } from '../../support/broker.ts';
import { freshDatabase } from '../../support/database.ts';
import { refusal } from '../../support/refusal.ts';

const unset = { ADMIN_EMAIL: undefined, ADMIN_PASSWORD: undefined };

t.test('of two processes that start at once, one generates the password that logs in', async (t) => {
  const database = await freshDatabase(t);
  const both = await Promise.all([
    ensureFirstDeveloper(database, unset),
    ensureFirstDeveloper(database, unset),
  ]);
  const passwords = both.flatMap(({ password }) => (password === null ? [] : [password]));
  t.equal(passwords.length, 1);
  const [{ email }] = both;
  const { call } = await startBroker(t, { databaseUrl: database.url, services: [auth] });
  t.equal((await call('auth.login', { email, password: passwords[0] ?? '' })).token_type, 'bearer');
  t.equal((await call('auth.listDevelopers', {})).length, 1);
  t.same(await ensureFirstDeveloper(database, unset), { email, password: null }, 'a later start makes none');
});

t.test('the configured account is made, and follows its configured password', async (t) => {
  const database = await freshDatabase(t);
  const admin = (password: string) => ({ ADMIN_EMAIL: 'Ops@example.com', ADMIN_PASSWORD: password });
  const { call } = await startBroker(t, { databaseUrl: database.url, services: [auth] });
  const logIn = (password: string) => call('auth.login', { email: 'ops@EXAMPLE.com', password });

  const made = await ensureFirstDeveloper(database, admin('the first password'));
  t.same(made, { email: 'Ops@example.com', password: null });
  const { access_token, refresh_token } = await logIn('the first password');

  await ensureFirstDeveloper(database, admin('the first password'));
  t.ok((await call('auth.admit', { token: access_token })).caller, 'the same password changes nothing');

  await ensureFirstDeveloper(database, admin('another password'));
  await t.rejects(logIn('the first password'), refusal('UNAUTHENTICATED'));
  t.equal((await logIn('another password')).token_type, 'bearer');
  t.equal((await call('auth.admit', { token: access_token })).caller, null, 'its sessions ended');
  await t.rejects(call('auth.refresh', { refresh_token }), refusal('UNAUTHENTICATED'));
  t.equal((await call('auth.listDevelopers', {})).length, 1);
});

t.test('a configured password that is easy to guess stops the start with a sentence', async (t) => {
  const database = await freshDatabase(t);
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
  const database = await freshDatabase(t);
  const { email, password } = await ensureFirstDeveloper(database, {
    ...unset,
    ADMIN_EMAIL: 'me@example.com',
  });
  t.equal(email, 'me@example.com');
  t.match(password, /^[\w-]{20}$/);
});

t.test('without a secret to sign with, the service does not start', async (t) => {
  const database = await freshDatabase(t);
  const starting = startBroker(t, {
    databaseUrl: database.url,
    services: [auth],
    settings: { JWT_SECRET: '' },
  });
  await t.rejects(starting, /JWT_SECRET is not set/);
  t.notOk(isError(await starting.catch((error: unknown) => error), 'INTERNAL'));
});
