import type { Logger } from 'moleculer';
import { loggedCodeOf } from './failure.ts';

/** Housekeeping that comes round: what it does, how often, and the name that its failures are logged under. */
export interface PeriodicTask {
  readonly name: string;
  readonly everyMs: number;
  /** How long after the start the first round begins; `everyMs` unless told. */
  readonly firstAfterMs?: number;
  readonly work: () => Promise<void>;
  readonly logger: Pick<Logger, 'warn'>;
}

/**
 * Runs work again and again, never two rounds at once; a round that fails is logged and the next one comes.
 * Returns what stops it: no round begins after, and the one in work has ended.
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
      .catch((error: unknown) => logger.warn('rounds.failed', { name, code: loggedCodeOf(error) }))
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
