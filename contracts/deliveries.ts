import { z } from 'zod';
import { action, contract, Nothing, writers } from '../domain/contract.ts';
import { CursorParameter, limitUpTo, Pagination } from '../domain/page.ts';
import { Text, Timestamp } from '../domain/wire.ts';
import { byProvider, ProviderName } from '../providers/all.ts';

/** Where a delivery stands: waiting for its turn or another try, in work, done, or given up. */
export const DeliveryStatus = z.enum(['ready', 'working', 'done', 'dead']).meta({ id: 'DeliveryStatus' });

/** A notification of a provider, as it came; its body is not shown. `error` is a code, never a value of the body. */
export const Delivery = z
  .object({
    id: z.string(),
    provider: ProviderName,
    kind: z.string(),
    status: DeliveryStatus,
    attempts: z.int(),
    received_at: Timestamp,
    next_attempt_at: Timestamp.nullable(),
    done_at: Timestamp.nullable(),
    error: z.string().nullable(),
    body_bytes: z.int(),
    /** The sender proved that it is the provider: the secret address was used, or the signature was verified. */
    authenticated: z.boolean(),
  })
  .meta({
    id: 'Delivery',
    description: 'A webhook notification of a provider, without its body. `error` is a code.',
  });

const Count = z.int().nonnegative();

/** How a provider does. Null is what is not known: there was nothing to measure, or nobody to ask. */
export const ProviderStatus = z
  .object({
    /** Its client id and secret are set. */
    configured: z.boolean(),
    /** The secret addresses to register at the provider, by kind; null for callers that are not developers. */
    webhook_addresses: z.record(z.string(), z.string()).nullable(),
    /** Notifications that wait for their turn or another try, and those that were given up. */
    deliveries: z.object({
      waiting: Count,
      working: Count,
      dead: Count,
      oldest_waiting_seconds: z.int().nullable(),
    }),
    /** Of our requests to its API in the last minutes. */
    answers: z.object({
      minutes: Count,
      requests: Count,
      failed: Count,
      rejected: Count,
      mean_ms: z.int().nullable(),
      slowest_ms: z.number().nullable(),
    }),
    /** Activities that are still to be fetched, where a provider only tells that they are there. */
    fetches: z
      .object({ live_waiting: Count, history_waiting: Count, postponed: Count, given_up: Count })
      .nullable(),
    /** What may still be asked of it, where it limits that. */
    budget: z
      .object({
        quarter_left: Count,
        quarter_limit: Count,
        day_left: Count,
        day_limit: Count,
        paused: z.boolean(),
      })
      .nullable(),
  })
  .meta({
    id: 'ProviderStatus',
    description: 'The status of one provider. A value is null if it is unknown or does not apply.',
  });

/** How the providers do; `away` names services that could not be asked. */
export const Status = z
  .object({
    providers: z.object(byProvider(() => ProviderStatus)),
    away: z.array(z.string()),
  })
  .meta({ id: 'Status' });

/** The inbox of all providers, for whoever runs the service. */
export const deliveries = contract('deliveries', {
  list: action({
    summary: 'List deliveries, newest first',
    description: 'Returns dead deliveries unless `status` names another state.',
    params: z.object({
      status: DeliveryStatus.default('dead').describe(
        '`ready`: waits for its first or next attempt; `working`: is being processed; `done`: is processed; `dead`: is not attempted again.',
      ),
      cursor: CursorParameter,
      limit: limitUpTo(100),
    }),
    returns: z.object({ data: z.array(Delivery), pagination: Pagination }).meta({ id: 'DeliveryPage' }),
    http: { method: 'GET', path: '/deliveries', access: writers, tag: 'Operations' },
    idempotent: true,
  }),
  replay: action({
    summary: 'Replay a delivery',
    description:
      'Queues the delivery like a new one. Data that it stored before is not stored twice. Users who connected the account after the delivery arrived receive none of its data. Returns 409 while the delivery is being processed, and if all of its data was erased.',
    params: z.object({
      delivery_id: z.uuid('must be a UUID').describe('The `id` of a delivery, from `GET /deliveries`.'),
    }),
    returns: Delivery,
    http: {
      method: 'POST',
      path: '/deliveries/:delivery_id/replay',
      access: writers,
      status: 202,
      tag: 'Operations',
      bodyOptional: true,
      audit: 'delivery.replayed',
    },
  }),
  status: action({
    summary: 'Get the status of each provider: queues, response times, remaining quota',
    params: Nothing,
    returns: Status,
    http: { method: 'GET', path: '/status', access: writers, tag: 'Operations' },
    idempotent: true,
  }),
  /**
   * Their items are taken out of the deliveries that came until `erased_at`, in the background; of those
   * in work, once that attempt has ended.
   */
  eraseAccounts: action({
    summary: 'Erase what raw deliveries hold of accounts',
    params: z.object({
      erased_at: Timestamp,
      accounts: z
        .array(z.object({ provider: ProviderName, provider_user_id: Text.min(1).max(255) }))
        .max(100),
    }),
    returns: z.object({ noted: z.literal(true) }),
    idempotent: true,
  }),
  /** The same for one delivery, of accounts that were erased before it came. */
  eraseFromDelivery: action({
    summary: 'Erase what one raw delivery holds of accounts',
    params: z.object({
      delivery_id: z.uuid(),
      provider_user_ids: z.array(Text.min(1).max(255)).max(1000),
    }),
    returns: z.object({ noted: z.literal(true) }),
    idempotent: true,
  }),
  /** What a process has gathered of a provider's answers since it told last. */
  noteAnswers: action({
    summary: 'Note how providers answered',
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

export type Delivery = z.infer<typeof Delivery>;
export type DeliveryStatus = z.infer<typeof DeliveryStatus>;
export type ProviderStatus = z.infer<typeof ProviderStatus>;
export type Status = z.infer<typeof Status>;
