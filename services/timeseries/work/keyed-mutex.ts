import type { Mixin } from '../../../runtime/environment.ts';

/** Runs work of one key sequentially, and work of different keys in parallel. */
export type KeyedMutex = <T>(key: string, work: () => Promise<T>) => Promise<T>;

/**
 * A mutex within this process. Correctness depends on the lock in the database. But each waiter for that lock holds a
 * database connection, and a burst of stores of one user would use up the pool.
 */
export function keyedMutex(): Mixin<KeyedMutex> {
  return turns;
}

function turns(): KeyedMutex {
  const last = new Map<string, Promise<unknown>>();
  return async (key, work) => {
    const mine = (last.get(key) ?? Promise.resolve()).then(work, work);
    last.set(key, mine);
    try {
      return await mine;
    } finally {
      if (last.get(key) === mine) last.delete(key);
    }
  };
}
