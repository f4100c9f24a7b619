import type { Status } from '../../contracts/deliveries.ts';
import { type ProviderName, providerNames } from '../../providers/all.ts';
import type { Metrics } from '../../runtime/telemetry/metrics.ts';

/** Sets the metrics of the provider status; every deliveries process reports the same values. */
export function setFigures(metrics: Metrics, { providers, samples }: Status): void {
  if (samples !== null) {
    metrics.set('pulsebus_sample_bytes', { kind: 'plain' }, samples.plain_bytes);
    metrics.set('pulsebus_sample_bytes', { kind: 'compressed' }, samples.compressed_bytes);
  }
  for (const provider of providerNames) {
    const { deliveries, answers, fetches, budget } = providers[provider];
    for (const state of ['waiting', 'working', 'dead'] as const)
      metrics.set('pulsebus_deliveries', { provider, state }, deliveries[state]);
    metrics.set('pulsebus_oldest_delivery_seconds', { provider }, deliveries.oldest_waiting_seconds ?? 0);
    const { requests, failed, rejected } = answers;
    const outcomes = { answered: requests - failed - rejected, failed, rejected };
    for (const [outcome, value] of Object.entries(outcomes))
      metrics.set('pulsebus_provider_requests', { provider, outcome }, value);
    if (fetches !== null) setFetches(metrics, fetches);
    if (budget !== null) setBudget(metrics, provider, budget);
  }
}

type OfProvider = Status['providers'][ProviderName];

function setFetches(metrics: Metrics, fetches: NonNullable<OfProvider['fetches']>): void {
  for (const state of ['live_waiting', 'history_waiting', 'given_up'] as const)
    metrics.set('pulsebus_activity_fetches', { state }, fetches[state]);
}

function setBudget(metrics: Metrics, provider: string, budget: NonNullable<OfProvider['budget']>): void {
  for (const window of ['quarter', 'day'] as const) {
    metrics.set('pulsebus_provider_budget_left', { provider, window }, budget[`${window}_left`]);
    metrics.set('pulsebus_provider_budget_limit', { provider, window }, budget[`${window}_limit`]);
  }
  metrics.set('pulsebus_provider_paused', { provider }, budget.paused ? 1 : 0);
}
