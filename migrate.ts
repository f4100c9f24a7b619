import { ConfigError, loadConfig } from './config.ts';
import { migrateDown, migrateUp } from './migrations/migrate.ts';

// `npm run migrate` brings the database of DATABASE_URL to the newest version; `npm run migrate -- down` takes the
// newest migration back.
try {
  const { DATABASE_URL } = loadConfig();
  if (DATABASE_URL === undefined) throw new ConfigError(['DATABASE_URL: must be set']);
  const names = process.argv[2] === 'down' ? await migrateDown(DATABASE_URL) : await migrateUp(DATABASE_URL);
  console.log(names.length === 0 ? 'Nothing to do.' : names.join('\n'));
} catch (error) {
  console.error(error instanceof ConfigError ? error.message : error);
  process.exitCode = 1;
}
