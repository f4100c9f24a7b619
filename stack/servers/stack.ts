// PostgreSQL, TimescaleDB and NATS for this machine, from the first available source: servers whose URLs are given,
// unpacked Debian packages, or PostgreSQL from npm with an in-process bus.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { withLock } from '../machine/lock.ts';
import { ownFolder, resolveDataDir } from '../machine/unprivileged.ts';
import { findRunning, type Servers, writeRunning } from './running.ts';
import { startServers } from './servers.ts';
import type { StackOptions, Stop } from './stack-options.ts';

/** The servers that services use. */
export interface Stack {
  /** postgres://… of the database `pulsebus` on a server that runs. */
  databaseUrl: string;
  /** null: the bus stays in process. */
  natsUrl: string | null;
  /** Whether the extension can be created there. */
  timescale: boolean;
  /** One sentence: the choice, and why earlier sources were not available. */
  choice: string;
  /** The folder in use. It is under /var/tmp if the servers' account cannot reach the configured one. */
  dataDir: string;
  /** Stops only what this call started. */
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

/** A second start of the same checkout shares the servers of the first and does not stop them. */
async function shareOrStart(options: StackOptions, dataDir: string, stops: Stop[]): Promise<Servers> {
  const given = options.databaseUrl !== undefined && options.natsUrl !== undefined;
  const running = given ? null : findRunning(dataDir);
  if (running !== null)
    return { ...running, choice: `The servers of the start that runs already. ${running.choice}` };
  const servers = await startServers(options, dataDir, stops);
  if (!given) stops.push(writeRunning(dataDir, servers));
  return servers;
}
