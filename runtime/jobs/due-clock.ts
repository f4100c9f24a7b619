import { createHash } from 'node:crypto';

/** How the due jobs of a worker are noticed. */
export interface DueCheck {
  /** The database of the jobs. The checks of one database are made together. */
  readonly database: Asked;
  /** SQL without parameters that is true while a job may be due. It reads few entries of an index. */
  readonly condition: () => string;
}

interface Asked {
  query(statement: { readonly name: string; readonly text: string }): Promise<readonly unknown[]>;
}

interface Watch extends DueCheck {
  readonly everyMs: number;
  readonly notify: () => void;
  notifiedAt: number;
}

const clocks = new WeakMap<Asked, DueClock>();

/**
 * Calls `notify` while a job may be due, at most once per `everyMs`. If the database does not answer, all are notified. Returns the
 * function that ends it.
 */
export function watchDue(check: DueCheck, everyMs: number, notify: () => void): () => void {
  const clock = clocks.get(check.database) ?? new DueClock(check.database);
  clocks.set(check.database, clock);
  return clock.add({ ...check, everyMs, notify, notifiedAt: Number.NEGATIVE_INFINITY });
}

const afterFailureMs = 1000;

/**
 * One statement looks for the due jobs of all workers of a process. Claims of each worker at its own interval were 70 transactions a
 * second of an idle process with all services. A trigger with NOTIFY instead would serialise the commits of all stores.
 */
class DueClock {
  readonly #database: Asked;
  readonly #watches = new Set<Watch>();
  #timer: NodeJS.Timeout | undefined;
  #isLooking = false;

  constructor(database: Asked) {
    this.#database = database;
  }

  add(watch: Watch): () => void {
    this.#watches.add(watch);
    this.#plan();
    return () => {
      this.#watches.delete(watch);
      if (this.#watches.size === 0) clearTimeout(this.#timer);
    };
  }

  // The interval varies by a quarter, so that processes that start together do not look together.
  #plan(leastMs = 0): void {
    clearTimeout(this.#timer);
    if (this.#watches.size === 0 || this.#isLooking) return;
    const everyMs = Math.min(...[...this.#watches].map((watch) => watch.everyMs));
    this.#timer = setTimeout(
      () => void this.#look(),
      Math.max(leastMs, everyMs * (0.75 + Math.random() / 4)),
    );
  }

  async #look(): Promise<void> {
    this.#isLooking = true;
    const watches = [...this.#watches];
    const due = await this.#due(watches).catch(() => null);
    this.#isLooking = false;
    const now = performance.now();
    for (const [index, watch] of watches.entries()) {
      if (due !== null && !due.has(index)) continue;
      if (now - watch.notifiedAt < 0.75 * watch.everyMs) continue;
      watch.notifiedAt = now;
      watch.notify();
    }
    this.#plan(due === null ? afterFailureMs : 0);
  }

  async #due(watches: readonly Watch[]): Promise<Set<unknown>> {
    const cases = watches.map(({ condition }, index) => `case when ${condition()} then ${index} end`);
    const text = `select unnest(array[${cases.join(',\n')}]::int[]) as due`;
    // Workers that start or stop change the statement.
    const name = `jobs.due_${createHash('sha256').update(text).digest('hex').slice(0, 16)}`;
    const rows = await this.#database.query({ name, text });
    return new Set(rows.map((row) => Reflect.get(Object(row), 'due')));
  }
}
