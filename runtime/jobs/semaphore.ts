/**
 * Limits work in one process, first come first served: at most `parallel` at once, with at most `bytes` of bodies
 * together, so that large deliveries wait instead of filling the memory. Work that exceeds the whole limit runs alone.
 */
export interface Semaphore {
  /** Runs `work` when a slot and enough bytes are free. */
  run<T>(bytes: number, work: () => Promise<T>): Promise<T>;
  /** Number of free slots. */
  free(): number;
}

/** Creates a semaphore. */
export function semaphore(parallel: number, bytes: number): Semaphore {
  const waiting: { weight: number; begin: () => void }[] = [];
  let running = 0;
  let held = 0;
  const next = () => {
    for (let first = waiting[0]; first !== undefined; first = waiting[0]) {
      if (running >= parallel || (running > 0 && held + first.weight > bytes)) return;
      waiting.shift();
      running += 1;
      held += first.weight;
      first.begin();
    }
  };
  const leave = (weight: number) => {
    running -= 1;
    held -= weight;
    next();
  };
  return {
    free: () => Math.max(0, parallel - running - waiting.length),
    async run(weight, work) {
      await new Promise<void>((begin) => {
        waiting.push({ weight, begin });
        next();
      });
      try {
        return await work();
      } finally {
        leave(weight);
      }
    },
  };
}
