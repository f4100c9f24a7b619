// `npm run repl`: a Moleculer console on the bus of what `npm start` runs. Try: deliveries, call users.list, help
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { loadConfig } from '../../config.ts';
import { createBroker } from '../../runtime/broker.ts';
import { callAs, typedCall } from '../../runtime/environment.ts';
import { commandLine } from '../machine/processes.ts';
import { checkServers } from '../machine/reachable.ts';
import { messageForOperator } from '../machine/start-error.ts';
import { resolveDataDir } from '../machine/unprivileged.ts';
import { serviceNames } from '../processes/services.ts';
import { type Command, commands, sentenceOf } from './repl-commands.ts';

/** The file that start.ts writes. */
const Running = z.object({ pid: z.int(), natsUrl: z.string().nullable() });

const discoveryMs = 2000;

const config = loadConfig();
const natsUrl = config.NATS_URL ?? runningBus(resolveDataDir(config.DATA_DIR));
await checkServers({ ...config, DATABASE_URL: undefined, NATS_URL: natsUrl }).catch((error: unknown) =>
  giveUp(messageForOperator(error) ?? String(error)),
);
const broker = createBroker({
  config: { ...config, NATS_URL: natsUrl, LOG_LEVEL: 'warn', METRICS_PORT: undefined },
  nodeID: `repl-${process.pid}`,
});
const running = new Set<Promise<void>>();
// The end of a piped input ends the console after pending commands are answered.
broker.middlewares.add({ name: 'answers', stopping: async () => void (await Promise.all(running)) });
broker.options.replOptions = { customCommands: commands.map(customCommand) };
await broker.start();
await broker.waitForServices([...serviceNames], discoveryMs).catch(() => undefined); // continues with the services that are there
broker.repl();

function customCommand({ command, description, run }: Command) {
  return {
    command,
    description,
    async action(_broker: unknown, given: unknown) {
      const answer = run(callAs(typedCall(broker), 'system:repl'), given)
        .catch((error: unknown) => [sentenceOf(error)])
        .then((lines) => console.log(lines.join('\n')))
        .finally(() => running.delete(answer));
      running.add(answer);
      await answer;
    },
  };
}

/** The bus of the process that runs with this data folder. Exits with a sentence if there is none. */
function runningBus(dataDir: string): string {
  const running = readRunning(join(dataDir, 'run.json'));
  if (running === null) return giveUp('Nothing runs here to join: run `npm start` first.');
  return (
    running.natsUrl ?? giveUp('What runs has its bus in process, so no console can join it: set NATS_URL.')
  );
}

function readRunning(file: string): z.infer<typeof Running> | null {
  try {
    const running = Running.parse(JSON.parse(readFileSync(file, 'utf8')));
    return commandLine(running.pid) === null ? null : running;
  } catch {
    return null;
  }
}

function giveUp(sentence: string): never {
  console.error(sentence);
  process.exit(1);
}
