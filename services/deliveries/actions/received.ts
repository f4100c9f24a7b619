import type { Received, ReceivedPeriod } from '../../../contracts/deliveries/received.ts';
import type { Status } from '../../../contracts/deliveries.ts';
import { formatInstant, isoTime } from '../../../domain/time/time.ts';
import type { Queryable } from '../../../mixins/database/database.ts';
import { byProvider, type ProviderName, providerNames } from '../../../providers/all.ts';
import type { Metrics } from '../../../runtime/telemetry/metrics.ts';
import { type ReceivedRow, selectReceived } from '../tables/minutes.ts';

const periods: Readonly<
  Record<ReceivedPeriod, { readonly bucketSeconds: number; readonly buckets: number }>
> = {
  hour: { bucketSeconds: 60, buckets: 60 },
  day: { bucketSeconds: 600, buckets: 144 },
};

/** What was received in the last hour or day. The last bucket is the current one and still grows. */
export async function readReceived(
  database: Queryable,
  period: ReceivedPeriod,
  nowMs: number,
): Promise<Received> {
  const { bucketSeconds, buckets } = periods[period];
  const widthMs = bucketSeconds * 1000;
  const startMs = (Math.floor(nowMs / widthMs) - buckets + 1) * widthMs;
  const rows = await selectReceived(database, isoTime(startMs), bucketSeconds, buckets);
  const columnOf = (own: readonly ReceivedRow[], count: (row: ReceivedRow) => number) => {
    const column = Array.from({ length: buckets }, () => 0);
    for (const row of own) column[row.position] = count(row);
    return column;
  };
  return {
    period,
    start_time: formatInstant(startMs),
    bucket_seconds: bucketSeconds,
    providers: byProvider((provider) => {
      const own = rows.filter((row) => row.provider === provider);
      return {
        deliveries: columnOf(own, ({ deliveries }) => deliveries),
        records: columnOf(own, ({ records }) => records),
        samples: columnOf(own, ({ samples }) => samples),
      };
    }),
  };
}

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
