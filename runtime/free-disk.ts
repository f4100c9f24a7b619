import type { StatsFs } from 'node:fs';
import { statfs } from 'node:fs/promises';
import type { Config } from '../config.ts';
import { serversOf } from '../domain/database-url.ts';

const localHosts = new Set(['', 'localhost', '127.0.0.1', '[::1]']);

type DiskConfig = Pick<Config, 'DATABASE_URL' | 'DATA_DIR'>;

/**
 * Returns a function that reads the free bytes of the disk of DATA_DIR, or null if the database runs on another machine,
 * whose disk cannot be read.
 */
export const freeDisk = (config: DiskConfig) => onDisk(config, ({ bavail, bsize }) => bavail * bsize);

/** As `freeDisk`, in percent of what the service may use of the disk. */
export const freeDiskPercent = (config: DiskConfig) =>
  onDisk(config, ({ bavail, bfree, blocks }) => Math.floor((100 * bavail) / (blocks - bfree + bavail)));

function onDisk(
  { DATABASE_URL, DATA_DIR }: DiskConfig,
  measure: (disk: StatsFs) => number,
): () => Promise<number | null> {
  const hosts = DATABASE_URL === undefined ? [] : serversOf(DATABASE_URL).map((url) => new URL(url).hostname);
  if (hosts.length === 0 || !hosts.every((host) => localHosts.has(host))) return async () => null;
  return async () => {
    const disk = await statfs(DATA_DIR).catch(() => null);
    return disk === null ? null : measure(disk);
  };
}
