// `npm run webhook-addresses`: prints the secret addresses to register at the providers, of the product that runs here.
import { loadConfig } from '../../config.ts';
import { findRun } from '../listen/running-receiver.ts';
import { resolveDataDir } from '../machine/unprivileged.ts';

const run = findRun(resolveDataDir(loadConfig().DATA_DIR));
if (typeof run === 'string') {
  console.error(
    run === 'none' ? 'Nothing runs here: run `npm start` first.' : 'It is starting. Try again in a moment.',
  );
  process.exitCode = 1;
} else console.log(run.webhooks.join('\n'));
