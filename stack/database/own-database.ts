import { loadConfig } from '../../config.ts';
import type { Database } from '../../mixins/database/database.ts';
import { checkServers } from '../machine/reachable.ts';
import { messageForOperator, startErrorOf } from '../machine/start-error.ts';
import { resolveDataDir } from '../machine/unprivileged.ts';
import { takeDataDir } from '../servers/data-dir.ts';
import { findRunning } from '../servers/running.ts';
import { startStack } from '../servers/stack.ts';
import { withPool } from './first-account.ts';

/** A command that works on the database: it prints what it returns. */
type Command = (database: Database, dataDir: string) => Promise<string>;

/**
 * Runs a command on the database of DATABASE_URL, otherwise on that of a process that runs with DATA_DIR, otherwise on
 * servers that are started for the command. Exits 1 with a sentence if it fails.
 */
export async function runOnDatabase(command: Command): Promise<void> {
  try {
    console.log(await onDatabase(command));
  } catch (error) {
    console.error(messageForOperator(error) ?? error);
    process.exitCode = 1;
  }
}

function onDatabase(command: Command): Promise<string> {
  return withServer((url, dataDir) => withPool(url, (database) => command(database, dataDir)));
}

/** Works with the server that `runOnDatabase` names; it is stopped afterwards where it was started for the work. */
export async function withServer<T>(work: (url: string, dataDir: string) => Promise<T>): Promise<T> {
  const config = loadConfig();
  const path = resolveDataDir(config.DATA_DIR);
  const url = config.DATABASE_URL ?? findRunning(path)?.databaseUrl;
  if (url === undefined) return startingServers(config.DATA_DIR, config.STACK_DIR, work);
  await checkServers({ DATABASE_URL: url, NATS_URL: undefined });
  return work(url, path);
}

async function startingServers<T>(
  wanted: string,
  stackDir: string | undefined,
  work: (url: string, dataDir: string) => Promise<T>,
): Promise<T> {
  const dataDir = takeDataDir(wanted, 0);
  try {
    const options = { dataDir: dataDir.path, log: (line: string) => console.error(line) };
    const stack = await startStack(stackDir === undefined ? options : { ...options, stackDir });
    try {
      return await work(stack.databaseUrl, dataDir.path);
    } finally {
      await stack.stop();
    }
  } catch (error) {
    throw startErrorOf(error, dataDir.path);
  } finally {
    await dataDir.release();
  }
}
