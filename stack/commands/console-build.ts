import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, globSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { withLock } from '../machine/lock.ts';

const root = join(import.meta.dirname, '../..');
const sources = [
  'console/**/*.{ts,tsx,css,html,svg,json}',
  'clients/typescript/src/**/*.ts',
  'domain/{access,audit}.ts',
  'domain/provider/monogram.ts',
];
const program = join(import.meta.dirname, 'build-console.ts');

/** Where the built pages are, and the hash of the source that they were built from. */
export const consoleFolder = join(root, 'console/dist');
const stamp = join(consoleFolder, 'source-hash');

/** The hash of all that the pages are built from. */
export function consoleSource(): string {
  const hash = createHash('sha256').update(readFileSync(join(root, 'package-lock.json')));
  const files = globSync(sources, { cwd: root, exclude: ['console/dist/**', 'console/.dist*/**'] });
  for (const file of files.sort()) hash.update(file).update(readFileSync(join(root, file)));
  return hash.digest('hex');
}

/**
 * Builds the pages of the console if their source changed. Processes that start together wait for one build. A failure is
 * printed; everything else works without the pages.
 */
export async function buildConsole(say: (line: string) => void): Promise<void> {
  try {
    if (!isBuilt()) await withLock(join(root, 'node_modules/.pulsebus-console.lock'), () => buildOnce(say));
  } catch (error) {
    say(`Warning: the console was not built. ${error instanceof Error ? error.message : error}`);
  }
}

const isBuilt = () => existsSync(stamp) && readFileSync(stamp, 'utf8') === consoleSource();

async function buildOnce(say: (line: string) => void): Promise<void> {
  if (isBuilt()) return;
  mkdirSync(consoleFolder, { recursive: true }); // fails at once in a folder that cannot be written
  say('Building the console');
  const began = Date.now();
  const child = spawn(process.execPath, [program], { cwd: root, stdio: ['ignore', 'ignore', 'pipe'] });
  const [problem, [code]] = await Promise.all([text(child.stderr), once(child, 'close')]);
  if (code !== 0) throw new Error(problem.trim().split('\n').slice(0, 3).join(' '));
  say(`Console built in ${Math.round((Date.now() - began) / 1000)} s`);
}
