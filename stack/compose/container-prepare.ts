import { ConfigError, loadConfig } from '../../config.ts';
import { migrateUp } from '../../migrations/migrate.ts';
import { databaseWarnings } from '../database/database-warnings.ts';
import { firstAccount, settingIgnored } from '../database/first-account.ts';
import { grantRights, rightsWarnings } from '../database/grant-rights.ts';
import { leftOut } from '../machine/left-out.ts';
import { misspeltSettings } from '../machine/misspelt-settings.ts';
import { checkServers } from '../machine/reachable.ts';
import { messageForOperator } from '../machine/start-error.ts';

const patienceMs = 60_000;

/** Runs before the first service of a compose installation: migrates the database and creates the first account. */
async function prepare(): Promise<string> {
  const config = loadConfig();
  for (const line of [...misspeltSettings(process.env), ...leftOut]) console.warn(`Warning: ${line}`);
  if (config.DATABASE_URL === undefined) throw new ConfigError(['DATABASE_URL: must be set']);
  await checkServers({ DATABASE_URL: config.DATABASE_URL }, patienceMs);
  for (const line of await databaseWarnings(config.DATABASE_URL)) console.warn(`Warning: ${line}`);
  const names = await migrateUp(config.DATABASE_URL);
  for (const line of rightsWarnings(await grantRights(config.DATABASE_URL))) console.warn(`Warning: ${line}`);
  const { email, isSettingIgnored } = await firstAccount(config.DATABASE_URL, config, null);
  if (isSettingIgnored) console.warn(settingIgnored);
  return `migrated: ${names.length === 0 ? 'nothing to do' : names.join(', ')}; log in as ${email}`;
}

try {
  console.log(await prepare());
} catch (error) {
  console.error(messageForOperator(error) ?? error);
  process.exitCode = 1;
}
