import { z } from 'zod';
import { action } from '../../domain/contract.ts';
import { TimeParameter } from '../../domain/time/time.ts';
import { Timestamp } from '../../domain/wire.ts';
import { ProviderName } from '../../providers/all.ts';

const Count = z.int().nonnegative();

/** What is stored from webhook deliveries whose sender was not authenticated. */
export const UnauthenticatedData = z
  .object({
    provider: ProviderName,
    from: Timestamp.nullable(),
    to: Timestamp,
    dry_run: z.boolean(),
    items: Count.describe('Items whose stored version came in such a delivery, when the request was made.'),
    users: Count.describe('The users whom these items belong to.'),
  })
  .meta({
    id: 'UnauthenticatedData',
    description: 'What is stored from webhook deliveries whose sender was not authenticated.',
  });

/** Removing what came to the plain webhook address of a provider. */
export const unauthenticatedActions = {
  removeUnauthenticated: action({
    summary: 'Remove what is stored from unauthenticated deliveries',
    description:
      'Removes the records, day values and samples of items whose stored version came only to the plain webhook address without a valid signature. Values of epochs remain, as do samples that another item, or an older version, brought. `POST /deliveries/reprocess` stores again what the removed versions had replaced. Runs in the background; a `dry_run` afterwards returns the rest. Changes are announced as historical.',
    params: z
      .object({
        provider: ProviderName,
        from: TimeParameter.optional().meta({
          description: 'Deliveries that arrived at this time or later. Default: all.',
          example: '2026-01-01',
        }),
        to: TimeParameter.optional().meta({
          description: 'Deliveries that arrived before this time. Default: until now.',
          example: '2026-01-02',
        }),
        dry_run: z.boolean().default(false).describe('Counts what would be removed, and removes nothing.'),
      })
      .meta({ id: 'RemoveUnauthenticatedRequest' }),
    returns: UnauthenticatedData,
    http: {
      method: 'POST',
      path: '/deliveries/remove-unauthenticated',
      access: 'operations',
      status: 202,
      tag: 'Operations',
      audit: 'delivery.unauthenticated_removed',
      failures: ['RANGE_INVALID'],
    },
    idempotent: true,
  }),
};

export type UnauthenticatedData = z.infer<typeof UnauthenticatedData>;
