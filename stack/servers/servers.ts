// Chooses a database and a bus, and explains the choice in a sentence.
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hasTimescale } from '../database/create-database.ts';
import { type Account, defaultStackDir, serverAccount } from '../machine/unprivileged.ts';
import { debianPrograms, type Programs } from '../packages/debian-packages.ts';
import { embeddedPrograms } from '../packages/embedded.ts';
import { defaultRestartPausesMs } from './keep-running.ts';
import { startNats } from './nats-server.ts';
import { startPostgres } from './postgres-server.ts';
import type { Servers } from './running.ts';
import type { StackOptions, Stop } from './stack-options.ts';

/** Parameters of a start. */
interface Start {
  options: StackOptions;
  dataDir: string;
  account: Account;
  stops: Stop[];
}

/** Starts servers that are not given by URL. Registers in `stops` how to stop them. */
export async function startServers(options: StackOptions, dataDir: string, stops: Stop[]): Promise<Servers> {
  const start = { options, dataDir, account: serverAccount(), stops };
  const { databaseUrl, natsUrl } = options;
  if (databaseUrl !== undefined && natsUrl !== undefined)
    return describe(databaseUrl, natsUrl, 'DATABASE_URL and NATS_URL as given.');
  const { programs, sentence } = await findPrograms(start);
  const bus = natsUrl ?? (await startBus(programs, start));
  const database = databaseUrl ?? (await startDatabase(programs, start));
  return describe(database, bus, `${givenOf(options)}${sentence}`);
}

async function describe(databaseUrl: string, natsUrl: string | null, choice: string): Promise<Servers> {
  return { databaseUrl, natsUrl, timescale: await hasTimescale(databaseUrl), choice };
}

function givenOf(options: StackOptions): string {
  if (options.databaseUrl !== undefined) return 'DATABASE_URL as given; the rest: ';
  return options.natsUrl === undefined ? '' : 'NATS_URL as given; the rest: ';
}

async function findPrograms(start: Start): Promise<{ programs: Programs; sentence: string }> {
  const stackDir = start.options.stackDir ?? defaultStackDir();
  try {
    const programs = await debianPrograms({ ...start.options, stackDir });
    const sentence = `PostgreSQL 17 with TimescaleDB, and NATS, from Debian packages unpacked in ${stackDir}.`;
    return { programs, sentence };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    if (existsSync(timescaleMark(start)))
      throw new Error(
        `the data in ${start.dataDir} needs TimescaleDB, and its packages cannot be used: ${why}`,
      );
    const sentence = `PostgreSQL 17 from npm, without TimescaleDB, and the bus in process: the Debian packages cannot be used here (${why}).`;
    return { programs: await embeddedPrograms(stackDir, start.account), sentence };
  }
}

async function startBus(programs: Programs, start: Start): Promise<string | null> {
  const { natsServer } = programs;
  if (natsServer === null) return null;
  const { log, bus = {}, restartPausesMs = defaultRestartPausesMs } = start.options;
  const servers = await startNats({ ...start, ...bus, restartPausesMs, program: natsServer, log });
  start.stops.push(servers.stop);
  // The bus goes on with the rest of several servers.
  const isSingle = servers.endedByItself.length === 1;
  for (const endedByItself of servers.endedByItself)
    if (isSingle) watch({ endedByItself }, start);
    else void endedByItself.then(log);
  return servers.natsUrl;
}

async function startDatabase(programs: Programs, start: Start): Promise<string> {
  const { log, ephemeral = false, createsDatabases = ephemeral } = start.options;
  const { hasStandby = false, restartPausesMs: pausesMs = defaultRestartPausesMs } = start.options;
  // Its standby may have been promoted meanwhile.
  const restartPausesMs = hasStandby ? [] : pausesMs;
  if (programs.timescale) writeFileSync(timescaleMark(start), '');
  const server = await startPostgres({
    ...start,
    programs,
    ephemeral,
    createsDatabases,
    restartPausesMs,
    log,
  });
  start.stops.push(server.stop);
  watch(server, start);
  return server.databaseUrl;
}

function watch({ endedByItself }: { readonly endedByItself: Promise<string> }, { options }: Start): void {
  void endedByItself.then((sentence) => (options.serverEnded ?? options.log)(sentence));
}

/** Marks data that was made with TimescaleDB: a PostgreSQL without it cannot read the hypertables. */
function timescaleMark(start: Start): string {
  return join(start.dataDir, 'with-timescale');
}
