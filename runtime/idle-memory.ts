import { performance } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const checkEveryMs = 15_000;
/** Share of the event loop below which a process is idle. */
const idleShare = 0.15;
/** A collection that would free less is not worth its pause. */
const leastBytes = 16 * 1024 * 1024;

/** What is read to decide. */
export interface HeapState {
  /** Share of time in which the event loop worked, since the last look. */
  readonly share: number;
  /** The heap's size in bytes, used or not. */
  readonly heapBytes: number;
}

/** Reads the state of this process, the share since the previous call. */
function heapReader(): () => HeapState {
  let last = performance.eventLoopUtilization();
  return () => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, last);
    last = now;
    return { share: utilization, heapBytes: process.memoryUsage().heapTotal };
  };
}

/**
 * Frees memory while the process is idle: V8 keeps what a start or a burst needed until there is more work.
 * docs/decisions/0056-memory.md has the figures. Returns the function that ends it.
 */
export function freeIdleMemory({
  collect = collector(),
  read = heapReader(),
  everyMs = checkEveryMs,
}: {
  collect?: () => unknown;
  read?: () => HeapState;
  everyMs?: number;
} = {}): () => void {
  let collectedBytes = 0;
  const timer = setInterval(() => {
    const { share, heapBytes } = read();
    if (share > idleShare || heapBytes < collectedBytes + leastBytes) return;
    collect();
    collectedBytes = read().heapBytes;
  }, everyMs);
  timer.unref();
  return () => clearInterval(timer);
}

/**
 * A full collection. Threads that start later have it as `gc`, too. The flag on the command line would cost 40 MB, because Node.js then
 * does not use the code that it was built with.
 */
export function collector(): () => unknown {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  return typeof collect === 'function' ? () => collect() : () => undefined;
}
