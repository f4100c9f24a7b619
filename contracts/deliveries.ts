import { z } from 'zod';
import { action, contract } from '../domain/contract.ts';
import { CursorParameter, limitUpTo, Pagination } from '../domain/page.ts';
import { ProviderName, Timestamp } from '../domain/wire.ts';

const operators = ['api-key', 'developer'] as const;

/** Where a delivery stands: waiting for its turn or another try, in work, done, or given up. */
export const DeliveryStatus = z.enum(['ready', 'working', 'done', 'dead']);

/** A notification of a provider, as it came; its body is not shown. `error` is a code, never a value of the body. */
export const Delivery = z.object({
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
});

/** The inbox of all providers, for whoever runs the service. */
export const deliveries = contract('deliveries', {
  list: action({
    summary: 'List deliveries, newest first',
    description: 'Those that were given up, unless another status is asked for.',
    params: z.object({
      status: DeliveryStatus.default('dead'),
      cursor: CursorParameter,
      limit: limitUpTo(100),
    }),
    returns: z.object({ data: z.array(Delivery), pagination: Pagination }),
    http: { method: 'GET', path: '/deliveries', access: operators, tag: 'Operations' },
    idempotent: true,
  }),
  replay: action({
    summary: 'Work on a delivery again',
    description:
      'It waits for its turn like a new one. What it stored before is not stored twice; users who linked the account after it came get nothing of it.',
    params: z.object({ delivery_id: z.uuid('must be a UUID') }),
    returns: Delivery,
    http: {
      method: 'POST',
      path: '/deliveries/:delivery_id/replay',
      access: operators,
      status: 202,
      tag: 'Operations',
      bodyOptional: true,
    },
  }),
});

export type Delivery = z.infer<typeof Delivery>;
export type DeliveryStatus = z.infer<typeof DeliveryStatus>;
