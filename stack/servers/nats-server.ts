import { randomBytes } from 'node:crypto';
import { chownSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { fullRole } from '../../runtime/bus/permissions.ts';
import { ownPort } from '../machine/ports.ts';
import { commandLine, signal, waitUntil } from '../machine/processes.ts';
import { type Account, serverFolder } from '../machine/unprivileged.ts';
import { keepRunning, type Restarts, type RunningServer } from './keep-running.ts';
import { usersConfiguration } from './nats-users.ts';
import { startServer } from './server-process.ts';

// NATS on 127.0.0.1 with generated passwords, without JetStream: durable work is in the database.

/** The folder of the servers' configuration, and how to run them. */
export interface NatsOptions extends BusChoice {
  dataDir: string;
  program: string;
  account: Account;
  /** See keepRunning. Without any, a server that ends by itself stays ended. */
  restartPausesMs?: readonly number[];
  log(line: string): void;
}

/** How many servers form the bus, and its users beside `pulsebus`. */
export interface BusChoice {
  /** Default 1. Several are a cluster: each has a connection to the others. */
  readonly servers?: number;
  /** The passwords of roles. A role has the permissions of its services in the namespace. */
  readonly roles?: ReadonlyMap<string, string>;
  /** Needed where there are roles. */
  readonly namespace?: string;
}

/** Servers that answer. */
export interface NatsServers {
  /** The URLs of all, comma-separated. */
  natsUrl: string;
  /** See RunningServer; of each server. */
  endedByItself: readonly Promise<string>[];
  stop(): Promise<void>;
}

interface NatsServer extends RunningServer {
  readonly port: number;
}

/** What all servers of a bus have in common. */
interface Bus {
  readonly users: string;
  /** The ports for the connections between servers; none of a single server. */
  readonly routePorts: readonly number[];
  readonly routePassword: string;
}

/** A server of a bus, and its folder. */
interface Place {
  readonly name: string;
  readonly folder: string;
  readonly bus: Bus;
}

const READY_TIMEOUT_MS = 15_000;
const STARTS = 3;

/** Starts NATS. @throws Error with the last lines of its log. */
export async function startNats(options: NatsOptions): Promise<NatsServers> {
  const password = randomBytes(24).toString('hex');
  const names = Array.from({ length: options.servers ?? 1 }, (_, index) =>
    index === 0 ? 'nats' : `nats-${index + 1}`,
  );
  const routePorts: number[] = [];
  if (names.length > 1)
    for (const name of names) routePorts.push(await ownPort(options.dataDir, `${name}-routes`));
  const bus = {
    users: usersOf(options, password),
    routePorts,
    routePassword: randomBytes(24).toString('hex'),
  };
  const servers: NatsServer[] = [];
  const stop = async () => void (await Promise.all(servers.splice(0).map((server) => server.stop())));
  try {
    for (const name of names) servers.push(await startNamed(name, bus, options));
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    natsUrl: servers.map(({ port }) => `nats://${fullRole}:${password}@127.0.0.1:${port}`).join(','),
    endedByItself: servers.map(({ endedByItself }) => endedByItself),
    stop,
  };
}

function usersOf({ roles = new Map(), namespace = '' }: BusChoice, password: string): string {
  if (roles.size === 0) return `authorization { user: "${fullRole}", password: "${password}" }`;
  const users = [[fullRole, password], ...roles].map(([role = '', own]) => ({ role, password: `"${own}"` }));
  return usersConfiguration(users, namespace);
}

async function startNamed(name: string, bus: Bus, options: NatsOptions): Promise<NatsServer> {
  const folder = serverFolder(join(options.dataDir, name), options.account);
  await endLeftover(folder);
  for (let attempt = 1; ; attempt++) {
    const port = await ownPort(options.dataDir, name);
    const started = await startOn(port, { name, folder, bus }, options);
    if (started !== null)
      return { port, ...keepRunning(started, restartsOf(port, { name, folder, bus }, options)) };
    if (attempt === STARTS) throw notStarted(name, options);
  }
}

function restartsOf(port: number, place: Place, options: NatsOptions): Restarts {
  const { restartPausesMs: pausesMs = [], log } = options;
  const start = async () => {
    await endLeftover(place.folder);
    const started = await startOn(port, place, options);
    if (started === null) throw notStarted(place.name, options);
    return started;
  };
  return { pausesMs, start, log };
}

const notStarted = (name: string, { dataDir }: NatsOptions) =>
  new Error(`NATS did not start. Its log is ${dataDir}/${name}.log.`);

async function startOn(
  port: number,
  { name, folder, bus }: Place,
  options: NatsOptions,
): Promise<RunningServer | null> {
  const greeting = `pulsebus-${randomBytes(8).toString('hex')}`;
  const conf = join(folder, 'nats.conf');
  const routePort = bus.routePorts[name === 'nats' ? 0 : Number(name.slice('nats-'.length)) - 1];
  const values = { port, greeting, pidFile: join(folder, 'nats.pid') };
  writeFileSync(conf, configuration(values, bus, routePort), { mode: 0o600 });
  if (options.account !== null) chownSync(conf, options.account.uid, options.account.gid);
  const server = startServer({
    name: 'NATS',
    command: [options.program, '-c', conf],
    stopSignal: 'TERM',
    logFile: join(options.dataDir, `${name}.log`),
    account: options.account,
    log: options.log,
  });
  const answered = await waitUntil(
    async () => server.hasEnded() || (await answersAs(greeting, port)),
    READY_TIMEOUT_MS,
  );
  if (answered && !server.hasEnded()) return server;
  await server.stop();
  return null;
}

function configuration(
  { port, greeting, pidFile }: { readonly port: number; readonly greeting: string; readonly pidFile: string },
  { users, routePorts, routePassword }: Bus,
  routePort: number | undefined,
): string {
  const others = routePorts.filter((other) => other !== routePort);
  const routes = others.map((other) => `"nats-route://routes:${routePassword}@127.0.0.1:${other}"`);
  return `host: "127.0.0.1"
port: ${port}
server_name: "${greeting}"
pid_file: "${pidFile}"
max_payload: 8MB
${users}
${
  routePort === undefined
    ? ''
    : `cluster {
  name: "pulsebus"
  listen: "127.0.0.1:${routePort}"
  no_advertise: true
  authorization { user: "routes", password: "${routePassword}", timeout: 2 }
  routes: [${routes.join(', ')}]
}
`
}`;
}

/** NATS greets each connection with its name. The generated name identifies this server. */
function answersAs(name: string, port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = connect(port, '127.0.0.1');
  socket.once('data', (greeting) => resolve(greeting.includes(name)));
  socket.once('error', () => resolve(false));
  socket.once('close', () => resolve(false));
  return promise.finally(() => socket.destroy());
}

async function endLeftover(folder: string): Promise<void> {
  const file = join(folder, 'nats.pid');
  const pid = existsSync(file) ? Number(readFileSync(file, 'utf8')) : 0;
  const isOurs = () => pid > 0 && (commandLine(pid)?.includes(join(folder, 'nats.conf')) ?? false);
  if (isOurs()) {
    signal(pid, 'SIGTERM');
    await waitUntil(() => !isOurs(), READY_TIMEOUT_MS);
  }
  rmSync(file, { force: true });
}
