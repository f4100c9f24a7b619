import type { Database } from '../../../mixins/database/database.ts';
import { type Settled, settleMessages } from '../queries/settle-messages.ts';

/** Stores outcomes. Those that end while a statement runs are stored together by the next one. */
export interface Settler {
  /** Returns whether the caller still held the message. */
  settle(one: Settled): Promise<boolean>;
}

interface Waiting {
  readonly one: Settled;
  readonly done: PromiseWithResolvers<boolean>;
}

/** Outcomes of one statement. */
const mostTogether = 200;

/** Creates a settler. */
export function newSettler(database: Database, aheadMs: () => number): Settler {
  const waiting: Waiting[] = [];
  let isRunning = false;

  const store = async (part: readonly Waiting[]): Promise<void> => {
    try {
      const all = part.map(({ one }) => one);
      const held = await settleMessages(database, all, aheadMs());
      for (const { one, done } of part) done.resolve(held.has(one.lease.id));
    } catch (error) {
      // One by one, so that an outcome that cannot be stored does not affect the others.
      if (part.length > 1) for (const one of part) await store([one]);
      else part[0]?.done.reject(error);
    }
  };
  const run = async (): Promise<void> => {
    if (isRunning) return;
    isRunning = true;
    while (waiting.length > 0) await store(waiting.splice(0, mostTogether));
    isRunning = false;
  };

  return {
    settle(one) {
      const done = Promise.withResolvers<boolean>();
      waiting.push({ one, done });
      void run();
      return done.promise;
    },
  };
}
