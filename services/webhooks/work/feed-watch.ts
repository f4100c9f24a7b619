import { ServiceError } from '../../../domain/errors.ts';
import { type Database, database } from '../../../mixins/database/database.ts';
import { onDrain } from '../../../runtime/drain.ts';
import type { Environment, Mixin } from '../../../runtime/environment.ts';
import { codeOf } from '../../../runtime/failure.ts';
import { newWakeSignal } from '../../../runtime/jobs/wake-signal.ts';
import {
  type ChangeFilter,
  type RecentChange,
  selectLastId,
  selectRecentChanges,
} from '../tables/changes.ts';

/** A request that waits for a change. */
interface FeedWaiter {
  /** Resolves when a change of the filter was published, after `ms`, or when the process stops. */
  wait(ms: number): Promise<void>;
  end(): void;
}

/**
 * The waiting requests of a process. One loop reads which changes were published and wakes the requests that they concern,
 * so that waiting costs one statement per poll, however many wait.
 */
export interface FeedWatch {
  /**
   * Begins to watch for changes. A query afterwards finds changes that were published before this resolves. @throws
   * WAITING_LIMITED (429) if the process has the maximum number of waiting requests
   */
  begin(filter: ChangeFilter): Promise<FeedWaiter>;
  /** Looks for changes at once. */
  notify(): void;
  /** Whether waiting has ended for good. */
  readonly isClosed: boolean;
  /** Ends all waiting and allows no more. */
  close(): void;
}

/** Requests that wait in one process. */
export const mostWaiting = 500;
const pollMs = 250;
const changesPerPoll = 1000;

interface Waiting {
  readonly filter: ChangeFilter;
  readonly signal: ReturnType<typeof newWakeSignal>;
}

/** The watch over a database. */
export function newFeedWatch(database: Database, { logger }: Pick<Environment, 'logger'>): FeedWatch {
  const waiting = new Set<Waiting>();
  const wakeSignal = newWakeSignal();
  let isClosed = false;
  let started: Promise<void> | undefined;
  let lastId = 0n;

  const look = async () => {
    const recent = await selectRecentChanges(database, lastId, changesPerPoll);
    const last = recent.at(-1);
    if (last === undefined) return;
    lastId = BigInt(last.id);
    for (const { filter, signal } of waiting)
      if (recent.some((change) => concerns(filter, change))) signal.notify();
  };

  const run = async () => {
    while (waiting.size > 0 && !isClosed) {
      await wakeSignal.wait(pollMs);
      await look().catch((error: unknown) => logger.warn('changes.watch_failed', { code: codeOf(error) }));
    }
    started = undefined;
  };

  const start = async () => {
    lastId = await selectLastId(database);
    void run();
  };

  return {
    notify: () => wakeSignal.notify(),
    get isClosed() {
      return isClosed;
    },
    async begin(filter) {
      if (waiting.size >= mostWaiting) throw new ServiceError('WAITING_LIMITED');
      const waiter: Waiting = { filter, signal: newWakeSignal() };
      waiting.add(waiter);
      started ??= start();
      try {
        await started;
      } catch (error) {
        waiting.delete(waiter);
        started = undefined;
        throw error;
      }
      return {
        wait: (ms) => (isClosed ? Promise.resolve() : waiter.signal.wait(ms)),
        end: () => waiting.delete(waiter),
      };
    },
    close() {
      isClosed = true;
      wakeSignal.notify();
      for (const { signal } of waiting) signal.notify();
    },
  };
}

function concerns(
  { project, userId, types }: ChangeFilter,
  { project_id, user_id, type }: RecentChange,
): boolean {
  if (project !== project_id) return false;
  return (userId === null || userId === user_id) && (types === null || types.includes(type));
}

/** The watch as a mixin. It ends waiting requests before the services of its broker stop. */
export function feedWatch(): Mixin<FeedWatch> {
  return async (starting) => {
    const watch = newFeedWatch(await database()(starting), starting);
    onDrain(starting.broker, async () => watch.close());
    starting.onStop(() => watch.close());
    return watch;
  };
}
