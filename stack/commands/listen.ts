// `npm run listen`: prints the webhook messages that the sandbox's receiver gets, and forwards them to a local address.
import { loadConfig } from '../../config.ts';
import { listen } from '../listen/listen.ts';
import { listenOptions, UsageError, usage } from '../listen/options.ts';
import { messageForOperator } from '../machine/start-error.ts';
import { resolveDataDir } from '../machine/unprivileged.ts';

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => process.exit(0));
// The reader of a pipe, such as `head`, has ended.
process.stdout.on('error', () => process.exit(0));

try {
  const options = listenOptions(process.argv.slice(2));
  if (options.isHelp) console.log(usage);
  else await listen(options, resolveDataDir(loadConfig().DATA_DIR));
} catch (error) {
  const isUsage = error instanceof UsageError;
  console.error(isUsage ? error.message : (messageForOperator(error) ?? error));
  process.exitCode = isUsage ? 2 : 1;
}
