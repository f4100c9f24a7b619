/**
 * Semaphore of work in one process, first come first served: at most `parallel` at once, and together at most `bytes`
 * of bodies, so that ten large deliveries at the same time wait for each other instead of filling the memory. One
 * that is larger than the whole budget is let in alone.
 */
export interface Semaphore {
  /** Runs `work` when its turn comes. */
  run<T>(bytes: number, work: () => Promise<T>): Promise<T>;
  /** How many more could begin at once. */
  free(): number;
}

/** Makes turns of their own for one worker. */
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
