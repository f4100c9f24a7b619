import { databaseOf, newPool, type Queryable } from '../../mixins/database.ts';
import type { Mixin } from '../../runtime/environment.ts';

/** What admits reads while no primary can be reached. */
export interface Outage {
  /** The replica of DATABASE_READ_URL. */
  readonly replica: Queryable;
  readonly windows: MemoryWindows;
}

const limits = { connectionTimeoutMillis: 500, query_timeout: 3000 } as const;

/** The replica of DATABASE_READ_URL for admission during an outage of the primary; null if it is not set. */
export function outage(): Mixin<(Outage & { end(): Promise<void> }) | null> {
  return {
    async start(environment) {
      const { DATABASE_READ_URL: url } = environment.config;
      if (url === undefined) return null;
      const pool = newPool(url, 'each', environment, limits);
      return { replica: databaseOf(pool), windows: new MemoryWindows(), end: () => pool.end() };
    },
    stop: async (value) => value?.end(),
  };
}

const lostConnection =
  /^(08|57P0[123]|25006|ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH)/;

/** Whether a statement failed because no primary was reached, not by itself and not for want of a free connection. */
export function isAway(error: unknown): boolean {
  const code: unknown = Reflect.get(Object(error), 'code');
  const message: unknown = Reflect.get(Object(error), 'message');
  if (typeof code === 'string') return lostConnection.test(code);
  return typeof message === 'string' && message.startsWith('Connection terminated');
}

// A replica that has not replayed all that it received may lack a revocation. One that was promoted is no replica.
const state = `
  select pg_last_wal_replay_lsn() >= coalesce(pg_last_wal_receive_lsn(), pg_last_wal_replay_lsn()) as has_all
  where pg_is_in_recovery()`;

/** Whether a replica has replayed everything that it received. */
export async function hasAll(replica: Queryable): Promise<boolean> {
  const [row] = await replica.query<{ has_all: boolean }>(state);
  return row?.has_all === true;
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
