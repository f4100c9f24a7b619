import { z } from 'zod';
import { Timestamp } from '../../domain/wire.ts';
import { ProviderName } from '../../providers/all.ts';

/** The state of a delivery. `ready`: waits for its first or next attempt; `dead`: a dead letter. */
export const DeliveryStatus = z.enum(['ready', 'working', 'done', 'dead']).meta({ id: 'DeliveryStatus' });

/** A webhook request of a provider, without its body. `error` is never a value of the body. */
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
    /** The request came to the secret address or has a valid signature. */
  })
  .meta({
    id: 'Delivery',
    description:
      'A webhook notification of a provider, without its body. `error` is a code, or the sentence that names a function of a provider of PROVIDERS that failed; that of a delivery that is done is a warning, such as UNIT_UNKNOWN.',
  });

export type Delivery = z.infer<typeof Delivery>;
export type DeliveryStatus = z.infer<typeof DeliveryStatus>;
