import { hourMs, minuteMs } from '../../domain/time/time.ts';

/** The pace of the service and its clock. Production uses the defaults. */
export interface FreshnessPace {
  readonly followMs: number;
  readonly incidentsMs: number;
  readonly listMs: number;
  readonly gapsMs: number;
  readonly firstMs: number;
  readonly pollMs: number;
  readonly now: () => number;
}

/** The pace of production. */
export const freshnessPace: FreshnessPace = {
  followMs: 15_000,
  incidentsMs: minuteMs,
  listMs: hourMs,
  gapsMs: 10 * minuteMs,
  firstMs: 5000,
  pollMs: 1000,
  now: Date.now,
};
