import { existsSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { loadConfig } from '../../config.ts';
import auth from '../../services/auth/auth.service.ts';
import { firstAccount, removeOnceUsed, unusedLogin } from '../../stack/database/first-account.ts';
import { startBroker } from '../support/servers/broker.ts';
import { freshDatabase } from '../support/servers/database.ts';
import { until } from '../support/until.ts';

t.test('a generated password stays in the data folder until the first log-in only', async (t) => {
  const database = await freshDatabase(t);
  const folder = t.testdir();
  const file = join(folder, 'first-login.json');
  const { email, isShownByCommand } = await firstAccount(database.url, loadConfig({}), folder);
  t.equal(isShownByCommand, true);
  const login = await unusedLogin(database, folder);
  t.equal(login?.email, email);
  t.teardown(removeOnceUsed(database.url, folder, 20));
  const { call } = await startBroker(t, { databaseUrl: database.url, services: [auth] });
  await t.rejects(call('auth.login', { email, password: 'a wrong one' }));
  t.equal(existsSync(file), true, 'a wrong password is no use');
  await call('auth.login', { email, password: login?.password ?? '' });
  await until(async () => !existsSync(file));
});
