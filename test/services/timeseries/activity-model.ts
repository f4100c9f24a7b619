/** What an activity, or a day, brought: values by minute. */
export type Values = ReadonlyMap<number, number>;

interface Span {
  readonly from: number;
  readonly to: number;
}

interface ModelActivity {
  summary: Span | null;
  details: Span | null;
  values: Values;
  storedAs: number;
  cropped: boolean;
}

const fresh = (): ModelActivity => ({
  summary: null,
  details: null,
  values: new Map(),
  storedAs: 0,
  cropped: false,
});

const beyond = (a: Span, b: Span) => a.from < b.from || a.to > b.to;

/** One series that a day and several activities share, as plain maps, from which the expected samples are computed. */
export class ActivityModel {
  #stored = 0;
  readonly #day = new Map<number, number>();
  readonly #activities = new Map<string, ModelActivity>();

  storeDay(values: Values): void {
    for (const [minute, value] of values) this.#day.set(minute, value);
  }

  storeDetails(key: string, span: Span, values: Values): void {
    const activity = this.#activity(key);
    this.#stored += 1;
    Object.assign(activity, { details: span, values, storedAs: this.#stored });
    this.#crop(activity);
  }

  storeSummary(key: string, span: Span): void {
    const activity = this.#activity(key);
    const former = activity.summary;
    if (former !== null)
      activity.cropped = !beyond(span, former) && (activity.cropped || beyond(former, span));
    activity.summary = span;
    this.#crop(activity);
  }

  delete(key: string): void {
    this.#activities.delete(key);
  }

  /** The minutes of which the day brought a value. */
  dayMinutes(): Set<number> {
    return new Set(this.#day.keys());
  }

  /** What the series holds, by minute in order. */
  expected(): [minute: number, value: number][] {
    const inOrder = [...this.#activities.values()]
      .sort((a, b) => a.storedAs - b.storedAs)
      .map(({ values }) => values);
    const all = new Map([...inOrder, this.#day].flatMap((values) => [...values]));
    return [...all].sort(([a], [b]) => a - b);
  }

  #activity(key: string): ModelActivity {
    const activity = this.#activities.get(key) ?? fresh();
    this.#activities.set(key, activity);
    return activity;
  }

  #crop(activity: ModelActivity): void {
    const { summary, details, values, cropped } = activity;
    if (!cropped || summary === null || details === null || !beyond(details, summary)) return;
    activity.values = new Map(
      [...values].filter(([minute]) => minute >= summary.from && minute <= summary.to),
    );
  }
}
