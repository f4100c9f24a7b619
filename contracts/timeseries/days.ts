import { z } from 'zod';
import { action } from '../../domain/contract.ts';
import { ActivityDays, BodyFacts, Nights } from '../../domain/facts.ts';
import { CalendarDate } from '../../domain/time.ts';
import { SortOrder, UserId } from '../../domain/wire.ts';

/** Local days from first to last, both included; a page begins behind `after` in the order of reading. */
const dayRange = {
  user_id: UserId,
  first_date: CalendarDate,
  last_date: CalendarDate,
  after: CalendarDate.nullable(),
  order: SortOrder,
};

/** Stored data of local days, nights and bodies by provider, for summaries. */
export const dayActions = {
  activityDays: action({
    summary: 'Read what is stored of the activity of local days, by provider',
    params: z.object({ ...dayRange, limit: z.int().min(1).max(401), parts: z.boolean().default(false) }),
    returns: ActivityDays,
    idempotent: true,
  }),
  nights: action({
    summary: 'Read what is stored of the sleep of local days, by provider',
    params: z.object({ ...dayRange, limit: z.int().min(1).max(101) }),
    returns: Nights,
    idempotent: true,
  }),
  bodyFacts: action({
    summary: 'Read what is known of a body at an instant, by provider',
    params: z.object({
      user_id: UserId,
      now_ms: z.int(),
      period_days: z.int().min(1).max(7),
      window_hours: z.int().min(1).max(24),
    }),
    returns: BodyFacts,
    idempotent: true,
  }),
};
