import { leaveDatabase, type Queryable, sharedDatabase } from '../../../mixins/database/database.ts';
import type { Mixin } from '../../../runtime/environment.ts';

/** What admits reads while no primary can be reached. */
export interface Outage {
  /** The replica of DATABASE_READ_URL. */
  readonly replica: Queryable;
  readonly windows: MemoryWindows;
}

/** The replica of DATABASE_READ_URL for admission during an outage of the primary; null if it is not set. */
export function outage(): Mixin<Outage | null> {
  return (starting) => {
    const { DATABASE_READ_URL: url } = starting.config;
    if (url === undefined) return null;
    const replica = sharedDatabase(url, { server: 'replica', planning: 'each' }, starting);
    starting.onStop(() => leaveDatabase(replica));
    return { replica, windows: new MemoryWindows() };
  };
}

const windowMs = 60_000;

interface Window {
  startedAt: number;
  count: number;
}

/** Counts the requests of an outage by subject in this process. A window lasts 60 s from its first request. */
export class MemoryWindows {
  readonly #windows = new Map<string, Window>();

  /** Counts a request. `reset` is when the window ends, in Unix seconds. */
  hit(subject: string, now: number): { readonly count: number; readonly reset: number } {
    let window = this.#windows.get(subject);
    if (window === undefined || now - window.startedAt >= windowMs || now < window.startedAt) {
      window = { startedAt: now, count: 0 };
      // Reinserted, so that the order of the map is that of the starts.
      this.#windows.delete(subject);
      this.#windows.set(subject, window);
      this.#forget(now);
    }
    window.count += 1;
    return { count: window.count, reset: Math.ceil((window.startedAt + windowMs) / 1000) };
  }

  get size(): number {
    return this.#windows.size;
  }

  #forget(now: number): void {
    for (const [subject, { startedAt }] of this.#windows) {
      if (now - startedAt < windowMs) return;
      this.#windows.delete(subject);
    }
  }
}
