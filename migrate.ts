import { ConfigError, loadConfig } from './config.ts';
import { migrateDown, migrateUp } from './migrations/migrate.ts';
import { grantRights, rightsWarnings } from './stack/database/grant-rights.ts';
import { checkServers } from './stack/machine/reachable.ts';
import { messageForOperator } from './stack/machine/start-error.ts';

// `npm run migrate` brings the database of DATABASE_URL to the newest version; `npm run migrate -- down` takes the
// newest migration back. After it the roles of the services, where they exist, get their rights.
try {
  const { DATABASE_URL } = loadConfig();
  if (DATABASE_URL === undefined) throw new ConfigError(['DATABASE_URL: must be set']);
  await checkServers({ DATABASE_URL });
  const names = process.argv[2] === 'down' ? await migrateDown(DATABASE_URL) : await migrateUp(DATABASE_URL);
  const warnings = process.argv[2] === 'down' ? [] : rightsWarnings(await grantRights(DATABASE_URL));
  for (const line of warnings) console.warn(`Warning: ${line}`);
  console.log(names.length === 0 ? 'Nothing to do.' : names.join('\n'));
} catch (error) {
  console.error(messageForOperator(error) ?? error);
  process.exitCode = 1;
}
