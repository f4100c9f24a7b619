import { z } from 'zod';
import { action, contract, readers, writers } from '../domain/contract.ts';
import { Text, Timestamp, UserId } from '../domain/wire.ts';
import { ProviderName } from '../providers/all.ts';

const path = '/users/:user_id/connections/:provider/backfill';

/**
 * Where one request for history stands, or all those of a type: it waits for its turn, is with the provider, its
 * data came, nothing is to come of it, or it was given up. `reason` says why nothing came.
 */
export const StepStatus = z
  .enum(['waiting', 'requested', 'received', 'skipped', 'failed'])
  .meta({ id: 'BackfillStepStatus' });

/** How far the history of one data type is; `requests` are spans of at most 30 days. */
export const BackfillType = z
  .object({
    type: z.string(),
    status: StepStatus,
    reason: z.string().nullable(),
    requests: z.int(),
    requests_done: z.int(),
    items: z.int(),
    saved: z.int(),
    requested_at: Timestamp.nullable(),
    received_at: Timestamp.nullable(),
  })
  .meta({ id: 'BackfillType', description: 'The backfill of one data type.' });

/** The newest backfill of a connection. `stopped`: the provider or the user put an end to it, `reason` says how. */
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

/** What a delivery brought of one type for one connection; the times are those of its first and last item. */
export const Received = z.object({
  connection_id: z.uuid(),
  user_id: z.uuid(),
  type: Text.max(40),
  items: z.int().nonnegative(),
  saved: z.int().nonnegative(),
  first_start_ms: z.int().nullable(),
  last_start_ms: z.int().nullable(),
});

/** History: a provider is asked for what it kept from before the connection was made. */
export const backfill = contract('backfill', {
  start: action({
    summary: "Start a backfill of a connection's past data",
    description:
      'Requests one data type after another from the provider, 30 days at a time, newest first. The data arrives through the webhook. The next request is sent when the data of the previous one has arrived, or when its time limit has passed. One backfill runs per connection; another one returns 409.',
    params: z
      .object({
        user_id: UserId,
        provider: ProviderName,
        days: z.int().min(1, 'must be at least 1').max(3650, 'must be at most 3650').optional().meta({
          description: 'Number of days back, 1 to 3650. Default: the setting BACKFILL_DAYS.',
          example: 30,
        }),
      })
      .meta({ id: 'StartBackfillRequest' }),
    returns: Backfill,
    http: {
      method: 'POST',
      path,
      access: writers,
      status: 202,
      tag: 'Connections',
      bodyOptional: true,
      audit: 'backfill.started',
    },
  }),
  status: action({
    summary: 'Get the newest backfill of a connection',
    description:
      '`items` counts received items, `saved` those of them that were new or newer than the stored ones. A type is `requested` from its first request until its last one has finished, and `failed` if one of them failed.',
    params: z.object({ user_id: UserId, provider: ProviderName }),
    returns: Backfill,
    http: { method: 'GET', path, access: readers, tag: 'Connections' },
    idempotent: true,
  }),
  cancel: action({
    summary: 'Cancel the backfill of a connection',
    description:
      'Sends no further requests. Data that was already requested may still arrive. A backfill that has ended is unchanged.',
    params: z.object({ user_id: UserId, provider: ProviderName }),
    returns: Backfill,
    http: { method: 'DELETE', path, access: writers, tag: 'Connections', audit: 'backfill.cancelled' },
  }),
  /**
   * An ingest service stored a delivery's items. `completed`: the requests that this delivery answered; `chained`:
   * the users whose next request it set off. The same delivery again counts nothing and is told the same.
   */
  received: action({
    summary: 'Note that data of connections came',
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
  /** The connection ended: so does its backfill. Without this call it would find out at its next request. */
  stop: action({
    summary: 'Stop the backfill of a connection that ended',
    params: z.object({ connection_id: z.uuid() }),
    returns: z.object({ stopped: z.boolean() }),
    idempotent: true,
    on: ['connectionEnded'],
  }),
  /** The ending of a connection was contradicted: a backfill that it stopped goes on. */
  resume: action({
    summary: 'Resume the backfill of a connection that is restored',
    params: z.object({ connection_id: z.uuid(), since: Timestamp }),
    returns: z.object({ resumed: z.boolean() }),
    idempotent: true,
    on: ['connectionRestored'],
  }),
  forgetUser: action({
    summary: 'Erase the backfills of a user who is deleted',
    params: z.object({ user_id: UserId }),
    returns: z.object({ forgotten: z.int() }),
    idempotent: true,
    on: ['userErased'],
  }),
});

export type Backfill = z.infer<typeof Backfill>;
export type BackfillType = z.infer<typeof BackfillType>;
export type Received = z.infer<typeof Received>;
export type StepStatus = z.infer<typeof StepStatus>;
