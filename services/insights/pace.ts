import { minuteMs } from '../../domain/time/time.ts';

/** The pace of the service and its clock. Production uses the defaults. */
export interface InsightsPace {
  readonly followMs: number;
  /** Days are computed so long after the first change that concerns them. */
  readonly settleMs: number;
  readonly firstMs: number;
  readonly pollMs: number;
  readonly now: () => number;
}

/** The pace of production. */
export const insightsPace: InsightsPace = {
  ...{ followMs: 15_000, settleMs: minuteMs, firstMs: 5000, pollMs: 1000, now: Date.now },
};
