import { z } from 'zod';
import { action } from '../../domain/contract.ts';
import { FreshKind } from '../../domain/freshness/shared-kinds.ts';
import { ActivityDays, BodyFacts, DayValueDays, Nights } from '../../domain/provider/facts.ts';
import { CalendarDate } from '../../domain/time/time.ts';
import { SortOrder, UserId } from '../../domain/wire.ts';
import { ProviderName } from '../../providers/all.ts';

/** Local days from first to last, both included. A page begins after the day `after`, in reading order. */
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
    summary: 'Read the stored activity of local days, by provider',
    params: z.object({ ...dayRange, limit: z.int().min(1).max(401), parts: z.boolean().default(false) }),
    returns: ActivityDays,
    idempotent: true,
  }),
  /** At most `limit` days, and fewer if their values are large. Null for `provider` means all. */
  dayValues: action({
    summary: 'Read the stored values of local days that no summary has, by item',
    params: z.object({ ...dayRange, provider: ProviderName.nullable(), limit: z.int().min(1).max(101) }),
    returns: DayValueDays,
    idempotent: true,
  }),
  kindDays: action({
    summary: 'List the local days with data of users of a provider, by kind of data',
    params: z.object({
      provider: ProviderName,
      user_ids: z.array(UserId).max(500),
      first_date: CalendarDate,
      last_date: CalendarDate,
    }),
    returns: z.object({
      /** Days with data, counted from `first_date`, ascending. */
      data: z.array(z.object({ user_id: UserId, kind: FreshKind, days: z.array(z.int()) })),
    }),
    idempotent: true,
    timeoutMs: 20_000,
  }),
  nights: action({
    summary: 'Read the stored sleep of local days, by provider',
    params: z.object({ ...dayRange, limit: z.int().min(1).max(101) }),
    returns: Nights,
    idempotent: true,
  }),
  bodyFacts: action({
    summary: 'Read the stored body values at an instant, by provider',
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
