import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import type { Test } from 'tap';
import type { Process } from './product-processes.ts';

/** What limits the memory of a process that is started through it, as a container would: beyond the limit it is killed. */
export interface MemoryLimit {
  /** `watched`: no cgroup can be made, so the process is killed once it holds more. */
  readonly by: 'cgroup v2' | 'cgroup v1' | 'watched';
  /** The command before that of the process. */
  readonly through: readonly string[];
  /** Call it once the process runs. */
  readonly watch: (process: Process) => void;
  /** The most that it held; of a cgroup with its files in memory. */
  readonly peakMb: () => number;
}

const root = '/sys/fs/cgroup';
const mebibyte = 1024 * 1024;
const everyMs = 20;

/** Makes a limit for one process. */
export function memoryLimit(t: Test, name: string, limitMb: number): MemoryLimit {
  const isV2 = existsSync(`${root}/cgroup.controllers`);
  const folder = `${isV2 ? root : `${root}/memory`}/pulsebus-${process.pid}-${name}`;
  const files = isV2
    ? { limit: 'memory.max', peak: 'memory.peak' }
    : { limit: 'memory.limit_in_bytes', peak: 'memory.max_usage_in_bytes' };
  try {
    mkdirSync(folder);
    writeFileSync(`${folder}/${files.limit}`, String(limitMb * mebibyte));
  } catch {
    return watched(t, limitMb);
  }
  return {
    by: isV2 ? 'cgroup v2' : 'cgroup v1',
    through: ['/bin/sh', '-c', 'echo $$ > "$0" && exec "$@"', `${folder}/cgroup.procs`],
    // Not in a teardown: it would come before the one that ends the process.
    watch: ({ ended }) => void ended.then(() => rmdirSync(folder)),
    peakMb: () => Math.round(Number(readFileSync(`${folder}/${files.peak}`, 'utf8')) / mebibyte),
  };
}

function watched(t: Test, limitMb: number): MemoryLimit {
  let peak = 0;
  const watch = (process: Process) => {
    const timer = setInterval(() => {
      if (process.hasEnded()) return;
      peak = Math.max(peak, process.memoryMb());
      if (peak > limitMb) process.signal('SIGKILL');
    }, everyMs);
    t.teardown(() => clearInterval(timer));
  };
  return { by: 'watched', through: [], watch, peakMb: () => peak };
}
