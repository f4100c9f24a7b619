import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { withCredentials } from '../../../domain/database-url.ts';
import { withClient } from '../../../stack/database/create-database.ts';
import { superuserPassword } from '../../../stack/database/database-roles.ts';
import { pidsIn, waitUntil } from '../../../stack/machine/processes.ts';
import { bothHosts } from '../../../stack/processes/cluster-standby.ts';
import { startNats } from '../../../stack/servers/nats-server.ts';
import { startPostgres } from '../../../stack/servers/postgres-server.ts';
import { startStandby } from '../../../stack/servers/standby-server.ts';
import { keepSynchronous } from '../../../stack/servers/synchronous-standby.ts';
import { type Owner, serverFolder } from '../../support/servers/server-folder.ts';

/** A primary, its standby and a bus, as `npm run cluster -- --standby` starts them. */
export interface ReplicatedServers {
  /** Of both database servers. */
  readonly databaseUrl: string;
  /** Of the standby. */
  readonly readUrl: string;
  readonly natsUrl: string;
  readonly dataDir: string;
  killPrimary(): Promise<void>;
  stopStandby(): Promise<void>;
  startStandby(): Promise<void>;
  /** Stops all processes of the standby where they are. */
  pauseStandby(): Promise<void>;
  resumeStandby(): Promise<void>;
  /** The standby replays commits this many seconds late. */
  delayReplay(seconds: number): Promise<void>;
  /** What a commit waits for: that the standby has written it, or also replayed it. */
  setSynchronousCommit(value: 'on' | 'remote_apply'): Promise<void>;
  untilSynchronous(): Promise<void>;
  /** Transactions on the standby so far. */
  standbyTransactions(): Promise<number>;
}

/** Starts the servers in a folder of their own. Unlike other tests' servers they sync to disk. */
export async function startReplicatedServers(owner: Owner): Promise<ReplicatedServers> {
  const { dataDir, log, account, programs, natsServer, remove } = await serverFolder(owner);
  const options = { dataDir, programs, account, ephemeral: false, createsDatabases: false, log };
  const primary = await startPostgres(options);
  let standby = await startStandby(options, primary.databaseUrl);
  const nats = await startNats({ dataDir, program: natsServer, account, log });
  const databaseUrl = bothHosts(primary.databaseUrl, standby.databaseUrl);
  const asSuperuser = (url: string) => withCredentials(url, 'postgres', superuserPassword(dataDir));
  const stopKeeping = keepSynchronous(asSuperuser(databaseUrl), log);
  const standbyFolder = join(dataDir, 'standby');
  const signalAll = (name: NodeJS.Signals) => {
    for (const pid of pidsIn(standbyFolder)) process.kill(pid, name);
  };
  owner.teardown(async () => {
    signalAll('SIGCONT');
    await stopKeeping();
    await nats.stop();
    await standby.stop();
    await primary.stop();
    remove();
  });
  return {
    ...{ databaseUrl, readUrl: standby.databaseUrl, natsUrl: nats.natsUrl, dataDir },
    async killPrimary() {
      const [pid = ''] = readFileSync(join(dataDir, 'postgres/postmaster.pid'), 'utf8').split('\n');
      const all = pidsIn(join(dataDir, 'postgres'));
      process.kill(Number(pid), 'SIGKILL');
      for (const one of all) if (one !== Number(pid)) process.kill(one, 'SIGKILL');
    },
    stopStandby: () => standby.stop(),
    async startStandby() {
      standby = await startStandby(options, primary.databaseUrl);
    },
    pauseStandby: async () => signalAll('SIGSTOP'),
    resumeStandby: async () => signalAll('SIGCONT'),
    delayReplay: (seconds) =>
      withClient(asSuperuser(standby.databaseUrl), async (client) => {
        await client.query(`alter system set recovery_min_apply_delay = '${seconds}s'`);
        await client.query('select pg_reload_conf()');
      }),
    setSynchronousCommit: (value) =>
      withClient(asSuperuser(databaseUrl), async (client) => {
        await client.query(`alter system set synchronous_commit = ${value}`);
        await client.query('select pg_reload_conf()');
      }),
    async untilSynchronous() {
      const synced = () =>
        withClient(asSuperuser(databaseUrl), async (client) => {
          const { rowCount } = await client.query(
            "select from pg_stat_replication where sync_state = 'sync'",
          );
          return rowCount === 1;
        });
      if (!(await waitUntil(synced, 60_000))) throw new Error('the standby is not synchronous');
    },
    standbyTransactions: () =>
      withClient(asSuperuser(standby.databaseUrl), async (client) => {
        const { rows } = await client.query<{ n: number }>(
          "select xact_commit::float8 as n from pg_stat_database where datname = 'pulsebus'",
        );
        return rows[0]?.n ?? 0;
      }),
  };
}
