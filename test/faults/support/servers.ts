import { once } from 'node:events';
import { appendFileSync, mkdirSync, readFileSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import type { Test } from 'tap';
import { freePort } from '../../../stack/machine/ports.ts';
import { run } from '../../../stack/machine/processes.ts';
import { startNats } from '../../../stack/servers/nats-server.ts';
import { startPostgres } from '../../../stack/servers/postgres-server.ts';
import { startServer } from '../../../stack/servers/server-process.ts';
import { serverFolder } from '../../support/servers/server-folder.ts';

/** A database server and a bus of a test's own, which it may stop and start. */
export interface OwnServers {
  readonly databaseUrl: string;
  /** Of the server's superuser. */
  readonly superUrl: string;
  readonly natsUrl: string;
  stopNats(): Promise<void>;
  startNats(): Promise<void>;
  /** Restarts NATS with its monitoring port; returns its URL. */
  watchNats(): Promise<string>;
  restartPostgres(): Promise<void>;
  /** A small file system for the database server; null if this machine does not permit mounting one. */
  smallDisk(mebibytes: number): Promise<SmallDisk | null>;
}

/** A file system of a fixed size. */
interface SmallDisk {
  readonly folder: string;
  grow(mebibytes: number): Promise<void>;
}

/** Starts PostgreSQL and NATS from the unpacked packages. */
export async function startOwnServers(t: Test): Promise<OwnServers> {
  const { work, dataDir, log, account, programs, natsServer: program, remove } = await serverFolder(t);
  const options = { dataDir, programs, account, ephemeral: true, createsDatabases: true, log };
  let postgres = await startPostgres(options);
  const first = await startNats({ dataDir, program, account, log });
  let stopNats = first.stop;
  const mounts: string[] = [];
  t.teardown(async () => {
    await stopNats();
    await postgres.stop();
    for (const folder of mounts) await run('umount', [folder]);
    remove();
  });
  const superUrl = new URL(postgres.databaseUrl);
  superUrl.username = 'postgres';
  superUrl.password = readFileSync(join(dataDir, 'superuser-password'), 'utf8');
  const conf = join(dataDir, 'nats/nats.conf');
  const begin = () => {
    const command = [program, '-c', conf];
    const logFile = join(dataDir, 'nats.log');
    const server = startServer({ name: 'NATS', command, stopSignal: 'TERM', logFile, account, log });
    stopNats = () => server.stop();
  };
  return {
    databaseUrl: postgres.databaseUrl,
    superUrl: superUrl.href,
    natsUrl: first.natsUrl,
    stopNats: () => stopNats(),
    // With the configuration that is there: the password in the URL stays the same.
    async startNats() {
      begin();
    },
    async watchNats() {
      await stopNats();
      const port = await freePort();
      appendFileSync(conf, `http: "127.0.0.1:${port}"\n`);
      begin();
      return `http://127.0.0.1:${port}`;
    },
    async restartPostgres() {
      await postgres.stop();
      postgres = await startPostgres(options);
    },
    async smallDisk(mebibytes) {
      const folder = join(work, 'small');
      mkdirSync(folder);
      const owner = account === null ? '' : `,uid=${account.uid},gid=${account.gid}`;
      try {
        await run('mount', ['-t', 'tmpfs', '-o', `size=${mebibytes}m,mode=0700${owner}`, 'tmpfs', folder]);
      } catch {
        return null;
      }
      mounts.push(folder);
      return {
        folder,
        grow: async (size) => void (await run('mount', ['-o', `remount,size=${size}m`, folder])),
      };
    },
  };
}

/** A way to a server through which each packet takes a while. */
export interface SlowWay {
  readonly url: string;
  delayMs: number;
}

/** Puts a proxy before a server. */
export async function slowWay(t: Test, to: string): Promise<SlowWay> {
  const target = new URL(to);
  const way = { url: '', delayMs: 0 };
  const sockets = new Set<Socket>();
  const pass = (from: Socket, into: Socket) => {
    sockets.add(from);
    from.on('data', (chunk: Buffer) => {
      if (way.delayMs === 0) into.write(chunk);
      else setTimeout(() => into.write(chunk), way.delayMs);
    });
    from.on('error', () => into.destroy());
    from.on('close', () => {
      sockets.delete(from);
      into.destroy();
    });
  };
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    pass(client, upstream);
    pass(upstream, client);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the proxy does not listen');
  const url = new URL(to);
  url.port = String(address.port);
  way.url = url.href;
  t.teardown(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return way;
}
