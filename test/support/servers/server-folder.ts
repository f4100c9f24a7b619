import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defaultStackDir, ownFolder, serverAccount } from '../../../stack/machine/unprivileged.ts';
import { debianPrograms } from '../../../stack/packages/debian-packages.ts';

/** The test, or the bench, that servers are started for. */
export interface Owner {
  comment(line: string): void;
  /** Has work done when it ends. */
  teardown(stop: () => unknown): void;
}

/** A folder for servers of a test's own, and the programs to start them with. `remove` deletes it. */
export async function serverFolder(owner: Pick<Owner, 'comment'>) {
  const work = mkdtempSync(join(tmpdir(), 'pulsebus-servers-'));
  chmodSync(work, 0o711); // the servers' account walks through it
  const log = (line: string) => owner.comment(line);
  const programs = await debianPrograms({ stackDir: defaultStackDir(), log });
  const { natsServer } = programs;
  if (natsServer === null) throw new Error('this test needs a bus');
  return {
    ...{ work, log, programs, natsServer },
    dataDir: ownFolder(join(work, 'data')),
    account: serverAccount(),
    remove: () => rmSync(work, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }),
  };
}
