import { z } from 'zod';

/**
 * The answer to a notification. `accepted`: it is stored, and what it names is read. `ignored`: nothing follows from it.
 * `refused`: it is not the provider's. `verified`: the address is checked, and right.
 */
export const NotificationAnswer = z
  .object({
    status: z.enum(['accepted', 'ignored', 'refused', 'verified']),
    reason: z.string().optional(),
  })
  .meta({ id: 'NotificationAnswer' });

export type NotificationAnswer = z.infer<typeof NotificationAnswer>;
