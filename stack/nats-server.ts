// NATS on 127.0.0.1 with a generated password, without JetStream: durable work is in the database.
import { randomBytes } from 'node:crypto';
import { chownSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { ownPort } from './ports.ts';
import { commandLine, signal, waitUntil } from './processes.ts';
import { startServer } from './server-process.ts';
import { type Account, serverFolder } from './unprivileged.ts';

/** The folder of the server's configuration, and how to run it. */
export interface NatsOptions {
  dataDir: string;
  program: string;
  account: Account;
  log(line: string): void;
}

/** A server that answers. */
export interface NatsServer {
  natsUrl: string;
  /** See ServerProcess. */
  endedByItself: Promise<string>;
  stop(): Promise<void>;
}

const READY_TIMEOUT_MS = 15_000;
const STARTS = 3;

/** Starts NATS. @throws Error with the last lines of its log. */
export async function startNats(options: NatsOptions): Promise<NatsServer> {
  const folder = serverFolder(join(options.dataDir, 'nats'), options.account);
  await endLeftover(folder);
  for (let attempt = 1; ; attempt++) {
    const port = await ownPort(options.dataDir, 'nats');
    const started = await startOn(port, folder, options);
    if (started !== null) return started;
    if (attempt === STARTS) throw new Error(`NATS did not start; its log is ${options.dataDir}/nats.log`);
  }
}

async function startOn(port: number, folder: string, options: NatsOptions): Promise<NatsServer | null> {
  const name = `pulsebus-${randomBytes(8).toString('hex')}`;
  const password = randomBytes(24).toString('hex');
  const conf = join(folder, 'nats.conf');
  writeFileSync(conf, configuration({ port, name, password, pidFile: join(folder, 'nats.pid') }), {
    mode: 0o600,
  });
  if (options.account !== null) chownSync(conf, options.account.uid, options.account.gid);
  const server = startServer({
    name: 'NATS',
    command: [options.program, '-c', conf],
    stopSignal: 'TERM',
    logFile: join(options.dataDir, 'nats.log'),
    account: options.account,
    log: options.log,
  });
  const answered = await waitUntil(
    async () => server.hasEnded() || (await answersAs(name, port)),
    READY_TIMEOUT_MS,
  );
  const { endedByItself } = server;
  if (answered && !server.hasEnded())
    return {
      natsUrl: `nats://pulsebus:${password}@127.0.0.1:${port}`,
      endedByItself,
      stop: () => server.stop(),
    };
  await server.stop();
  return null;
}

function configuration(values: { port: number; name: string; password: string; pidFile: string }): string {
  return `host: "127.0.0.1"
port: ${values.port}
server_name: "${values.name}"
pid_file: "${values.pidFile}"
authorization { user: "pulsebus", password: "${values.password}" }
`;
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
