import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';

const run = promisify(execFile);
const root = join(import.meta.dirname, '..');

/** The files of a commit, to run its processes. */
export interface Checkout {
  readonly folder: string;
  /** The commit, or the folder that was given. */
  readonly name: string;
  /** Removes what was created for it. */
  remove(): Promise<void>;
}

/**
 * A folder with another checkout as it is, or the files of a git revision in a temporary folder, with the packages of this
 * checkout. @throws Error if it is neither
 */
export async function openCheckout(against: string): Promise<Checkout> {
  if (existsSync(join(against, 'package.json')))
    return { folder: resolve(against), name: against, remove: async () => undefined };
  const { stdout: commit } = await git('rev-parse', '--short', '--verify', `${against}^{commit}`);
  const folder = await mkdtemp(join(tmpdir(), 'bench-checkout-'));
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    const archive = join(folder, 'files.tar');
    await git('archive', '--format=tar', `--output=${archive}`, commit.trim());
    await run('tar', ['-xf', archive, '-C', folder]);
    await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  } catch (error) {
    await remove();
    throw error;
  }
  return { folder, name: commit.trim(), remove };
}

function git(...args: string[]) {
  return run('git', ['-C', root, ...args]);
}

const Package = z.object({ scripts: z.object({ start: z.string() }) });

/** The options of V8 with which `npm start` of a checkout runs. */
export function startFlags(folder = root): string[] {
  const { scripts } = Package.parse(JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')));
  return scripts.start.match(/--max-[\w-]+=\d+/g) ?? [];
}
