// PostgreSQL in a folder of this checkout, on 127.0.0.1, with a password, because other users of the machine must not
// read health data. Services connect as `pulsebus`, which owns its databases and is no superuser.
import { chownSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createDatabase } from '../database/create-database.ts';
import { applicationPassword, ensureRoles, superuserPassword } from '../database/database-roles.ts';
import { ownPort } from '../machine/ports.ts';
import { commandLine, exists, pidsIn, run, signal, waitUntil } from '../machine/processes.ts';
import { type Account, serverFolder } from '../machine/unprivileged.ts';
import type { Programs } from '../packages/debian-packages.ts';
import { keepRunning, type RunningServer } from './keep-running.ts';
import { postgresqlConf } from './postgres-settings.ts';
import { type ServerProcess, startServer } from './server-process.ts';

/** Where the server keeps its data, and how it is to run. */
export interface PostgresOptions {
  dataDir: string;
  programs: Programs;
  account: Account;
  ephemeral: boolean;
  /** Whether the application's role may make databases: for tests and the bench. */
  createsDatabases: boolean;
  /** See keepRunning. Without any, a server that ends by itself stays ended. */
  restartPausesMs?: readonly number[];
  log(line: string): void;
}

/** A server that answers. */
export interface PostgresServer extends RunningServer {
  readonly databaseUrl: string;
}

const READY_TIMEOUT_MS = 120_000; // recovery after a kill -9 may have gigabytes of WAL to read
const STARTS = 3; // another process may take the port between the check and the server's start

/** Starts the server of a data folder, made first where it is not there. @throws Error with the log's last lines. */
export async function startPostgres(options: PostgresOptions): Promise<PostgresServer> {
  const data = join(options.dataDir, 'postgres');
  usePromoted(options, data);
  if (!existsSync(data)) await initialise(data, superuserPassword(options.dataDir), options);
  const { server, port } = await startFolder('postgres', options);
  return finish(server, port, options);
}

/**
 * Starts the server of an existing folder in DATA_DIR and keeps it running. `standby`: the settings that lead to its
 * primary.
 */
export async function startFolder(
  name: 'postgres' | 'standby',
  options: PostgresOptions,
  standby?: Readonly<Record<string, string>>,
): Promise<{ readonly server: RunningServer; readonly port: number }> {
  const { dataDir, restartPausesMs: pausesMs = [], log } = options;
  const { server, port } = await startOnPort(() => ownPort(dataDir, name), name, options, standby);
  const start = async () => (await startOnPort(async () => port, name, options, standby)).server;
  return { server: keepRunning(server, { pausesMs, start, log }), port };
}

async function startOnPort(
  choosePort: () => Promise<number>,
  name: string,
  options: PostgresOptions,
  standby?: Readonly<Record<string, string>>,
): Promise<{ readonly server: ServerProcess; readonly port: number }> {
  const data = join(options.dataDir, name);
  await endLeftover(data);
  for (let attempt = 1; ; attempt++) {
    const port = await choosePort();
    const server = startOn(port, name, options, standby);
    if (await waitUntil(() => server.hasEnded() || isReady(data), READY_TIMEOUT_MS)) {
      if (!server.hasEnded()) return { server, port };
    }
    const said = server.lastLines();
    await server.stop();
    if (attempt === STARTS) throw new Error(`PostgreSQL did not start:\n${said}`);
  }
}

// After a promotion the former standby has the data. The former primary's folder is kept aside, never started.
function usePromoted({ dataDir, log }: PostgresOptions, data: string): void {
  const standby = join(dataDir, 'standby');
  if (!existsSync(standby) || existsSync(join(standby, 'standby.signal'))) return;
  log(
    'The standby was promoted: its data is used from now on. DATA_DIR/postgres.former has the data of the former primary.',
  );
  const former = `${data}.former`;
  if (existsSync(data)) {
    rmSync(former, { recursive: true, force: true });
    renameSync(data, former);
  }
  renameSync(standby, data);
}

async function finish(
  server: RunningServer,
  port: number,
  options: PostgresOptions,
): Promise<PostgresServer> {
  const { dataDir, createsDatabases } = options;
  const urlOf = (user: string, password: string, database: string) =>
    `postgres://${user}:${password}@127.0.0.1:${port}/${database}`;
  try {
    const superuser = await ensureRoles(dataDir, urlOf, { createsDatabases });
    await createDatabase(superuser, 'pulsebus', 'pulsebus');
    const databaseUrl = urlOf('pulsebus', applicationPassword(dataDir), 'pulsebus');
    return { databaseUrl, endedByItself: server.endedByItself, stop: () => server.stop() };
  } catch (error) {
    await server.stop();
    throw error;
  }
}

/** Created under a temporary name and renamed, so that a killed start leaves nothing that looks like data. */
async function initialise(data: string, password: string, options: PostgresOptions): Promise<void> {
  options.log('Making a new PostgreSQL data folder');
  const work = `${data}.new`;
  rmSync(work, { recursive: true, force: true });
  serverFolder(work, options.account);
  const passwordFile = join(work, 'password');
  writeForServer(passwordFile, password, options.account);
  const made = join(work, 'data');
  await run(
    join(options.programs.postgresBin, 'initdb'),
    ['-D', made, '-U', 'postgres', `--pwfile=${passwordFile}`, ...INITDB],
    { cwd: '/', env: { PATH: process.env.PATH, LC_ALL: 'C' }, ...options.account },
  );
  renameSync(made, data);
  rmSync(work, { recursive: true });
}

const INITDB = [
  '-E',
  'UTF8',
  '--no-locale',
  '--locale-provider=builtin',
  '--builtin-locale=C.UTF-8',
  '--auth=scram-sha-256',
  '--no-sync',
  '--no-instructions',
];

/** Writes a file that only the server's account can read. */
export function writeForServer(file: string, text: string, account: Account): void {
  writeFileSync(file, text, { mode: 0o600 });
  if (account !== null) chownSync(file, account.uid, account.gid);
}

function startOn(
  port: number,
  name: string,
  options: PostgresOptions,
  standby?: Readonly<Record<string, string>>,
): ServerProcess {
  const { programs, account, ephemeral, dataDir, log } = options;
  const data = join(dataDir, name);
  const traits = { port, timescale: programs.timescale, lz4: programs.lz4, ephemeral };
  const conf = postgresqlConf(standby === undefined ? traits : { ...traits, standby });
  writeForServer(join(data, 'postgresql.conf'), conf, account);
  return startServer({
    name: 'PostgreSQL',
    command: [join(programs.postgresBin, 'postgres'), '-D', data],
    stopSignal: 'INT',
    logFile: join(dataDir, `${name}.log`),
    account,
    log,
  });
}

/** Reads the server's pid file: a connection to the port might reach another server. */
function isReady(data: string): boolean {
  return readPidFile(data)?.[7]?.trim() === 'ready' && runningPid(data) !== null;
}

function readPidFile(data: string): string[] | null {
  try {
    return readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n');
  } catch {
    return null;
  }
}

/** The pid of the server of this data folder, if one runs. */
function runningPid(data: string): number | null {
  const pid = Number(readPidFile(data)?.[0]);
  return pid > 0 && (commandLine(pid)?.includes(`-D ${data}`) ?? false) ? pid : null;
}

/** Stops a server of an earlier start, and removes a pid file that PostgreSQL would take for a running server's. */
async function endLeftover(data: string): Promise<void> {
  const lines = readPidFile(data);
  if (lines === null) return; // the usual case: it was stopped cleanly
  const running = runningPid(data);
  if (running !== null) signal(running, 'SIGINT');
  // backends may outlive a server that was killed; a second one beside them would destroy the data
  const ended = () => runningPid(data) === null && pidsIn(data).length === 0;
  if (!(await waitUntil(ended, READY_TIMEOUT_MS)))
    throw new Error(`PostgreSQL of an earlier start does not end: pids ${pidsIn(data).join(', ')}`);
  // the number may belong to another process, or to a zombie
  if (exists(Number(lines[0]))) rmSync(join(data, 'postmaster.pid'), { force: true });
}
