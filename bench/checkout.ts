import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { loadConfig } from '../config.ts';

/**
 * The commit that figures are compared with. It stays the same: eight comparisons with the commit before allowed 3 % each, and together
 * took a quarter.
 */
export const reference = '9c078abd';

const run = promisify(execFile);
const root = join(import.meta.dirname, '..');

/** The files of a commit, to run its processes. */
export interface Checkout {
  readonly folder: string;
  /** The commit, or the folder that was given. */
  readonly name: string;
}

/**
 * A folder with another checkout as it is, or the files of a git revision with the packages of its own lock file, which are kept
 * beside the data of the bench. @throws Error if it is neither
 */
export async function openCheckout(against: string): Promise<Checkout> {
  if (existsSync(join(against, 'package.json'))) return { folder: resolve(against), name: against };
  const { stdout } = await git('rev-parse', '--short=8', '--verify', `${against}^{commit}`);
  const name = stdout.trim();
  const { DATA_DIR } = loadConfig({ DATA_DIR: process.env.DATA_DIR });
  const folder = resolve(DATA_DIR, 'bench-checkouts', name);
  if (!existsSync(folder)) await install(name, folder);
  return { folder, name };
}

async function install(commit: string, folder: string): Promise<void> {
  const begun = `${folder}.begun`;
  await rm(begun, { recursive: true, force: true });
  await mkdir(begun, { recursive: true });
  const archive = join(begun, 'files.tar');
  await git('archive', '--format=tar', `--output=${archive}`, commit);
  await run('tar', ['-xf', archive, '-C', begun]);
  await rm(archive);
  await run('npm', ['ci', '--include=dev', '--include=optional'], { cwd: begun, maxBuffer: 64 * 1024 ** 2 });
  await rename(begun, folder);
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
