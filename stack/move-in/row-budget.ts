/**
 * How many rows all users together may have in memory. Who needs more than there are in all takes them all, and is alone. Waiting
 * users are served in order, so that one who needs many is not overtaken for ever.
 */
export class RowBudget {
  readonly #rows: number;
  #free: number;
  readonly #waiting: { readonly rows: number; readonly go: () => void }[] = [];

  constructor(rows: number) {
    this.#rows = rows;
    this.#free = rows;
  }

  /** Runs work while its rows are taken. */
  async with<T>(rows: number, work: () => Promise<T>): Promise<T> {
    const wanted = Math.min(rows, this.#rows);
    await this.#take(wanted);
    try {
      return await work();
    } finally {
      this.#free += wanted;
      this.#serve();
    }
  }

  #take(rows: number): Promise<void> {
    return new Promise((go) => {
      this.#waiting.push({ rows, go });
      this.#serve();
    });
  }

  #serve(): void {
    for (
      let [first] = this.#waiting;
      first !== undefined && first.rows <= this.#free;
      [first] = this.#waiting
    ) {
      this.#waiting.shift();
      this.#free -= first.rows;
      first.go();
    }
  }
}
