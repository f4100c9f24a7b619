/** Counts a number of requests of one credential. `count` is the number of the last of them; null if it is not valid. */
type Count<T extends { readonly count: number }> = (requests: number) => Promise<T | null>;

// A statement that takes longer is waiting for a lock or for a lost server. The next statement starts without waiting
// for it.
const mostWaitMs = 100;

/**
 * Counts the requests of a credential with one statement at a time: those that arrive while it runs are counted together by
 * the next. Statements of their own would wait as well, for the lock on the row of the rate window. The statement of a
 * request begins after the request arrived, so that a credential that was revoked before is refused.
 */
export class GroupedCounts<T extends { readonly count: number }> {
  readonly #running = new Map<string, Group<T>>();
  readonly #waiting = new Map<string, Group<T>>();

  /** Counts one request. Each request of a credential has its own `count`. */
  async add(credential: string, count: Count<T>): Promise<T | null> {
    const busy = this.#running.has(credential);
    const group = this.#waiting.get(credential) ?? new Group(count);
    const place = group.add();
    if (!busy) this.#begin(credential, group);
    else if (place === 1) this.#wait(credential, group);
    const row = await group.counted;
    return row === null ? null : { ...row, count: row.count - group.size + place };
  }

  #wait(credential: string, group: Group<T>): void {
    this.#waiting.set(credential, group);
    group.timer = setTimeout(() => this.#begin(credential, group), mostWaitMs);
  }

  #begin(credential: string, group: Group<T>): void {
    this.#waiting.delete(credential);
    this.#running.set(credential, group);
    void group.begin().finally(() => this.#end(credential, group));
  }

  #end(credential: string, group: Group<T>): void {
    if (this.#running.get(credential) !== group) return;
    const next = this.#waiting.get(credential);
    if (next === undefined) this.#running.delete(credential);
    else this.#begin(credential, next);
  }
}

/** Requests that one statement counts together. */
class Group<T extends { readonly count: number }> {
  size = 0;
  timer: NodeJS.Timeout | undefined;
  readonly #count: Count<T>;
  readonly #result = Promise.withResolvers<T | null>();

  constructor(count: Count<T>) {
    this.#count = count;
  }

  get counted(): Promise<T | null> {
    return this.#result.promise;
  }

  /** The place of one more request, from 1. */
  add(): number {
    this.size += 1;
    return this.size;
  }

  /** Counts all requests. No request may be added from now on. */
  async begin(): Promise<void> {
    clearTimeout(this.timer);
    try {
      this.#result.resolve(await this.#count(this.size));
    } catch (error) {
      this.#result.reject(error);
    }
  }
}
