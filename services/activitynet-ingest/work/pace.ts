import { hourMs, minuteMs } from '../../../domain/time/time.ts';
import { type ProviderPace, providerPace } from '../../../mixins/provider-api/provider-api.ts';

/** Timing and parallelism of requests to the provider. Production uses the defaults. Tests set others. */
export interface FetchPace extends ProviderPace {
  readonly pollMs: number;
  /** Activities in progress at once per process. */
  readonly parallel: number;
  /** A lease expires after this time without an extension. Another process may then claim the job. */
  readonly leaseMs: number;
  /** Interval at which nightly reconciliations are scheduled. Each connection has one a day, however short it is. */
  readonly scheduleMs: number;
  readonly firstScheduleMs: number;
  /** How far a test has moved the clock forward. 0 in production. */
  readonly aheadMs: () => number;
}

/** Requests are spaced and retried twice. */
export const fetchPace: FetchPace = {
  ...providerPace,
  pollMs: 500,
  parallel: 4,
  leaseMs: 60_000,
  scheduleMs: 6 * hourMs,
  firstScheduleMs: 5 * minuteMs,
  aheadMs: () => 0,
};
