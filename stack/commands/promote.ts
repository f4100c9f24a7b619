// `npm run promote`: makes the standby of `npm run cluster -- --standby` the primary, after the primary ended.
import { loadConfig } from '../../config.ts';
import { messageForOperator } from '../machine/start-error.ts';
import { resolveDataDir } from '../machine/unprivileged.ts';
import { promote } from '../servers/promotion.ts';

try {
  await promote(resolveDataDir(loadConfig().DATA_DIR), process.argv.includes('--force'));
  console.log('The standby is the primary now. The processes find it by themselves.');
} catch (error) {
  console.error(messageForOperator(error) ?? error);
  process.exitCode = 1;
}
