import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ServiceBroker } from 'moleculer';
import { z } from 'zod';
import type { Config } from '../../config.ts';
import { createBroker } from '../../runtime/broker.ts';
import { commandLine } from '../machine/processes.ts';
import { checkServers } from '../machine/reachable.ts';
import { StartError } from '../machine/start-error.ts';
import { resolveDataDir } from '../machine/unprivileged.ts';

/** The file that start.ts writes. */
const Running = z.object({ pid: z.int(), natsUrl: z.string().nullable() });

/**
 * A broker of a command that calls the services which run: on the bus of NATS_URL, or of what runs with this data folder. It has no
 * service, and is not started. @throws StartError with a sentence if there is no bus to join
 */
export async function brokerOnBus(config: Config, command: string): Promise<ServiceBroker> {
  const natsUrl = config.NATS_URL ?? runningBus(resolveDataDir(config.DATA_DIR), command);
  await checkServers({ ...config, DATABASE_URL: undefined, NATS_URL: natsUrl });
  return createBroker({
    config: { ...config, NATS_URL: natsUrl, LOG_LEVEL: 'warn', METRICS_PORT: undefined },
    nodeID: `${command}-${process.pid}`,
  });
}

/** The bus of the process that runs with this data folder. */
function runningBus(dataDir: string, command: string): string {
  const running = readRunning(join(dataDir, 'run.json'));
  if (running === null) throw new StartError('Nothing runs here to join: run `npm start` first.');
  if (running.natsUrl === null)
    throw new StartError(`What runs has its bus in process, so \`${command}\` cannot join it: set NATS_URL.`);
  return running.natsUrl;
}

function readRunning(file: string): z.infer<typeof Running> | null {
  try {
    const running = Running.parse(JSON.parse(readFileSync(file, 'utf8')));
    return commandLine(running.pid) === null ? null : running;
  } catch {
    return null;
  }
}
