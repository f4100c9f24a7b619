/** A page of one series: times in microseconds since 1970; `next` is null on the last one. */
export interface SeriesPage {
  readonly at: readonly number[];
  readonly values: readonly number[];
  readonly next: number | null;
}

/** A sample of a series, or a bucket. */
export interface SeriesSample<T> {
  readonly series: T;
  readonly at: number;
  readonly value: number;
}

/** Reads one series page by page and buffers the rest of the current page. */
export class SeriesReader<T> {
  readonly series: T;
  readonly #readPage: (after: number | null) => Promise<SeriesPage>;
  #page: SeriesPage = { at: [], values: [], next: null };
  #taken = 0;
  #isStarted = false;

  constructor(series: T, readPage: (after: number | null) => Promise<SeriesPage>) {
    this.series = series;
    this.#readPage = readPage;
  }

  /** The page is consumed, and there is another one. */
  get isDry(): boolean {
    return this.#taken >= this.#page.at.length && !this.#isLastPage;
  }

  /** The series is consumed. */
  get isDone(): boolean {
    return this.#taken >= this.#page.at.length && this.#isLastPage;
  }

  /** The instant up to which the series was read; later pages contain later samples only. */
  get knownUntil(): number {
    return this.#isLastPage ? Number.POSITIVE_INFINITY : (this.#page.at.at(-1) ?? Number.NEGATIVE_INFINITY);
  }

  get #isLastPage(): boolean {
    return this.#isStarted && this.#page.next === null;
  }

  /** Reads the next page in place of the one that was taken. */
  async readNext(): Promise<void> {
    this.#page = await this.#readPage(this.#page.next);
    this.#isStarted = true;
    this.#taken = 0;
  }

  /** Takes the samples that are not later than an instant. */
  takeUntil(instant: number): SeriesSample<T>[] {
    const { at, values } = this.#page;
    const first = this.#taken;
    while (this.#taken < at.length && (at[this.#taken] ?? 0) <= instant) this.#taken += 1;
    return at.slice(first, this.#taken).map((one, index) => {
      return { series: this.series, at: one, value: values[first + index] ?? 0 };
    });
  }
}
