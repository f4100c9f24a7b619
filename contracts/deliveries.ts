import { z } from 'zod';
import { action, contract, Nothing } from '../domain/contract.ts';
import { CursorParameter, limitUpTo, Pagination } from '../domain/page.ts';
import { Text, Timestamp } from '../domain/wire.ts';
import { byProvider, ProviderName } from '../providers/all.ts';
import { contentActions } from './deliveries/content.ts';
import { jobActions } from './deliveries/jobs.ts';
import { overviewActions, RemainingQuota } from './deliveries/overview.ts';
import { receivedActions } from './deliveries/received.ts';
import { reprocessActions } from './deliveries/reprocess.ts';
import { Delivery, DeliveryStatus } from './deliveries/schemas.ts';
import { SampleBytes } from './timeseries/sample-bytes.ts';

const Count = z.int().nonnegative();
const JobState = z.enum(['waiting', 'leased', 'dead']);

/** The status of one provider. A value is null if there is nothing to measure or its service is unavailable. */
export const ProviderStatus = z
  .object({
    /** Whether its client id and secret are set. */
    configured: z.boolean(),
    /** The secret addresses to register at the provider, by kind; null unless the caller is an owner, an admin or a developer by role. */
    webhook_addresses: z.record(z.string(), z.string()).nullable(),
    /** Deliveries that wait for their first or next attempt, that are being processed, and dead letters. */
    deliveries: z.object({
      waiting: Count,
      working: Count,
      dead: Count,
      oldest_waiting_seconds: z.int().nullable(),
    }),
    /** Our requests to its API in the last minutes. */
    answers: z.object({
      minutes: Count,
      requests: Count,
      failed: Count,
      rejected: Count,
      mean_ms: z.int().nullable(),
      slowest_ms: z.number().nullable(),
    }),
    /** Activities that wait to be fetched, if the provider's events contain no data. */
    fetches: z.object({ live_waiting: Count, history_waiting: Count, given_up: Count }).nullable(),
    /** The remaining read quota, if the provider limits reads. */
    budget: RemainingQuota.nullable(),
  })
  .meta({
    id: 'ProviderStatus',
    description: 'The status of one provider. A value is null if it is unknown or does not apply.',
  });

/** The status of all providers, and the space of samples. `away` names the services that did not answer. */
export const Status = z
  .object({
    providers: z.object(byProvider(() => ProviderStatus)),
    samples: SampleBytes.nullable(),
    away: z.array(z.string()),
  })
  .meta({ id: 'Status' });

/** The inbox of all providers, for operators. */
export const deliveries = contract('deliveries', {
  ...receivedActions,
  ...overviewActions,
  ...jobActions,
  ...contentActions,
  ...reprocessActions,
  list: action({
    summary: 'List deliveries, newest first',
    description:
      'Returns dead deliveries unless `status` names another state. A `total_count` of 10,000 means 10,000 or more.',
    params: z.object({
      status: DeliveryStatus.default('dead').describe(
        '`ready`: waits for its first or next attempt; `working`: is being processed; `done`: is processed; `dead`: is not attempted again.',
      ),
      provider: ProviderName.optional().describe('Only deliveries of this provider.'),
      cursor: CursorParameter,
      limit: limitUpTo(100),
    }),
    returns: z.object({ data: z.array(Delivery), pagination: Pagination }).meta({ id: 'DeliveryPage' }),
    http: { method: 'GET', path: '/deliveries', access: 'deliveries.read', tag: 'Operations' },
  }),
  replay: action({
    summary: 'Replay a delivery',
    description:
      'Queues the delivery like a new one. Data that it stored before is not stored twice. Users who connected the account after the delivery arrived receive none of its data. Returns 409 while the delivery is being processed, and if its content was erased.',
    params: z.object({
      delivery_id: z.uuid('must be a UUID').describe('The `id` of a delivery, from `GET /deliveries`.'),
    }),
    returns: Delivery,
    http: {
      method: 'POST',
      path: '/deliveries/:delivery_id/replay',
      access: 'deliveries.write',
      status: 202,
      tag: 'Operations',
      bodyOptional: true,
      audit: 'delivery.replayed',
    },
  }),
  status: action({
    summary:
      'Get the status of each provider: queues, response times, remaining quota; and the space of samples',
    params: Nothing,
    returns: Status,
    http: { method: 'GET', path: '/status', access: 'status.read', tag: 'Operations' },
  }),
  /**
   * Empties the deliveries that mention an account and arrived until `erased_at`, in the background. A delivery that is
   * being processed, or waits for another attempt, is emptied when it has ended.
   */
  eraseAccounts: action({
    summary: 'Empty kept deliveries that mention accounts',
    params: z.object({
      erased_at: Timestamp,
      accounts: z
        // A provider of PROVIDERS may be gone, and the data of its accounts is erased nevertheless.
        .array(z.object({ provider: Text.min(1).max(60), provider_user_id: Text.min(1).max(255) }))
        .max(100),
    }),
    returns: z.object({ noted: z.literal(true) }),
    idempotent: true,
  }),
  /** Empties a delivery if it mentions an account that was erased before it arrived. */
  eraseFromDelivery: action({
    summary: 'Empty one kept delivery if it mentions accounts',
    params: z.object({
      delivery_id: z.uuid(),
      provider_user_ids: z.array(Text.min(1).max(255)).max(1000),
    }),
    returns: z.object({ noted: z.literal(true) }),
    idempotent: true,
  }),
  /** Numbers of the jobs of all services, and the newest dead letters. Payloads are never returned. */
  jobs: action({
    summary: 'Count jobs by kind and state, and list dead letters',
    params: z.object({ limit: limitUpTo(100) }),
    returns: z.object({
      counts: z.array(z.object({ kind: z.string(), state: JobState, count: Count })),
      dead: z.array(
        z.object({ kind: z.string(), key: z.string(), error: z.string().nullable(), dead_at: Timestamp }),
      ),
    }),
    idempotent: true,
  }),
  /** Answers of the providers' APIs of each of the last ten minutes. `minutes_ago` is 0 for the current minute. */
  answers: action({
    summary: 'Count the answers of providers by minute',
    params: Nothing,
    returns: z.object({
      answers: z.array(
        z.object({ provider: ProviderName, minutes_ago: Count, requests: Count, failed: Count }),
      ),
    }),
    idempotent: true,
  }),
  /** Adds the statistics that a process collected about the providers' answers since its last call. */
  noteAnswers: action({
    summary: 'Record statistics of the answers of providers',
    params: z.object({
      answers: z
        .array(
          z.object({
            provider: ProviderName,
            requests: Count,
            failed: Count,
            rejected: Count,
            total_ms: z.number().nonnegative(),
            slowest_ms: z.number().nonnegative(),
          }),
        )
        .max(10),
    }),
    returns: z.object({ noted: z.literal(true) }),
  }),
});

export type { Delivery, DeliveryStatus } from './deliveries/schemas.ts';
export type ProviderStatus = z.infer<typeof ProviderStatus>;
export type Status = z.infer<typeof Status>;
