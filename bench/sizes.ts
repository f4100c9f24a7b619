/** The size of the data set and the length of measurements. */
export type Sizes = ReturnType<typeof sizesOf>;

/** The data set of published figures: 40 million samples, 217 series, 100,000 users. */
export const full = sizesOf('full');

/** A small data set that is built and run in seconds. Its figures are not meaningful. */
export const quick = sizesOf('quick');

function sizesOf(name: 'full' | 'quick') {
  const of = <T>(full: T, quick: T): T => (name === 'full' ? full : quick);
  return {
    name,
    /** The number of days of data, from the start of the data set. */
    days: of(365, 4),
    hertzEverySeconds: of(1, 10),
    ordinaryUsers: of(50, 3),
    users: of(100_000, 600),
    fewUsers: of(1000, 100),
    /** Users, with deliveries and changes, whose lists are compared with those of a tenth of them. */
    operations: of(100_000, 1000),
    /** The number of comparisons with a brute-force calculation, of each kind. */
    checks: of(150, 10),
    /** The numbers of matching rows with which total_count is measured. */
    counted: of([10_000, 1_000_000, 30_000_000], [100, 30_000]),
    /** The number of the page in the middle. */
    deepPage: of(1000, 10),
    /** Users with five series each: many, and few to compare with. */
    crowd: of({ many: 1_000_000, few: 10_000 }, { many: 800, few: 400 }),
    /** Rounds of response times. */
    rounds: of(5, 1),
    /** Rounds of throughput: many short ones, so that other load of the machine affects both sides alike. */
    throughputRounds: of(15, 1),
    /** Requests of one connection in each round. */
    requestsPerRound: of(60, 3),
    /** Milliseconds of many connections in each round. */
    loadMs: of(600, 60),
    /** Users of a push, each with a day. */
    userDays: of([1, 20, 200], [1, 2]),
    bodyMegabytes: of([10, 100], [1]),
    /** The activity platform: events per round, waiting fetches, activities within its limits. */
    platform: of(
      { events: 1000, waiting: 5000, activities: 1000 },
      { events: 60, waiting: 100, activities: 60 },
    ),
    /**
     * Outgoing webhooks: for how long changes are recorded, and how many a second for 1, 10 and 100 endpoints;
     * `roundSeconds` is the length of a round with 100 endpoints.
     */
    webhooks: of(
      { seconds: 20, perSecond: 500, perSecondToEach: 50, toEach: 5, roundSeconds: 10 },
      { seconds: 2, perSecond: 100, perSecondToEach: 10, toEach: 1, roundSeconds: 2 },
    ),
    /** The change log: users of a push, and of a push without samples. */
    changeLog: of({ userDays: [1, 20], records: 200 }, { userDays: [1, 2], records: 4 }),
    backfillDays: of(30, 2),
    /** Connections whose freshness is listed: many, and few to compare with. */
    freshness: of({ many: 100_000, few: 1000 }, { many: 400, few: 100 }),
    /** Users with a year of data of all kinds, and users with a short history who get a night. */
    insights: of(
      { days: 365, wearers: 5, users: 1000, history: 90 },
      { days: 20, wearers: 2, users: 10, history: 20 },
    ),
    /** Days of the user whose Observations are read. */
    fhir: of({ days: 365 }, { days: 20 }),
    /** Days of data of users that are copied, and how often; users with a change; changes while another destination is dead. */
    destinations: of(
      { days: 10, wearers: 20, rounds: 3, changed: 10_000, perSecond: 50, roundSeconds: 10, delayRounds: 5 },
      { days: 2, wearers: 4, rounds: 1, changed: 50, perSecond: 20, roundSeconds: 2, delayRounds: 1 },
    ),
    /** Days of eight series at 1/min, and of one at 1/s. */
    compression: of({ days: 365, hertzDays: 30 }, { days: 3, hertzDays: 2 }),
    /** The number of samples that are read of the 1 Hz user's export. */
    exportedSamples: of(10_000_000, 30_000),
  };
}
