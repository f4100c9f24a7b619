// PostgreSQL, TimescaleDB and NATS for this machine, the first way that applies: servers whose URLs are given,
// else unpacked Debian packages, else PostgreSQL from npm with the bus in process.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { withLock } from './lock.ts';
import { findRunning, type Servers, writeRunning } from './running.ts';
import { startServers } from './servers.ts';
import type { StackOptions, Stop } from './stack-options.ts';
import { ownFolder, resolveDataDir } from './unprivileged.ts';

/** What services need to know about the servers below them. */
export interface Stack {
  /** postgres://… of the database `pulsebus` on a server that runs. */
  databaseUrl: string;
  /** null: the bus stays in process. */
  natsUrl: string | null;
  /** Whether the extension can be created there. */
  timescale: boolean;
  /** One sentence: what was chosen, and why earlier ways were not. */
  choice: string;
  /** The folder in use; may lie under /var/tmp where the wanted one is out of the servers' reach. */
  dataDir: string;
  /** Ends only what this call started. */
  stop(): Promise<void>;
}

/** Starts what is not given by URL. @throws Error when no way leads to a database. */
export async function startStack(options: StackOptions): Promise<Stack> {
  const dataDir = ownFolder(resolveDataDir(options.dataDir));
  const stops: Stop[] = [];
  const stop = async () => {
    for (const end of stops.splice(0).reverse()) await end();
  };
  if (options.ephemeral) stops.push(async () => rmSync(dataDir, { recursive: true, force: true }));
  try {
    const servers = await withLock(join(dataDir, 'start.lock'), () => shareOrStart(options, dataDir, stops));
    return { ...servers, dataDir, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** A second start of the same checkout shares the servers of the first, and leaves them alone when it stops. */
async function shareOrStart(options: StackOptions, dataDir: string, stops: Stop[]): Promise<Servers> {
  const given = options.databaseUrl !== undefined && options.natsUrl !== undefined;
  const running = given ? null : findRunning(dataDir);
  if (running !== null)
    return { ...running, choice: `The servers of the start that runs already. ${running.choice}` };
  const servers = await startServers(options, dataDir, stops);
  if (!given) stops.push(writeRunning(dataDir, servers));
  return servers;
}
