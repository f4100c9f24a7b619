// A lock across processes: a file that names its holder. It is written to a temporary name and then linked, so that it
// appears complete. A holder that died is detected by its process.

import { randomUUID } from 'node:crypto';
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { errorCodeOf } from '../../domain/error-code.ts';
import { isRunning, ownMark, ProcessMark, waitUntil } from './processes.ts';

const PATIENCE_MS = 600_000;

const ATTEMPTS = 10;

/** Runs work while holding a lock file. Waits for a running holder, and takes over from one that died. */
export async function withLock<T>(file: string, work: () => Promise<T>): Promise<T> {
  const own = writeOwn(file);
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

/** Takes a lock file without waiting. Returns null on success, otherwise the running process that holds it. */
export function takeLock(file: string): ProcessMark | null {
  const own = writeOwn(file);
  try {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      if (tryLock(own, file)) return null;
      const holder = holderOf(file);
      if (holder !== null) return holder;
    }
  } finally {
    rmSync(own);
  }
  throw new Error(`${file} cannot be taken; remove it if no process of Pulsebus runs`);
}

/** The running process that holds a lock file, or null. */
export function holderOf(file: string): ProcessMark | null {
  try {
    const mark = ProcessMark.parse(JSON.parse(readFileSync(file, 'utf8')));
    return isRunning(mark) ? mark : null;
  } catch {
    return null;
  }
}

function writeOwn(file: string): string {
  const own = `${file}.${randomUUID()}`;
  writeFileSync(own, JSON.stringify(ownMark()), { mode: 0o600 });
  return own;
}

function tryLock(own: string, file: string): boolean {
  if (tryLink(own, file)) return true;
  if (holderOf(file) === null) takeAway(file, `${own}.dead`);
  return false;
}

function tryLink(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if (errorCodeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

/** If another start took the lock over after it was read, the lock is put back. */
function takeAway(file: string, aside: string): void {
  try {
    renameSync(file, aside);
  } catch (error) {
    if (errorCodeOf(error) === 'ENOENT') return; // already removed
    throw error; // another account's file
  }
  if (holderOf(aside) !== null) tryLink(aside, file);
  rmSync(aside);
}
