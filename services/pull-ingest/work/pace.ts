/** Timing of a process. Tests choose other values. */
export interface PullServicePace {
  readonly pollMs: number;
  readonly parallel: number;
  readonly leaseMs: number;
  /** A limit that is free within this time is waited for; a longer wait releases the row. */
  readonly waitMostMs: number;
  /** A pass that has more pages is not read as a whole one. */
  readonly mostPages: number;
  /** Interval of the search for new connections and for sweeps that are due. */
  readonly upkeepMs: number;
  readonly firstUpkeepMs: number;
  /** Replaces the pace that the provider states. */
  readonly settleMs?: number;
  readonly floorMs?: number;
}

/** The default pace. */
export const pullPace: PullServicePace = {
  pollMs: 1000,
  parallel: 8,
  leaseMs: 60_000,
  waitMostMs: 3000,
  mostPages: 2000,
  upkeepMs: 60_000,
  firstUpkeepMs: 5000,
};
