import { createRequire } from 'node:module';
import { argumentsOf } from './arguments.ts';
import { type Command, UsageError } from './command.ts';
import { clientOf } from './commands/login.ts';
import { commands } from './commands.ts';
import { credentialsOf } from './credentials.ts';
import { exitCodeOf, sentenceOf } from './failure.ts';
import { commandHelp, programHelp } from './help.ts';
import { processOutput } from './output.ts';

// The program `pulsebus`. Exit codes: 0, 1 for a failure, 2 for wrong usage, 130 for Ctrl-C.
const interrupted = 130;
const output = processOutput();
const ended = new AbortController();

process.exitCode = await main(process.argv.slice(2));

async function main(given: readonly string[]): Promise<number> {
  watchProcess();
  try {
    return await run(given);
  } catch (error) {
    if (ended.signal.aborted) return interrupted;
    output.note(sentenceOf(error));
    return exitCodeOf(error);
  }
}

async function run([name, ...rest]: readonly string[]): Promise<number> {
  if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
    const asked = commands.find((one) => one.name === rest[0]);
    output.line(asked === undefined ? programHelp(commands) : commandHelp(asked));
    return name === undefined ? 2 : 0;
  }
  if (name === '--version') output.line(version());
  else await runCommand(commandOf(name), rest);
  return 0;
}

async function runCommand(command: Command, rest: readonly string[]): Promise<void> {
  const { args, values } = argumentsOf(command, rest);
  if (values.flag('help')) return output.line(commandHelp(command));
  const client = () => clientOf(credentialsOf());
  try {
    await command.run({ args, values, output, signal: ended.signal, credentials: credentialsOf, client });
  } catch (error) {
    if (!(ended.signal.aborted && command.endsBySignal)) throw error;
  }
}

function commandOf(name: string): Command {
  const found = commands.find((command) => command.name === name);
  if (found === undefined)
    throw new UsageError(`There is no command ${JSON.stringify(name)}. \`pulsebus --help\` lists them.`);
  return found;
}

function version(): string {
  const { version } = createRequire(import.meta.url)('@pulsebus/client/package.json');
  return String(version);
}

/** The first Ctrl-C ends requests, a second one the process. A reader that closes the pipe has read enough. */
function watchProcess(): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => {
      ended.abort();
      process.once(signal, () => process.exit(interrupted));
    });
  for (const stream of [process.stdout, process.stderr])
    stream.on('error', (error) => process.exit('code' in error && error.code === 'EPIPE' ? 0 : 1));
}
