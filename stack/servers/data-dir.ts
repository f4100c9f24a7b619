// Locks the data folder: two processes would overwrite each other's files and share one sandbox.
import { existsSync, rmSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { holderOf, takeLock } from '../machine/lock.ts';
import { folderError, StartError } from '../machine/start-error.ts';
import { ownFolder, resolveDataDir } from '../machine/unprivileged.ts';

/** A locked data folder. */
export interface DataDir {
  readonly path: string;
  release(): Promise<void>;
}

const MEGABYTE = 1024 * 1024;
const LEAST_FREE_MB = 32;

/**
 * Locks the folder that DATA_DIR names. `newDatabaseMb` is the disk space that a new database needs.
 * @throws StartError if it cannot be used, or if another process has locked it
 */
export function takeDataDir(wanted: string, newDatabaseMb: number): DataDir {
  const path = resolveDataDir(wanted);
  try {
    ownFolder(path);
    const file = join(path, 'process.lock');
    const holder = takeLock(file);
    if (holder !== null) throw inUse(path, holder.pid);
    const release = async () => rmSync(file, { force: true });
    try {
      checkSpace(
        path,
        existsSync(join(path, 'postgres')) ? LEAST_FREE_MB : Math.max(LEAST_FREE_MB, newDatabaseMb),
      );
    } catch (error) {
      void release();
      throw error;
    }
    return { path, release };
  } catch (error) {
    if (error instanceof StartError) throw error;
    throw folderError(error, 'DATA_DIR', path) ?? unusable(error);
  }
}

/** The process that runs with a data folder, or null. */
export function processOf(path: string): number | null {
  return holderOf(join(path, 'process.lock'))?.pid ?? null;
}

function inUse(path: string, pid: number): StartError {
  return new StartError(
    `DATA_DIR: process ${pid} runs with ${path}. Stop it first (kill ${pid}), or set DATA_DIR and PORT for a second start.`,
  );
}

function checkSpace(path: string, leastFreeMb: number): void {
  const { bavail, bsize } = statfsSync(path);
  const free = Math.floor((bavail * bsize) / MEGABYTE);
  if (free < leastFreeMb)
    throw new StartError(
      `DATA_DIR: the disk of ${path} has ${free} MB left, and at least ${leastFreeMb} MB are needed. ` +
        'Free some space, or set DATA_DIR to a folder on another disk.',
    );
}

function unusable(error: unknown): unknown {
  return error instanceof Error ? new StartError(`DATA_DIR: ${error.message}`, { cause: error }) : error;
}
