// A streaming standby of the PostgreSQL of `npm run cluster -- --standby`, in a folder of its own beside the primary's.
import { existsSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type pg from 'pg';
import { withCredentials } from '../../domain/database-url.ts';
import { withClient } from '../database/create-database.ts';
import { keptPassword, superuserPassword } from '../database/database-roles.ts';
import { run } from '../machine/processes.ts';
import { serverFolder } from '../machine/unprivileged.ts';
import { type PostgresOptions, startFolder, writeForServer } from './postgres-server.ts';
import { standbyName } from './synchronous-standby.ts';

/** A standby that streams. */
export interface StandbyServer {
  /** As the role of the primary's URL. */
  readonly databaseUrl: string;
  readonly endedByItself: Promise<string>;
  stop(): Promise<void>;
}

const replicationRole = 'pulsebus_replication';

/**
 * Starts the standby of the server at `primaryUrl`, copied first where it is not there.
 * @throws Error with the log's last lines, or if it cannot follow its primary
 */
export async function startStandby(options: PostgresOptions, primaryUrl: string): Promise<StandbyServer> {
  const { dataDir, log } = options;
  const data = join(dataDir, 'standby');
  const password = keptPassword(join(dataDir, 'replication-password'));
  const superuserUrl = withCredentials(primaryUrl, 'postgres', superuserPassword(dataDir));
  await withClient(superuserUrl, (client) => ensureReplication(client, password));
  const { hostname, port } = new URL(primaryUrl);
  if (!existsSync(data)) {
    log('Copying the database for the standby');
    await copy(data, { hostname, port, password }, options);
  }
  const { server, port: own } = await startFolder('standby', options, {
    primary_conninfo: `host=${hostname} port=${port} user=${replicationRole} password=${password} application_name=${standbyName}`,
    primary_slot_name: standbyName,
    // The primary keeps rows that statements on the standby still read.
    hot_standby_feedback: 'on',
  });
  if (!(await withClient(superuserUrl, streams))) {
    await server.stop();
    throw new Error(
      `the standby does not follow its primary: see ${data}.log, or remove ${data} to copy it anew`,
    );
  }
  const url = new URL(primaryUrl);
  url.port = String(own);
  return { databaseUrl: url.href, endedByItself: server.endedByItself, stop: () => server.stop() };
}

async function ensureReplication(client: pg.Client, password: string): Promise<void> {
  const found = await client.query('select from pg_roles where rolname = $1', [replicationRole]);
  const verb = found.rowCount === 0 ? 'create' : 'alter';
  await client.query(`${verb} role ${replicationRole} login replication password '${password}'`);
  await client.query(
    `select pg_create_physical_replication_slot($1, true)
     where not exists (select from pg_replication_slots where slot_name = $1)`,
    [standbyName],
  );
}

/** Copied under a temporary name and renamed, so that a killed start leaves nothing that looks like data. */
async function copy(
  data: string,
  { hostname, port, password }: { hostname: string; port: string; password: string },
  { programs, account }: PostgresOptions,
): Promise<void> {
  const work = `${data}.new`;
  rmSync(work, { recursive: true, force: true });
  serverFolder(work, account);
  const made = join(work, 'data');
  const connection = ['-h', hostname, '-p', port, '-U', replicationRole, '-w'];
  await run(
    join(programs.postgresBin, 'pg_basebackup'),
    [...connection, '-D', made, '-X', 'stream', '-S', standbyName, '-c', 'fast', '--no-sync'],
    { cwd: '/', env: { PATH: process.env.PATH, LC_ALL: 'C', PGPASSWORD: password }, ...account },
  );
  writeForServer(join(made, 'standby.signal'), '', account);
  renameSync(made, data);
  rmSync(work, { recursive: true });
}

const streamsWithinMs = 60_000;

async function streams(client: pg.Client): Promise<boolean> {
  const deadline = performance.now() + streamsWithinMs;
  for (;;) {
    const { rowCount } = await client.query(
      "select from pg_stat_replication where application_name = $1 and state = 'streaming'",
      [standbyName],
    );
    if (rowCount !== 0) return true;
    if (performance.now() > deadline) return false;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
