import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { withClient } from '../database/create-database.ts';
import { superuserPassword } from '../database/database-roles.ts';
import { readPorts } from '../machine/ports.ts';
import { StartError } from '../machine/start-error.ts';
import { standbyName } from './synchronous-standby.ts';

/** Promotes the standby of a data folder. @throws StartError if the primary answers, or may have had newer data */
export async function promote(dataDir: string, isForced = false): Promise<void> {
  const ports = readPorts(join(dataDir, 'ports.json'));
  const urlOf = (name: string) =>
    `postgres://postgres:${superuserPassword(dataDir)}@127.0.0.1:${ports[name] ?? 1}/postgres`;
  const isPrimaryUp = await withClient(urlOf('postgres'), async () => true).catch(() => false);
  if (isPrimaryUp) throw new StartError('The primary answers. Two primaries would diverge: stop it first.');
  if (!isForced && !wasSynchronous(dataDir))
    throw new StartError(
      'Commits did not wait for the standby when the primary ended: answered writes may be missing. `npm run promote -- --force` promotes it all the same.',
    );
  await withClient(urlOf('standby'), async (client) => {
    const { rows } = await client.query<{ done: boolean }>('select pg_promote(true, 60) as done');
    if (rows[0]?.done !== true)
      throw new StartError('The standby was not promoted within a minute: see standby.log.');
  }).catch((error: unknown) => {
    if (error instanceof StartError) throw error;
    throw new StartError('The standby does not answer, or is the primary already.', { cause: error });
  });
}

// The primary's own settings say whether its commits waited.
function wasSynchronous(dataDir: string): boolean {
  const settings = readFileSync(join(dataDir, 'postgres/postgresql.auto.conf'), 'utf8');
  return settings.includes(`synchronous_standby_names = '${standbyName}'`);
}
