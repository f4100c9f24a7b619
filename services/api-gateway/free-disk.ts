import { statfs } from 'node:fs/promises';
import type { Config } from '../../config.ts';

const localHosts = new Set(['', 'localhost', '127.0.0.1', '[::1]']);

/**
 * Returns a function that reads the free bytes of the disk of DATA_DIR, or null if the database runs on another machine,
 * whose disk cannot be read.
 */
export function freeDisk({ DATABASE_URL, DATA_DIR }: Config): () => Promise<number | null> {
  if (DATABASE_URL === undefined || !localHosts.has(new URL(DATABASE_URL).hostname)) return async () => null;
  return async () => {
    const disk = await statfs(DATA_DIR).catch(() => null);
    return disk === null ? null : disk.bavail * disk.bsize;
  };
}
