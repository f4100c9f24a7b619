import type { Logger } from 'moleculer';
import { loggedCodeOf } from '../failure.ts';

/** A task that runs periodically: its function, its interval, and its name in logs. */
export interface PeriodicTask {
  readonly name: string;
  readonly everyMs: number;
  /** Delay of the first run. Default: `everyMs`. */
  readonly firstAfterMs?: number;
  readonly work: () => Promise<void>;
  readonly logger: Pick<Logger, 'warn'>;
}

/**
 * Runs a task of this process periodically, never twice at once. A failed run is logged, and the next one follows.
 * Returns a function that stops it and waits for the current run. Work that one process does for all is a recurring job.
 */
export function startPeriodicTask({
  name,
  everyMs,
  firstAfterMs,
  work,
  logger,
}: PeriodicTask): () => Promise<void> {
  let stopped = false;
  let timer = setTimeout(begin, firstAfterMs ?? everyMs);
  let running = Promise.resolve();

  function begin() {
    running = work()
      .catch((error: unknown) => logger.warn('periodic_task.failed', { name, code: loggedCodeOf(error) }))
      .then(() => {
        if (!stopped) timer = setTimeout(begin, everyMs);
      });
  }

  return async () => {
    stopped = true;
    clearTimeout(timer);
    await running;
  };
}
