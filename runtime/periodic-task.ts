import type { Logger } from 'moleculer';

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
      .catch((error: unknown) => logger.warn('rounds.failed', { name, code: codeOf(error) }))
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

// The message may quote a row: the code has to do.
function codeOf(error: unknown): unknown {
  if (typeof error !== 'object' || error === null) return undefined;
  return Reflect.get(error, 'type') ?? Reflect.get(error, 'code') ?? Reflect.get(error, 'name');
}
