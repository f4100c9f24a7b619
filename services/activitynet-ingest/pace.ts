import { type ProviderPace, providerPace } from '../../mixins/provider-api.ts';

/** How the provider is asked; the defaults are what runs, tests take others. */
export interface FetchPace extends ProviderPace {
  readonly pollMs: number;
  /** Activities at once in a process. */
  readonly parallel: number;
  /** Another process takes over when a holder was silent for so long. */
  readonly leaseMs: number;
  /** How often crashed jobs are given up, and postponed ones tried again. */
  readonly upkeepMs: number;
  /** How far the clock is turned ahead: 0, but in a test. */
  readonly aheadMs: () => number;
}

/** Spaced requests, tried again twice; each try is paid for, so the trying is done here and not in the API's client. */
export const fetchPace: FetchPace = {
  ...providerPace,
  pollMs: 500,
  parallel: 4,
  leaseMs: 60_000,
  upkeepMs: 30_000,
  aheadMs: () => 0,
};
