import cluster, { type Worker } from 'node:cluster';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import type { Config } from '../../config.ts';
import { type Channel, ownWindows, serveWindows } from '../../services/api-gateway/work/windows.ts';
import { freePort } from '../machine/ports.ts';
import type { Lifetime } from '../machine/run-until-signal.ts';
import { StartError } from '../machine/start-error.ts';
import { type Environment, type Member, startMember } from './member.ts';

// Several processes of the same services that share a port, so that one machine uses all its cores. The primary process
// replaces workers that end, and counts for all of them what is limited per address.

const program = join(import.meta.dirname, 'process.ts');
const mostByDefault = 4;
const leastConnections = 4;

/** The number of workers of `npm start`, unless WORKERS is set. */
export const defaultWorkers = Math.min(availableParallelism(), mostByDefault);

/** What a worker reports when its services run. */
const Ready = z.object({ ready: z.literal(true), url: z.string().nullable() });

/** Parameters of starting workers. */
export interface WorkersChoice {
  readonly config: Config;
  /** Settings of the workers beside those of this process. */
  readonly environment: Environment;
  readonly started: Lifetime['started'];
  say(line: string): void;
}

/**
 * Starts WORKERS processes, each with all services that SERVICES names. One that ends is replaced. Returns the address of
 * their gateway, null without one. @throws StartError if a worker ends while it starts
 */
export async function startWorkers({
  config,
  environment,
  started,
  say,
}: WorkersChoice): Promise<string | null> {
  const port = config.PORT === 0 ? await freePort(config.HOST) : config.PORT;
  cluster.setupPrimary({ exec: program, args: [], stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const windows = ownWindows(config);
  const starts = Array.from({ length: config.WORKERS }, (_, index) => {
    const first = Promise.withResolvers<string | null>();
    const launch = ({ environment }: Member) => {
      const worker = cluster.fork(environment);
      serveWindows(channelTo(worker), windows);
      worker.on('message', (message) => {
        const { success, data } = Ready.safeParse(message);
        if (success) first.resolve(data.url);
      });
      worker.once('exit', () => first.reject(new StartError('A worker process ended while it started.')));
      return worker.process;
    };
    const member = {
      title: `worker.${index + 1}`,
      environment: { ...environment, PORT: String(port), ...shareOf(config, index) },
    };
    return { stop: startMember(member, say, launch), first: first.promise };
  });
  started(() => Promise.all(starts.map(({ stop }) => stop())));
  const [url = null] = await Promise.all(starts.map(({ first }) => first));
  return url;
}

/** In a worker: reports to the primary that the services run. */
export function reportReady(url: string | null): void {
  process.send?.({ ready: true, url } satisfies z.input<typeof Ready>);
}

/** The settings of one worker: what the settings bound per process is divided among all. */
export function shareOf(config: Config, index: number): Environment {
  const { WORKERS, METRICS_PORT } = config;
  const share = (total: number) => Math.ceil(total / WORKERS);
  return {
    WORKERS: '1',
    DATABASE_POOL: String(
      Math.max(Math.min(leastConnections, config.DATABASE_POOL), share(config.DATABASE_POOL)),
    ),
    WEBHOOK_MEMORY_MIB: String(share(config.WEBHOOK_MEMORY_MIB)),
    MAX_CONNECTIONS: String(share(config.MAX_CONNECTIONS)),
    ...(METRICS_PORT === undefined || METRICS_PORT === 0
      ? {}
      : { METRICS_PORT: String(METRICS_PORT + index) }),
  };
}

function channelTo(worker: Worker): Channel {
  return {
    send(message) {
      if (worker.isConnected()) worker.send(message);
    },
    onMessage: (listener) => void worker.on('message', listener),
    onDisconnect: (listener) => void worker.once('disconnect', listener),
  };
}
