// `npm run -s stack -- psql -c 'select 1'`: runs a program of PostgreSQL on the database of DATA_DIR, as its superuser.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { delimiter } from 'node:path';
import { loadConfig } from '../../config.ts';
import { withCredentials } from '../../domain/database-url.ts';
import { errorCodeOf } from '../../domain/error-code.ts';
import { superuserPassword } from '../database/database-roles.ts';
import { withServer } from '../database/own-database.ts';
import { messageForOperator, StartError } from '../machine/start-error.ts';
import { defaultStackDir } from '../machine/unprivileged.ts';
import { debianPrograms } from '../packages/debian-packages.ts';

const [program, ...args] = process.argv.slice(2);
const config = loadConfig();

try {
  if (program === undefined)
    throw new StartError('Name a program: npm run -s stack -- psql, pg_dump, pg_restore …');
  process.exitCode = await withServer(async (url, dataDir) =>
    run(
      program,
      config.DATABASE_URL === undefined ? withCredentials(url, 'postgres', superuserPassword(dataDir)) : url,
    ),
  );
} catch (error) {
  console.error(messageForOperator(error) ?? error);
  process.exitCode = 1;
}

/** Runs a program that finds the server by its environment. Returns its exit code. */
async function run(program: string, url: string): Promise<number> {
  const stackDir = config.STACK_DIR ?? defaultStackDir();
  const { postgresBin } = await debianPrograms({ stackDir, log: (line) => console.error(line) });
  const { hostname, port, username, password, pathname } = new URL(url);
  const child = spawn(program, args, {
    stdio: 'inherit',
    // npm changes to the folder of the project; files are named from where the command was typed
    cwd: process.env.INIT_CWD ?? process.cwd(),
    env: {
      ...process.env,
      PATH: [postgresBin, process.env.PATH].join(delimiter),
      PGHOST: hostname,
      PGPORT: port || '5432',
      PGUSER: decodeURIComponent(username),
      PGPASSWORD: decodeURIComponent(password),
      PGDATABASE: decodeURIComponent(pathname.slice(1)),
    },
  });
  const [code] = await once(child, 'close').catch((error: unknown) => {
    if (errorCodeOf(error) === 'ENOENT')
      throw new StartError(`There is no program ${program} in ${postgresBin}.`);
    throw error;
  });
  return typeof code === 'number' ? code : 1;
}
