import { z } from 'zod';
import { Timestamp } from '../domain/wire.ts';

/**
 * The application's subscription to notifications, as the provider reported it. `off`: the provider switched it off;
 * `missing`: there is none; `unknown`: the provider could not be asked; `no_address`: none is registered, because PUBLIC_URL is not
 * https at a public host.
 */
export const SubscriptionFigures = z
  .object({
    state: z
      .enum(['active', 'missing', 'off', 'unknown', 'no_address'])
      .describe(
        '`off`: the provider switched it off. `unknown`: the provider could not be asked. `no_address`: none is registered, because PUBLIC_URL is not https at a public host.',
      ),
    checked_at: Timestamp,
    /** Since when it has this state. */
    since: Timestamp,
  })
  .meta({
    id: 'SubscriptionState',
    description: "The state of the application's subscription at the provider, and since when it has it.",
  });

/** Queue lengths, the remaining read quota, and the items skipped in the last seven days by reason. */
export const Figures = z.object({
  live_waiting: z.int(),
  history_waiting: z.int(),
  given_up: z.int(),
  oldest_event_time: z.int().nullable(),
  /** Null: the provider has no limit of the application that is counted so. */
  budget: z
    .object({
      live: z.int(),
      backfill: z.int(),
      quarter_used: z.int(),
      quarter_limit: z.int(),
      day_used: z.int(),
      day_limit: z.int(),
      paused: z.boolean(),
    })
    .nullable(),
  subscription: SubscriptionFigures.nullable().optional(),
  skipped: z.record(z.string(), z.int()),
});

export type Figures = z.infer<typeof Figures>;
