import { z } from 'zod';
import { action, contract } from '../domain/contract.ts';
import { TimeParameter } from '../domain/time/time.ts';
import { Text, Timestamp, UserId } from '../domain/wire.ts';
import { ProviderName, providerNames, providers } from '../providers/all.ts';
import { onUserErased } from './lifecycle.ts';

/** The data types that can be requested of a provider: none if its past data is read, or sent by the user's app. */
const typesOf = (provider: ProviderName): readonly string[] => {
  const { backfill } = providers[provider];
  return backfill.from === 'requests' ? backfill.types : [];
};
const RequestedType = z.enum([...new Set(providerNames.flatMap(typesOf))]);

const path = '/users/:user_id/connections/:provider/backfill';

/**
 * The state of one request for past data, or of all those of a data type. `waiting`: not sent yet; `requested`: sent to the
 * provider; `received`: its data arrived; `skipped`: no data will arrive; `failed`: not tried again.
 */
export const StepStatus = z
  .enum(['waiting', 'requested', 'received', 'skipped', 'failed'])
  .meta({ id: 'BackfillStepStatus' });

/** Records that were read and not stored. */
const SkippedRecords = z.object({ reason: z.string(), records: z.int() }).meta({
  id: 'SkippedRecords',
  description: 'Records of a backfill that were not stored, or values of them.',
});

/** The backfill of one data type. Each of its `requests` covers at most 30 days. */
export const BackfillType = z
  .object({
    type: z.string(),
    status: StepStatus,
    reason: z.string().nullable(),
    requests: z.int(),
    requests_done: z.int(),
    items: z.int(),
    saved: z.int(),
    skipped: z
      .array(SkippedRecords)
      .describe(
        'What was read and not stored, by reason. Empty for data that the provider sends to the webhook, and for uploads.',
      ),
    requested_at: Timestamp.nullable(),
    received_at: Timestamp.nullable(),
  })
  .meta({ id: 'BackfillType', description: 'The backfill of one data type.' });

/** The newest backfill of a connection. `stopped`: the provider or the user ended it; `reason` is the cause. */
export const Backfill = z
  .object({
    id: z.string(),
    user_id: z.string(),
    provider: ProviderName,
    status: z.enum(['running', 'done', 'cancelled', 'stopped', 'failed']),
    reason: z.string().nullable(),
    start_time: Timestamp,
    end_time: Timestamp,
    created_at: Timestamp,
    finished_at: Timestamp.nullable(),
    types: z.array(BackfillType),
  })
  .meta({
    id: 'Backfill',
    description:
      'The newest backfill of a connection. If it is `stopped`, the provider or the user ended it, and `reason` holds the cause.',
  });

/** The items of one data type that a delivery contained for one connection, with the start of the first and last one. */
export const Received = z.object({
  connection_id: z.uuid(),
  user_id: z.uuid(),
  type: Text.max(40),
  items: z.int().nonnegative(),
  saved: z.int().nonnegative(),
  first_start_ms: z.int().nullable(),
  last_start_ms: z.int().nullable(),
});

/** Backfill: requests the data from before the connection was made. */
export const backfill = contract('backfill', {
  start: action({
    summary: "Start a backfill of a connection's past data",
    description:
      'Requests one data type after another from the provider, 30 days at a time, newest first. The data arrives through the webhook. The range is that of `days`, or from `start_date` to `end_date`; one that is empty, in the future or older than 3650 days, or of which the provider shows nothing, is 422. The next request is sent when the data of the previous one has arrived, or when its time limit has passed. One backfill runs per connection; another one returns 409.',
    params: z
      .object({
        user_id: UserId,
        provider: ProviderName,
        days: z.int().min(1, 'must be at least 1').max(3650, 'must be at most 3650').optional().meta({
          description: 'Number of days back, 1 to 3650. Default: the setting BACKFILL_DAYS.',
          example: 30,
        }),
        // Without examples: the one of a body states `days`.
        start_date: TimeParameter.optional().meta({
          description:
            'In place of `days`: the first day of the past data in UTC (YYYY-MM-DD), or an instant. At most 3650 days ago.',
        }),
        end_date: TimeParameter.optional().meta({
          description:
            'With `start_date`: the last day in UTC (YYYY-MM-DD), included, or an instant at which the data ends. Default: now.',
        }),
        types: z
          .array(RequestedType)
          .min(1)
          .max(RequestedType.options.length)
          .optional()
          .meta({
            description:
              'Only these data types, for providers whose past data is requested. Types outside BACKFILL_TYPES are not requested. Default: all types of BACKFILL_TYPES.',
            example: ['sleeps'],
          }),
      })
      .refine(({ provider, types = [] }) => types.every((type) => typesOf(provider).includes(type)), {
        path: ['types'],
        message: 'must be data types that can be requested of the provider',
      })
      .refine(
        ({ days, start_date, end_date }) => days === undefined || (start_date ?? end_date) === undefined,
        {
          path: ['days'],
          message: 'must not be given with start_date or end_date',
        },
      )
      .refine(({ start_date, end_date }) => end_date === undefined || start_date !== undefined, {
        path: ['start_date'],
        message: 'is required with end_date',
      })
      .meta({ id: 'StartBackfillRequest' }),
    returns: Backfill,
    http: {
      method: 'POST',
      path,
      access: 'connections.write',
      status: 202,
      tag: 'Connections',
      bodyOptional: true,
      audit: 'backfill.started',
    },
  }),
  /**
   * Requests spans of data types again, after the requests of other backfills. A repeated call with the same `id` requests
   * nothing. Types that BACKFILL_TYPES does not name are left out.
   */
  request: action({
    summary: 'Request spans of data types of a connection again',
    params: z.object({
      id: z.uuid(),
      user_id: UserId,
      provider: ProviderName,
      requests: z
        .array(z.object({ type: RequestedType, start_ms: z.int(), end_ms: z.int() }))
        .min(1)
        .max(200),
    }),
    returns: z.object({ requests: z.int() }),
    idempotent: true,
  }),
  status: action({
    summary: 'Get the newest backfill of a connection',
    description:
      '`items` counts received items, `saved` those of them that were new or newer than the stored ones. A type is `requested` from its first request until its last one has finished, and `failed` if one of them failed.',
    params: z.object({ user_id: UserId, provider: ProviderName }),
    returns: Backfill,
    http: { method: 'GET', path, access: 'users.read', tag: 'Connections' },
  }),
  cancel: action({
    summary: 'Cancel the backfill of a connection',
    description:
      'Sends no further requests. Data that was already requested may still arrive. A backfill that has ended is unchanged.',
    params: z.object({ user_id: UserId, provider: ProviderName }),
    returns: Backfill,
    http: {
      method: 'DELETE',
      path,
      access: 'connections.write',
      tag: 'Connections',
      audit: 'backfill.cancelled',
    },
  }),
  /**
   * An ingest service stored the items of a delivery. `completed` lists the requests that the delivery answered, `chained`
   * the users whose next request follows. A repeated call for the same delivery counts nothing and returns the same.
   */
  received: action({
    summary: 'Record that data of connections arrived',
    params: z.object({
      provider: ProviderName,
      delivery_id: z.uuid(),
      received: z.array(Received).max(500),
    }),
    returns: z.object({
      chained: z.array(z.string()),
      completed: z.array(z.object({ type: z.string(), user_id: z.string() })),
    }),
    idempotent: true,
    timeoutMs: 3000,
  }),
  /** Ends the backfill of a connection that ended. Without this call it would end at its next request. */
  stop: action({
    summary: 'Stop the backfill of a connection that ended',
    params: z.object({ connection_id: z.uuid() }),
    returns: z.object({ stopped: z.boolean() }),
    idempotent: true,
    on: ['connectionEnded'],
  }),
  forgetUser: onUserErased('Erase the backfills of a deleted user'),
});

export type Backfill = z.infer<typeof Backfill>;
export type BackfillType = z.infer<typeof BackfillType>;
export type Received = z.infer<typeof Received>;
export type StepStatus = z.infer<typeof StepStatus>;
