import { z } from 'zod';

/** Queue lengths, the remaining read quota, and the items skipped in the last seven days by reason. */
export const Figures = z.object({
  live_waiting: z.int(),
  history_waiting: z.int(),
  /** Requested by events that are not authenticated, for users whose quota of such reads is used up. */
  postponed: z.int(),
  given_up: z.int(),
  oldest_event_time: z.int().nullable(),
  budget: z.object({
    live: z.int(),
    backfill: z.int(),
    quarter_used: z.int(),
    quarter_limit: z.int(),
    day_used: z.int(),
    day_limit: z.int(),
    paused: z.boolean(),
  }),
  skipped: z.record(z.string(), z.int()),
});

export type Figures = z.infer<typeof Figures>;
