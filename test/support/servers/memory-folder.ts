import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { holderOf, takeLock } from '../../../stack/machine/lock.ts';

const GB = 1024 ** 3;
/** Linux's mark of a file system in memory (statfs(2), TMPFS_MAGIC). */
const tmpfs = 0x01021994;
const prefix = 'pulsebus-test-';

/** The bytes that the folder and the memory of this process still take, and the type of the folder's file system. */
export interface Room {
  readonly type: number;
  readonly folderBytes: number;
  readonly memoryBytes: number;
}

/**
 * Whether the servers of the tests fit into memory. A whole run uses about 0.5 GB of it. On ext4 each new database waits
 * for the deletion of earlier ones: the run takes a quarter more.
 */
export function fits({ type, folderBytes, memoryBytes }: Room): boolean {
  return type === tmpfs && folderBytes >= 4 * GB && memoryBytes >= 6 * GB;
}

/** Whether the file system of a folder lets programs run: tests install some in their temporary folder. */
export function programsRunIn(
  folder: string,
  run: (program: string) => { readonly status: number | null } = (program) => spawnSync(program),
): boolean {
  const program = join(folder, 'program');
  writeFileSync(program, '#!/bin/sh\n', { mode: 0o700 });
  const { status } = run(program);
  rmSync(program);
  return status === 0;
}

/**
 * Makes a folder in memory for the servers of a run; null where there is no room. The caller removes it. The folder of a
 * run that was killed is removed by the next one.
 */
export function makeMemoryFolder(parent = '/dev/shm', room: Room | null = roomIn(parent)): string | null {
  if (room === null || !fits(room)) return null;
  removeLeft(parent);
  const folder = mkdtempSync(join(parent, prefix));
  takeLock(lockIn(folder));
  chmodSync(folder, 0o711); // the servers' account walks through it
  return folder;
}

function roomIn(parent: string): Room | null {
  try {
    const { type, bavail, bsize } = statfsSync(parent);
    return { type, folderBytes: bavail * bsize, memoryBytes: process.availableMemory() };
  } catch {
    return null; // macOS has no /dev/shm
  }
}

function removeLeft(parent: string): void {
  const folders = readdirSync(parent).filter((name) => name.startsWith(prefix));
  for (const folder of folders.map((name) => join(parent, name)))
    if (isLeft(folder)) rmSync(folder, { recursive: true, force: true });
}

// Another run may be between the making of its folder and its lock.
function isLeft(folder: string): boolean {
  return existsSync(lockIn(folder)) && holderOf(lockIn(folder)) === null;
}

const lockIn = (folder: string) => join(folder, 'run.lock');
