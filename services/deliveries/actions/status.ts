import type { Config } from '../../../config.ts';
import type { ProviderStatus, Status } from '../../../contracts/deliveries.ts';
import type { Figures } from '../../../contracts/ingest-figures.ts';
import type { Queryable } from '../../../mixins/database/database.ts';
import { byProvider, type ProviderName, providerNames, providers } from '../../../providers/all.ts';
import type { Call } from '../../../runtime/environment.ts';
import { isConfigured, secretAddresses } from '../../../runtime/provider-settings.ts';
import { type QueueRow, selectFigures } from '../tables/jobs.ts';
import { type AnswersRow, selectAnswers } from '../tables/minutes.ts';

/** The period of the response statistics. */
const minutes = 15;
const bounds = { timeout: 2000, retries: 0 };

interface Deps {
  readonly database: Queryable;
  readonly call: Call;
  readonly config: Config;
  /** The base of the secret addresses; undefined for a caller who may not see them. */
  readonly addressesAt?: string | undefined;
}

/** The status of each provider. The figures of an unavailable service are null, and the service is listed in `away`. */
export async function readStatus({ database, call, config, addressesAt }: Deps): Promise<Status> {
  const [queues, answers, figures, samples] = await Promise.all([
    selectFigures(database),
    selectAnswers(database, minutes),
    readIngestFigures(call),
    call('timeseries.sampleBytes', {}, bounds).catch(() => null),
  ]);
  const of = (provider: ProviderName): ProviderStatus => ({
    configured: isConfigured(config, provider),
    webhook_addresses: addressesAt === undefined ? null : secretAddresses(config, provider, addressesAt),
    deliveries: queueOf(queues.find((one) => one.provider === provider)),
    answers: answersOf(answers.find((one) => one.provider === provider)),
    ...fetchesOf(figures.get(provider) ?? null),
  });
  return {
    providers: byProvider(of),
    samples,
    away: [
      ...(samples === null ? ['timeseries'] : []),
      ...new Set(
        [...figures].flatMap(([provider, one]) => (one === null ? [providers[provider].ingest.service] : [])),
      ),
    ],
  };
}

/** The figures of the ingest services; null if a service does not answer. */
export async function readIngestFigures(call: Call): Promise<ReadonlyMap<ProviderName, Figures | null>> {
  const asked = providerNames.flatMap((provider) => {
    const { ingest } = providers[provider];
    if (!ingest.hasFigures) return [];
    const figures = call(`${ingest.service}.figures`, { provider }, bounds).catch(() => null);
    return [figures.then((one) => [provider, one] as const)];
  });
  return new Map(await Promise.all(asked));
}

function fetchesOf(figures: Figures | null): Pick<ProviderStatus, 'fetches' | 'budget'> {
  if (figures === null) return { fetches: null, budget: null };
  const { live_waiting, history_waiting, given_up, budget } = figures;
  return {
    fetches: { live_waiting, history_waiting, given_up },
    budget: budget === null ? null : budgetOf(budget),
  };
}

function queueOf(row: QueueRow | undefined): ProviderStatus['deliveries'] {
  return {
    waiting: row?.ready ?? 0,
    working: row?.working ?? 0,
    dead: row?.dead ?? 0,
    oldest_waiting_seconds: row?.oldest_waiting_seconds ?? null,
  };
}

function answersOf(row: AnswersRow | undefined): ProviderStatus['answers'] {
  return {
    minutes,
    requests: row?.requests ?? 0,
    failed: row?.failed ?? 0,
    rejected: row?.rejected ?? 0,
    mean_ms: row === undefined ? null : Math.round(row.total_ms / row.requests),
    slowest_ms: row?.slowest_ms ?? null,
  };
}

interface Room {
  readonly quarter_used: number;
  readonly quarter_limit: number;
  readonly day_used: number;
  readonly day_limit: number;
  readonly paused: boolean;
}

/** The remaining reads of a provider's windows. */
export function budgetOf(room: Room): NonNullable<ProviderStatus['budget']> {
  return {
    quarter_left: Math.max(0, room.quarter_limit - room.quarter_used),
    quarter_limit: room.quarter_limit,
    day_left: Math.max(0, room.day_limit - room.day_used),
    day_limit: room.day_limit,
    paused: room.paused,
  };
}
