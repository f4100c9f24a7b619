/** The size of the data set and the length of measurements: `full` for published figures, `quick` to test the bench. */
export interface Sizes {
  readonly name: 'full' | 'quick';
  /** The number of days of data, from the start of the data set. */
  readonly days: number;
  readonly hertzEverySeconds: number;
  readonly ordinaryUsers: number;
  readonly users: number;
  readonly fewUsers: number;
  /** Users, with deliveries and changes, whose lists are compared with those of a tenth of them. */
  readonly operations: number;
  /** The number of comparisons with a brute-force calculation, of each kind. */
  readonly checks: number;
  /** The numbers of matching rows with which total_count is measured. */
  readonly counted: readonly number[];
  /** The number of the page in the middle. */
  readonly deepPage: number;
  /** Users with five series each: many, and few to compare with. */
  readonly crowd: { readonly many: number; readonly few: number };
  /** Rounds of response times. */
  readonly rounds: number;
  /** Rounds of throughput: many short ones, so that other load of the machine affects both sides alike. */
  readonly throughputRounds: number;
  /** Requests of one connection in each round. */
  readonly requestsPerRound: number;
  /** Milliseconds of many connections in each round. */
  readonly loadMs: number;
  readonly userDays: readonly number[];
  readonly bodyMegabytes: readonly number[];
  /** The activity platform: events per round, waiting fetches, activities within its limits. */
  readonly platform: { readonly events: number; readonly waiting: number; readonly activities: number };
  /** Outgoing webhooks: for how long changes are recorded, and how many a second for 1, 10 and 100 endpoints. */
  readonly webhooks: {
    readonly seconds: number;
    readonly perSecond: number;
    readonly perSecondToEach: number;
    readonly toEach: number;
    /** Of one round with 100 endpoints. */
    readonly roundSeconds: number;
  };
  /** The change log: users of a push, and of a push without samples. */
  readonly changeLog: { readonly userDays: readonly number[]; readonly records: number };
  readonly backfill: { readonly days: number };
  /** Days of eight series at 1/min, and of one at 1/s. */
  readonly compression: { readonly days: number; readonly hertzDays: number };
  /** The number of samples that are read of the 1 Hz user's export. */
  readonly exportedSamples: number;
}

/** The data set of published figures: 40 million samples, 217 series, 100,000 users. */
export const full: Sizes = {
  name: 'full',
  days: 365,
  hertzEverySeconds: 1,
  ordinaryUsers: 50,
  users: 100_000,
  fewUsers: 1000,
  operations: 100_000,
  checks: 150,
  counted: [10_000, 1_000_000, 30_000_000],
  deepPage: 1000,
  crowd: { many: 1_000_000, few: 10_000 },
  rounds: 5,
  throughputRounds: 15,
  requestsPerRound: 60,
  loadMs: 600,
  userDays: [1, 20, 200],
  bodyMegabytes: [10, 100],
  platform: { events: 1000, waiting: 5000, activities: 1000 },
  webhooks: { seconds: 20, perSecond: 500, perSecondToEach: 50, toEach: 5, roundSeconds: 10 },
  changeLog: { userDays: [1, 20], records: 200 },
  backfill: { days: 30 },
  compression: { days: 365, hertzDays: 30 },
  exportedSamples: 10_000_000,
};

/** A small data set that is built and run in seconds. Its figures are not meaningful. */
export const quick: Sizes = {
  name: 'quick',
  days: 4,
  hertzEverySeconds: 10,
  ordinaryUsers: 3,
  users: 600,
  fewUsers: 100,
  operations: 1000,
  checks: 10,
  counted: [100, 30_000],
  deepPage: 10,
  crowd: { many: 800, few: 400 },
  rounds: 1,
  throughputRounds: 1,
  requestsPerRound: 3,
  loadMs: 60,
  userDays: [1, 2],
  bodyMegabytes: [1],
  platform: { events: 60, waiting: 100, activities: 60 },
  webhooks: { seconds: 2, perSecond: 100, perSecondToEach: 10, toEach: 1, roundSeconds: 2 },
  changeLog: { userDays: [1, 2], records: 4 },
  backfill: { days: 2 },
  compression: { days: 3, hertzDays: 2 },
  exportedSamples: 30_000,
};
