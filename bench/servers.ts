import { join } from 'node:path';
import { loadConfig } from '../config.ts';
import { type Stack, startStack } from '../stack/servers/stack.ts';

/** Running servers. Omitted ones are started, with data of their own that is kept for the next run. */
export interface GivenServers {
  readonly databaseUrl?: string | undefined;
  readonly natsUrl?: string | undefined;
}

/**
 * The database server and the bus of the bench, in a folder next to the product's data. The settings
 * DATABASE_URL and NATS_URL are ignored, because they may name servers in use.
 */
export function startServers(given: GivenServers, log: (line: string) => void): Promise<Stack> {
  const { DATA_DIR, STACK_DIR, DEBIAN_MIRROR } = process.env;
  const config = loadConfig({ DATA_DIR, STACK_DIR, DEBIAN_MIRROR });
  return startStack({
    dataDir: join(config.DATA_DIR, 'bench'),
    createsDatabases: true,
    log,
    ...(config.STACK_DIR === undefined ? {} : { stackDir: config.STACK_DIR }),
    ...(config.DEBIAN_MIRROR === undefined ? {} : { debianMirror: config.DEBIAN_MIRROR }),
    ...(given.databaseUrl === undefined ? {} : { databaseUrl: given.databaseUrl }),
    ...(given.natsUrl === undefined ? {} : { natsUrl: given.natsUrl }),
  });
}
