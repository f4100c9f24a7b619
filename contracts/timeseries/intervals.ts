import { z } from 'zod';
import { action } from '../../domain/contract.ts';
import {
  IntervalOutcome,
  IntervalRecord,
  IntervalSource,
  mostIntervals,
  ReplacedSpan,
} from '../../domain/records/interval-records.ts';
import { UserId } from '../../domain/wire.ts';
import { ProviderName } from '../../providers/all.ts';

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
