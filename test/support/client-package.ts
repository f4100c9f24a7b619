import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const root = join(import.meta.dirname, '../..');
/** The folder of the client in the source. */
export const clientFolder = join(root, 'clients/typescript');

/** The client package, generated and built once for all test files of a run. */
export interface ClientPackage {
  /** Holds package.json, README.md and dist, as the registry would have them. */
  readonly folder: string;
  /** The source as generated now, to compare with the committed one. */
  readonly generated: string;
}

/** Installs the packages of the client if they are missing, generates and builds it, or waits until that is done. */
export async function clientPackage(): Promise<ClientPackage> {
  const work = join(tmpdir(), 'client-package');
  const built = { folder: join(work, 'package'), generated: join(work, 'generated') };
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

function build({ folder, generated }: ClientPackage): void {
  const main = join(clientFolder, 'main.ts');
  execFileSync(process.execPath, [main, generated, join(folder, 'dist')], {
    encoding: 'utf8',
    stdio: 'pipe',
  });
  for (const name of ['package.json', 'README.md', 'LICENSE'])
    cpSync(join(clientFolder, name), join(folder, name));
}

function write(file: string, text: string): void {
  writeFileSync(`${file}.part`, text);
  renameSync(`${file}.part`, file);
}
