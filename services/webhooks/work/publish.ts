import type { Logger } from 'moleculer';
import type { Config } from '../../../config.ts';
import type { Database } from '../../../mixins/database/database.ts';
import type { Mixin } from '../../../runtime/environment.ts';
import { codeOf } from '../../../runtime/failure.ts';
import { watchDue } from '../../../runtime/jobs/due-clock.ts';
import { newWakeSignal } from '../../../runtime/jobs/wake-signal.ts';
import {
  isAnyDue,
  isChangeDue,
  lockPublishing,
  type Publication,
  publishDue,
  updateJoining,
} from '../tables/pending-changes.ts';

/*
 * The publisher moves due changes from changes.pending to the change log and makes the messages of the endpoints, in one
 * transaction. Every process runs one, and they take turns by a lock: sequence numbers have no gaps, and ids become
 * visible in their order, also after a crash.
 *
 * It polls, and needs no notification of the services that record changes: a lost one would delay changes. The check is one of those
 * of all workers. While changes are published it polls every 50 ms itself, an index look-up of 0.1 ms, which adds 25 ms in the mean.
 */
const busyPollMs = 50;
const idlePollMs = 250;
const longestPauseMs = 30_000;
const busyForMs = 5000;
const afterFailureMs = 1000;
/** Changes of one transaction: 10 endpoints receive 5,000 messages of it. */
const changesPerPart = 500;

/** Publishes one part of the due changes. Undefined if another process publishes. */
export function publishPart(database: Database, limit = changesPerPart): Promise<Publication | undefined> {
  return database.transaction(async (transaction) => {
    if (!(await lockPublishing(transaction, false))) return undefined;
    return publishDue(transaction, limit);
  });
}

interface Publishing {
  readonly database: Database;
  readonly published: Published;
  readonly config: Config;
  readonly logger: Pick<Logger, 'warn'>;
}

/** Publishes due changes while the process runs. Returns the function that stops it after the current part. */
export function startPublisher({ database, published, config, logger }: Publishing): () => Promise<void> {
  const wakeSignal = newWakeSignal();
  let isStopping = false;
  let isPrepared = false;
  let busyUntilMs = 0;

  const publish = async (): Promise<number> => {
    if (!isPrepared) await updateJoining(database, config);
    isPrepared = true;
    if (!(await isAnyDue(database))) return 0;
    const { claimed = 0 } = (await publishPart(database)) ?? {};
    if (claimed === 0) return 0;
    busyUntilMs = performance.now() + busyForMs;
    published.notify();
    return claimed;
  };

  const run = async () => {
    while (!isStopping) {
      const claimed = await publish().catch((error: unknown) => {
        logger.warn('changes.publish_failed', { code: codeOf(error) });
        return null;
      });
      const pauseMs = performance.now() < busyUntilMs ? busyPollMs : longestPauseMs;
      if (claimed !== changesPerPart) await wakeSignal.wait(claimed === null ? afterFailureMs : pauseMs);
    }
  };
  const endWatch = watchDue({ database, condition: () => isChangeDue }, idlePollMs, wakeSignal.notify);
  const running = run();

  return async () => {
    isStopping = true;
    endWatch();
    wakeSignal.notify();
    await running;
  };
}

/** Notifies the parts of this process that changes were published, or messages made, and committed. */
interface Published {
  /** Returns the function that ends the subscription. */
  subscribe(listener: () => void): () => void;
  notify(): void;
}

/** A new notifier without listeners. */
function newPublished(): Published {
  const listeners = new Set<() => void>();
  return {
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    notify() {
      for (const listener of listeners) listener();
    },
  };
}

/** The notifier as a mixin: the publisher notifies, deliveries and waiting readers of the feed listen. */
export function published(): Mixin<Published> {
  return newPublished;
}
