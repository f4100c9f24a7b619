// One at a time, across processes. The lock is a file that names its holder; it appears whole (written aside,
// then linked), and a holder that died is noticed by its process.
import { randomUUID } from 'node:crypto';
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { isRunning, ownMark, ProcessMark, waitUntil } from './processes.ts';

const PATIENCE_MS = 600_000;

/** Runs work while holding a lock file; waits for a holder that runs, takes over from one that died. */
export async function withLock<T>(file: string, work: () => Promise<T>): Promise<T> {
  const own = `${file}.${randomUUID()}`;
  writeFileSync(own, JSON.stringify(ownMark()), { mode: 0o600 });
  try {
    if (!(await waitUntil(() => tryLock(own, file), PATIENCE_MS)))
      throw new Error(`another start holds ${file} for ten minutes already; remove the file if none runs`);
  } finally {
    rmSync(own);
  }
  try {
    return await work();
  } finally {
    rmSync(file, { force: true });
  }
}

function tryLock(own: string, file: string): boolean {
  if (tryLink(own, file)) return true;
  if (!isHeld(file)) takeAway(file, `${own}.dead`);
  return false;
}

function tryLink(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}

function isHeld(file: string): boolean {
  try {
    return isRunning(ProcessMark.parse(JSON.parse(readFileSync(file, 'utf8'))));
  } catch {
    return false;
  }
}

/** Between our look and our grip another start may have taken over: then its lock goes back. */
function takeAway(file: string, aside: string): void {
  try {
    renameSync(file, aside);
  } catch {
    return; // already gone
  }
  if (isHeld(aside)) tryLink(aside, file);
  rmSync(aside);
}
