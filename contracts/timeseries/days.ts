import { z } from 'zod';
import { action } from '../../domain/contract.ts';
import { FreshKind } from '../../domain/freshness/shared-kinds.ts';
import { ActivityDays, BodyFacts, DayValueDays, Nights } from '../../domain/provider/facts.ts';
import {
  IntervalOutcome,
  IntervalRecord,
  IntervalSource,
  mostIntervals,
  ReplacedSpan,
} from '../../domain/records/interval-records.ts';
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

const whose = { user_id: UserId, provider: ProviderName };
const sources = z.array(IntervalSource).max(200);
const Ids = z.array(z.string().min(1).max(300)).max(mostIntervals);

/** Storing interval data of one user and provider, each call in one transaction under the user's lock. */
export const intervalActions = {
  /**
   * Stores intervals. An id that is stored already replaces the stored interval. Ids in `deleted_ids` are removed, and later
   * calls do not store them again. `has_content_ids`: each id is made of the content of its interval, its type and start
   * among it, so that most need not be looked up. A call takes at most 512 KB of JSON. @throws USER_ERASED (410) if the user was deleted
   */
  storeIntervals: action({
    summary: 'Store interval data of one user',
    params: z.object({
      ...whose,
      sources,
      intervals: z.array(IntervalRecord).max(mostIntervals),
      deleted_ids: Ids.default([]),
      has_content_ids: z.boolean().default(false),
      /** They come from a kept delivery that is processed again: their changes are announced as historical. */
      reprocess: z.boolean().default(false),
    }),
    returns: IntervalOutcome,
    idempotent: true,
    timeoutMs: 10_000,
  }),
  /**
   * Replaces everything of this provider and user in spans of types by the given intervals. Of a span with more intervals
   * than a call takes, `spanParts` makes several. @throws USER_ERASED (410) if the user was deleted
   */
  replaceIntervals: action({
    summary: 'Replace the interval data of spans that were read again',
    params: z.object({
      ...whose,
      sources,
      spans: z.array(ReplacedSpan).min(1).max(100),
      intervals: z.array(IntervalRecord).max(mostIntervals),
    }),
    returns: IntervalOutcome,
    idempotent: true,
    timeoutMs: 10_000,
  }),
  /** Removes intervals by their ids. Later calls do not store these ids again. @throws USER_ERASED (410) */
  deleteIntervals: action({
    summary: 'Delete interval data that its provider deleted',
    params: z.object({ ...whose, ids: Ids.min(1) }),
    returns: IntervalOutcome,
    idempotent: true,
    timeoutMs: 10_000,
  }),
};
