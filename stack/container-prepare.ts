import { loadConfig } from '../config.ts';
import { migrateUp } from '../migrations/migrate.ts';
import { firstAccount } from './first-account.ts';

/** What comes before the first service of a composed set-up: the tables of this version, and somebody who can log in. */
const config = loadConfig();
if (config.DATABASE_URL === undefined) throw new Error('DATABASE_URL is not set');
const names = await migrateUp(config.DATABASE_URL);
const { email } = await firstAccount(config.DATABASE_URL, config);
console.log(`migrated: ${names.length === 0 ? 'nothing to do' : names.join(', ')}; log in as ${email}`);
