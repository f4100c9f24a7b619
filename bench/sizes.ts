/** How large the data set is and how long is measured: `full` is what the figures speak of, `quick` tries the bench itself. */
export interface Sizes {
  readonly name: 'full' | 'quick';
  /** Days that everybody has data of, from the start of the data set. */
  readonly days: number;
  readonly hertzEverySeconds: number;
  readonly ordinaryPeople: number;
  readonly people: number;
  readonly fewPeople: number;
  /** Comparisons with a brute-force calculation, of each kind. */
  readonly checks: number;
  /** Numbers of matching rows that total_count is measured with. */
  readonly counted: readonly number[];
  /** The page from the middle. */
  readonly deepPage: number;
  /** Of times of answers. */
  readonly rounds: number;
  /** Of answers a second: many short ones, in which both sides meet the same of what else the machine does. */
  readonly floodRounds: number;
  /** Of one connection, in each round. */
  readonly requestsPerRound: number;
  /** Of many connections, in each round. */
  readonly loadMs: number;
  readonly userDays: readonly number[];
  readonly bodyMegabytes: readonly number[];
  /** Of the activity platform: events a round, fetches that wait meanwhile, activities at its limits. */
  readonly platform: { readonly events: number; readonly waiting: number; readonly activities: number };
  /** Of the 1 Hz user's export, how many are read. */
  readonly exportedSamples: number;
}

/** The data set of the figures: 40 million samples, 217 series, 100,000 people. */
export const full: Sizes = {
  name: 'full',
  days: 365,
  hertzEverySeconds: 1,
  ordinaryPeople: 50,
  people: 100_000,
  fewPeople: 1000,
  checks: 150,
  counted: [10_000, 1_000_000, 30_000_000],
  deepPage: 1000,
  rounds: 5,
  floodRounds: 15,
  requestsPerRound: 60,
  loadMs: 600,
  userDays: [1, 20, 200],
  bodyMegabytes: [10, 100],
  platform: { events: 1000, waiting: 5000, activities: 1000 },
  exportedSamples: 10_000_000,
};

/** Everything small: built and run in seconds, its figures mean nothing. */
export const quick: Sizes = {
  name: 'quick',
  days: 4,
  hertzEverySeconds: 10,
  ordinaryPeople: 3,
  people: 600,
  fewPeople: 100,
  checks: 10,
  counted: [100, 30_000],
  deepPage: 10,
  rounds: 1,
  floodRounds: 1,
  requestsPerRound: 3,
  loadMs: 60,
  userDays: [1, 2],
  bodyMegabytes: [1],
  platform: { events: 60, waiting: 100, activities: 60 },
  exportedSamples: 30_000,
};
