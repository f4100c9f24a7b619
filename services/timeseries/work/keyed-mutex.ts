import type { Mixin } from '../../../runtime/environment.ts';

/** Runs work of one key sequentially, and work of different keys in parallel. */
export type KeyedMutex = <T>(key: string, work: () => Promise<T>) => Promise<T>;

/**
 * A mutex within this process. Correctness depends on the lock in the database. But each waiter for that lock holds a
 * database connection, and a burst of stores of one user would use up the pool.
 */
export function keyedMutex(): Mixin<KeyedMutex> {
  return () => {
    const lastOf = new Map<string, Promise<unknown>>();
    return async (key, work) => {
      const result = (lastOf.get(key) ?? Promise.resolve()).then(work, work);
      lastOf.set(key, result);
      try {
        return await result;
      } finally {
        if (lastOf.get(key) === result) lastOf.delete(key);
      }
    };
  };
}
