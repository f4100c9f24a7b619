import type { Mixin } from '../../runtime/environment.ts';

/** Runs work of one key after the other, and work of different keys side by side. */
export type KeyedMutex = <T>(key: string, work: () => Promise<T>) => Promise<T>;

/**
 * Turns within this process. Exactness needs the lock in the database; but whoever waits for it there holds a
 * connection, and a burst of stores of one user would leave none for anybody else.
 */
export function keyedMutex(): Mixin<KeyedMutex> {
  return { start: async () => turns(), stop: async () => undefined };
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
