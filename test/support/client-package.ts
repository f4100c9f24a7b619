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
import { dirname, join } from 'node:path';
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
  /** What `npm pack` says of its file. */
  readonly packed: Packed;
  /** A folder in which that file is installed, as a user does, without a registry. */
  readonly installed: string;
  /** The source as generated now, to compare with the committed one. */
  readonly generated: string;
}

/** Installs the packages of the client if they are missing, generates and builds it, or waits until that is done. */
export async function clientPackage(): Promise<ClientPackage> {
  const work = join(tmpdir(), 'client-package');
  const built = {
    folder: join(work, 'package'),
    installed: join(work, 'installed'),
    generated: join(work, 'generated'),
  };
  const [done, failed] = [join(work, 'done'), join(work, 'failed')];
  if (isFirst(work)) {
    try {
      write(done, JSON.stringify(build(built)));
    } catch (error) {
      write(failed, String(error));
    }
  }
  while (!existsSync(done)) {
    if (existsSync(failed)) throw new Error(readFileSync(failed, 'utf8'));
    await sleep(100);
  }
  return { ...built, packed: Packed.parse(JSON.parse(readFileSync(done, 'utf8'))) };
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

function build({ folder, installed, generated }: Omit<ClientPackage, 'packed'>): Packed {
  const main = join(clientFolder, 'main.ts');
  execFileSync(process.execPath, [main, generated, join(folder, 'dist')], {
    encoding: 'utf8',
    stdio: 'pipe',
  });
  for (const name of ['package.json', 'README.md', 'LICENSE'])
    cpSync(join(clientFolder, name), join(folder, name));
  const npm = (cwd: string, ...args: string[]) =>
    execFileSync('npm', args, { cwd, encoding: 'utf8', stdio: 'pipe' });
  const [packed] = z.tuple([Packed]).parse(JSON.parse(npm(folder, 'pack', '--json')));
  const tarball = join(dirname(folder), packed.filename);
  renameSync(join(folder, packed.filename), tarball);
  mkdirSync(installed);
  npm(installed, 'install', '--offline', tarball);
  return packed;
}

const Packed = z.object({
  filename: z.string(),
  unpackedSize: z.int(),
  files: z.array(z.object({ path: z.string() })),
});
type Packed = z.infer<typeof Packed>;

/**
 * Makes a folder of a user who has installed the package. `borrowed` are development packages of the client that the
 * programs of the folder use too.
 */
export async function installedClient(t: Test, borrowed: readonly string[] = []): Promise<string> {
  const { installed } = await clientPackage();
  const folder = mkdtempSync(join(tmpdir(), 'client-user-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  symlinkSync(join(installed, 'node_modules'), join(folder, 'node_modules'));
  for (const name of borrowed)
    symlinkSync(join(clientFolder, 'node_modules', name), join(installed, 'node_modules', name));
  return folder;
}

function write(file: string, text: string): void {
  writeFileSync(`${file}.part`, text);
  renameSync(`${file}.part`, file);
}
