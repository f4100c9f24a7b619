import type pg from 'pg';

/** How many statements wait on a connection before another one is used. Eight pages of samples take PostgreSQL 2 ms. */
const mostWaiting = 8;
/** A connection that has not answered for so long gets no more statements: it reads from disk, or its server stands still. */
const lateMs = 5;
/** A connection is returned after this time, so that transactions get their turn under any load. */
const longestMs = 100;

interface Lease {
  readonly client: Promise<pg.PoolClient>;
  readonly takenAt: number;
  answeredAt: number;
  waiting: number;
  hasFailed: boolean;
}

/**
 * Statements that share connections. Each is sent before the last one is answered, and those of one turn of the event loop are
 * sent in one write: process and PostgreSQL do not wake each other for each statement (16 connections reading pages of samples: 1.2
 * times as many). A connection is taken from the pool for a statement and returned after the last one that joined it. It answers in order,
 * so a statement that shares must be brief and must not wait for locks.
 */
export class SharedConnections {
  readonly #pool: pg.Pool;
  readonly #lateMs: number;
  readonly #longestMs: number;
  #leases: readonly Lease[] = [];

  /** `pool`: of clients with the option `pipeline`. */
  constructor(pool: pg.Pool, late = lateMs, longest = longestMs) {
    this.#pool = pool;
    this.#lateMs = late;
    this.#longestMs = longest;
  }

  /** @throws pg.DatabaseError, or the error of the connection */
  async query<T extends pg.QueryResultRow>(query: pg.QueryConfig): Promise<pg.QueryResult<T>> {
    const lease = this.#lease();
    lease.waiting += 1;
    try {
      const client = await lease.client;
      sendAfterTurn(client.connection.stream);
      const result = await client.query<T>(query);
      lease.answeredAt = performance.now();
      return result;
    } catch (error) {
      // As in pg's pool, the connection of a failed statement is not used again.
      lease.hasFailed = true;
      this.#close(lease);
      throw error;
    } finally {
      lease.waiting -= 1;
      if (lease.waiting === 0) this.#end(lease);
    }
  }

  // The first connection with room, so that statements gather on few of them.
  #lease(): Lease {
    const now = performance.now();
    this.#leases = this.#leases.filter(({ takenAt }) => now - takenAt < this.#longestMs);
    const free = this.#leases.find(
      ({ waiting, answeredAt }) => waiting < mostWaiting && now - answeredAt < this.#lateMs,
    );
    if (free !== undefined) return free;
    if (this.#leases.length >= this.#pool.options.max)
      return this.#leases.reduce((least, one) => (one.waiting < least.waiting ? one : least));
    const client = this.#pool.connect();
    const lease = { client, takenAt: now, answeredAt: now, waiting: 0, hasFailed: false };
    this.#leases = [...this.#leases, lease];
    return lease;
  }

  #close(lease: Lease): void {
    this.#leases = this.#leases.filter((one) => one !== lease);
  }

  #end(lease: Lease): void {
    this.#close(lease);
    lease.client.then(
      (client) => client.release(lease.hasFailed),
      () => undefined, // each statement has failed with this error
    );
  }
}

type Stream = pg.Connection['stream'];
const held = new WeakSet<Stream>();

/** Keeps what is written until the events that are due have been handled. */
function sendAfterTurn(stream: Stream): void {
  if (held.has(stream)) return;
  held.add(stream);
  stream.cork();
  setImmediate(() => {
    held.delete(stream);
    stream.uncork();
  });
}
