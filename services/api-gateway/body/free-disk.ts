import { statfs } from 'node:fs/promises';
import type { Config } from '../../../config.ts';
import { serversOf } from '../../../domain/database-url.ts';

const localHosts = new Set(['', 'localhost', '127.0.0.1', '[::1]']);

/**
 * Returns a function that reads the free bytes of the disk of DATA_DIR, or null if the database runs on another machine,
 * whose disk cannot be read.
 */
export function freeDisk({ DATABASE_URL, DATA_DIR }: Config): () => Promise<number | null> {
  const hosts = DATABASE_URL === undefined ? [] : serversOf(DATABASE_URL).map((url) => new URL(url).hostname);
  if (hosts.length === 0 || !hosts.every((host) => localHosts.has(host))) return async () => null;
  return async () => {
    const disk = await statfs(DATA_DIR).catch(() => null);
    return disk === null ? null : disk.bavail * disk.bsize;
  };
}
