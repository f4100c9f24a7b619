import { parseDatabaseUrl, withCredentials } from '../../domain/database-url.ts';
import { superuserPassword } from '../database/database-roles.ts';
import { StartError } from '../machine/start-error.ts';
import { defaultStackDir, serverAccount } from '../machine/unprivileged.ts';
import { debianPrograms } from '../packages/debian-packages.ts';
import { startStandby } from '../servers/standby-server.ts';
import { keepSynchronous } from '../servers/synchronous-standby.ts';
import type { Prepared } from './prepare.ts';
import type { Started } from './started.ts';

/** Starts a standby of our own server. Returns what was prepared, with both hosts in its URL, and the standby for reads. */
export async function withStandby(
  prepared: Prepared,
  started: Started,
  say: (line: string) => void,
): Promise<Prepared> {
  const { config, stack } = prepared;
  const { dataDir, databaseUrl: primaryUrl } = stack;
  const programs = await debianPrograms({ stackDir: config.STACK_DIR ?? defaultStackDir(), log: say }).catch(
    (error) => {
      throw new StartError('--standby needs the PostgreSQL of Debian packages.', { cause: error });
    },
  );
  const options = {
    dataDir,
    programs,
    account: serverAccount(),
    ephemeral: false,
    createsDatabases: false,
    log: say,
  };
  const standby = await startStandby(options, primaryUrl);
  started(standby.stop);
  void standby.endedByItself.then(say);
  const databaseUrl = bothHosts(primaryUrl, standby.databaseUrl);
  started(keepSynchronous(withCredentials(databaseUrl, 'postgres', superuserPassword(dataDir)), say));
  return {
    ...prepared,
    stack: { ...stack, databaseUrl },
    config: { ...config, DATABASE_URL: databaseUrl, DATABASE_READ_URL: standby.databaseUrl },
  };
}

/** What the operator does when our own primary ended beside a standby. */
export const promotionNote = 'Writes are refused until `npm run promote` makes the standby the primary.';

/** One URL that leads to the primary of two servers. */
export function bothHosts(first: string, second: string): string {
  const { host } = new URL(first);
  const [both = first] = [first.replace(`@${host}/`, `@${host},${new URL(second).host}/`)];
  if (parseDatabaseUrl(both)?.servers.length !== 2) throw new Error('two hosts are expected');
  return `${both}?target_session_attrs=read-write`;
}
