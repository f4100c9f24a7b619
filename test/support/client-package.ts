import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Test } from 'tap';
import { z } from 'zod';

const root = join(import.meta.dirname, '../..');
/** The folder of the client in the source. */
export const clientFolder = join(root, 'clients/typescript');

/** The client package, generated, built and packed once for all test files of a run. */
export interface ClientPackage {
  /** Holds package.json, README.md and dist, as the registry would have them. */
  readonly folder: string;
  /** The file that `npm pack` makes. */
  readonly tarball: string;
  /** The source as generated now, to compare with the committed one. */
  readonly generated: string;
}

/** Installs the packages of the client if they are missing, generates and builds it, or waits until that is done. */
export async function clientPackage(): Promise<ClientPackage> {
  const work = join(tmpdir(), 'client-package');
  const built = {
    folder: join(work, 'package'),
    tarball: join(work, 'pulsebus-client.tgz'),
    generated: join(work, 'generated'),
  };
  const [done, failed] = [join(work, 'done'), join(work, 'failed')];
  if (isFirst(work)) {
    try {
      build(built);
      write(done, '');
    } catch (error) {
      write(failed, String(error));
    }
  }
  while (!existsSync(done)) {
    if (existsSync(failed)) throw new Error(readFileSync(failed, 'utf8'));
    await sleep(100);
  }
  return built;
}

// The folder is the lock. The temporary folder is one of this run of the tests.
function isFirst(work: string): boolean {
  try {
    mkdirSync(work);
    return true;
  } catch {
    return false;
  }
}

function build({ folder, tarball, generated }: ClientPackage): void {
  const main = join(clientFolder, 'main.ts');
  execFileSync(process.execPath, [main, generated, join(folder, 'dist')], {
    encoding: 'utf8',
    stdio: 'pipe',
  });
  for (const name of ['package.json', 'README.md', 'LICENSE'])
    cpSync(join(clientFolder, name), join(folder, name));
  const options = { cwd: folder, encoding: 'utf8', stdio: 'pipe' } as const;
  const [packed] = Packed.parse(JSON.parse(execFileSync('npm', ['pack', '--json'], options)));
  renameSync(join(folder, packed?.filename ?? ''), tarball);
}

/**
 * Installs the package into an empty folder as a user does, without a registry. `borrowed` are development packages of
 * the client that the programs of the folder use too.
 */
export async function installedClient(t: Test, borrowed: readonly string[] = []): Promise<string> {
  const { tarball } = await clientPackage();
  const folder = mkdtempSync(join(tmpdir(), 'client-user-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  execFileSync('npm', ['install', '--offline', tarball], { cwd: folder, encoding: 'utf8', stdio: 'pipe' });
  for (const name of borrowed)
    symlinkSync(join(clientFolder, 'node_modules', name), join(folder, 'node_modules', name));
  return folder;
}

const Packed = z.array(z.object({ filename: z.string() }));

function write(file: string, text: string): void {
  writeFileSync(`${file}.part`, text);
  renameSync(`${file}.part`, file);
}
