import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { z } from 'zod';
import type { Config } from '../../config.ts';
import { type Database, databaseOf } from '../../mixins/database/database.ts';
import { connectionChoice } from '../../runtime/database/database-client.ts';
import {
  ensureFirstDeveloper,
  type FirstDeveloper,
  isUnused,
  isUnvisited,
  type Login,
} from '../../services/auth/work/operator-accounts.ts';
import { writePrivate } from './secrets.ts';

const KeptLogin = z.object({ email: z.string(), password: z.string() });
const fileIn = (dataDir: string) => join(dataDir, 'first-login.json');

/** The text if ADMIN_PASSWORD has no effect. */
export const settingIgnored =
  'ADMIN_PASSWORD is not the password of ADMIN_EMAIL: it counts only while there is no account.';

/** The account to log in with, and whether `npm run admin-password` shows its password. */
export interface FirstAccount extends FirstDeveloper {
  readonly isShownByCommand: boolean;
}

/** Ensures that an account exists. A generated password is kept in the data folder until it is used. */
export function firstAccount(
  databaseUrl: string,
  config: Config,
  dataDir: string | null,
): Promise<FirstAccount> {
  return withPool(databaseUrl, async (database) => {
    const keep = (login: Login) => dataDir !== null && writePrivate(fileIn(dataDir), JSON.stringify(login));
    const first = await ensureFirstDeveloper(database, config, keep);
    const kept = dataDir === null ? null : await unusedLogin(database, dataDir);
    return { ...first, isShownByCommand: kept !== null };
  });
}

/** The generated login of a data folder while it is unused. A used one is removed from the folder. */
export async function unusedLogin(database: Database, dataDir: string): Promise<Login | null> {
  const login = keptLogin(dataDir);
  if (login === null) return null;
  if (await isUnused(database, login)) return login;
  rmSync(fileIn(dataDir), { force: true });
  return null;
}

const lookEveryMs = 5000;

/** Removes the generated login from a data folder as soon as it is used. Returns what ends the look-outs. */
export function removeOnceUsed(databaseUrl: string, dataDir: string, everyMs = lookEveryMs): () => void {
  const look = async () => {
    const login = keptLogin(dataDir);
    const isOver = login === null || !(await withPool(databaseUrl, (on) => isUnvisited(on, login.email)));
    if (!isOver) return;
    clearInterval(timer);
    rmSync(fileIn(dataDir), { force: true });
  };
  // A database that is away is asked again.
  const timer = setInterval(() => void look().catch(() => undefined), everyMs);
  timer.unref();
  return () => clearInterval(timer);
}

/** Runs `work` on a database with one connection. */
export async function withPool<T>(databaseUrl: string, work: (database: Database) => Promise<T>): Promise<T> {
  const pool = new pg.Pool({ ...connectionChoice(databaseUrl), max: 1 });
  // Without a listener, the error of an idle connection that a stopping server ends would end this process.
  pool.on('error', () => undefined);
  try {
    return await work(databaseOf(pool));
  } finally {
    await pool.end();
  }
}

function keptLogin(dataDir: string): Login | null {
  const file = fileIn(dataDir);
  return existsSync(file) ? KeptLogin.parse(JSON.parse(readFileSync(file, 'utf8'))) : null;
}
