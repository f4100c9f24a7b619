import { hash } from 'node:crypto';
import { fieldOf } from '../../../domain/error-code.ts';
import { userErased } from '../../../domain/errors.ts';
import {
  type IntervalOutcome,
  type IntervalRecord,
  type IntervalSource,
  longestIntervalMs,
  type ReplacedSpan,
} from '../../../domain/records/interval-records.ts';
import { accepts, seriesOf } from '../../../domain/records/series.ts';
import { farthestOffsetMs } from '../../../domain/time/clocks.ts';
import { dayMs, earliestMs, hourMs, minuteMs } from '../../../domain/time/time.ts';
import type { Database, Queryable } from '../../../mixins/database/database.ts';
import { boundsOf } from '../rules/local-days.ts';
import { orderName, type SourceOrder } from '../rules/sources.ts';
import { isErased, lockUser } from '../tables/erasures.ts';
import { ensureIntervalSet } from '../tables/interval-series.ts';
import {
  deleteIntervals,
  type IntervalRow,
  insertDeletedKeys,
  type KnownKeys,
  selectIntervals,
  selectKnown,
  selectSpan,
  selectStoredStarts,
} from '../tables/interval-values.ts';
import type { KeptDays } from './kept-days.ts';
import { settleStored } from './settle-clocks.ts';
import {
  type IntervalWriting,
  type KeyedInterval,
  type PlacedIntervals,
  placeIntervals,
  writeIntervals,
} from './write-intervals.ts';

/** Intervals of one user and provider, and what they replace, for one transaction. */
export interface IntervalRequest {
  readonly user_id: string;
  readonly provider: string;
  readonly sources: readonly IntervalSource[];
  readonly intervals: readonly IntervalRecord[];
  /** Spans of which nothing but the given intervals remains. */
  readonly spans: readonly ReplacedSpan[];
  readonly deleted_ids: readonly string[];
  /** Each id is made of the content of its interval, so that it has the same type and start each time. */
  readonly has_content_ids?: boolean;
  /** Ids that a normaliser no longer makes intervals of. They are removed, and later calls may store them again. */
  readonly unmade_ids?: readonly string[];
  /** The intervals come from a kept delivery that is processed again. */
  readonly reprocess?: boolean;
  /** The offsets do not change the user's clock. */
  readonly isClockKept?: boolean;
}

/** Parameters of a store beside its intervals. */
export interface IntervalCircumstances extends StorableBounds {
  /** The configured order of sources. */
  readonly order: SourceOrder;
  /** The time zone of the user. Undefined: all of the call states an offset. */
  readonly timeZone: string | null | undefined;
}

interface IntervalStore extends IntervalRequest, IntervalCircumstances, IntervalWriting {}

const uniqueViolation = '23505';

/**
 * Stores, replaces and deletes intervals under the user's lock. If an id of content is stored with another type, which an upgrade may
 * bring, all ids are looked up. @throws USER_ERASED (410)
 */
export async function storeIntervals(
  database: Database,
  request: IntervalRequest,
  circumstances: IntervalCircumstances,
): Promise<IntervalOutcome> {
  const store = (attempt: IntervalRequest) =>
    database.transaction(async (transaction) => {
      const { user_id, provider } = attempt;
      // The statements run in this order: the second one sees what was committed while the first waited for the lock.
      const [, isGone] = await Promise.all([
        lockUser(transaction, user_id),
        isErased(transaction, user_id, provider),
      ]);
      if (isGone) throw userErased(user_id);
      if (attempt.reprocess === true)
        await transaction.query("select set_config('changes.historical', 'on', true)");
      return storeIntervalsIn(transaction, attempt, circumstances);
    });
  return store(request).catch((error: unknown) => {
    if (!request.has_content_ids || fieldOf(error, 'code') !== uniqueViolation) throw error;
    return store({ ...request, has_content_ids: false });
  });
}

/** Stores, replaces and deletes intervals in a transaction that holds the user's lock. */
export async function storeIntervalsIn(
  transaction: Queryable,
  request: IntervalRequest,
  circumstances: IntervalCircumstances,
): Promise<IntervalOutcome> {
  const { user_id, provider } = request;
  const setId = await ensureIntervalSet(transaction, user_id, provider, orderName(circumstances.order));
  const work = { ...request, ...circumstances, transaction, setId };
  const named = [...(await deleteNamed(work)), ...(await deleteUnmade(work))];
  const { placed, known, ignored } = await acceptedIntervals(work);
  const { added, changed, former, unchanged } = changedIntervals(placed, known);
  const deleted = [...named, ...(await clearSpans(work, placed))];
  await writeIntervals(work, { added, changed, former, deleted });
  const { clocks } = placed;
  await settleStored(transaction, { ...work, ...clocks }, { placed: clocks.placed, near: async () => [] });
  return {
    saved: added.length,
    replaced: changed.length,
    unchanged,
    deleted: deleted.length,
    ignored_ids: ignored,
  };
}

async function deleteNamed(work: IntervalStore): Promise<IntervalRow[]> {
  const keys = [...new Set(work.deleted_ids.map(intervalKey))];
  const rows = await deleteKeys(work, keys);
  await insertDeletedKeys(work.transaction, work.setId, keys);
  return rows;
}

function deleteUnmade(work: IntervalStore): Promise<IntervalRow[]> {
  return deleteKeys(work, [...new Set((work.unmade_ids ?? []).map(intervalKey))]);
}

async function deleteKeys(
  { transaction, setId }: IntervalStore,
  keys: readonly string[],
): Promise<IntervalRow[]> {
  if (keys.length === 0) return [];
  const rows = await selectIntervals(transaction, setId, keys);
  await deleteIntervals(
    transaction,
    setId,
    rows.map(({ key }) => key),
  );
  return rows;
}

/** The intervals of a call that may be stored, with their series and keys, and the ids of the others. */
async function acceptedIntervals(work: IntervalStore) {
  const keyed = work.intervals.map((interval) => ({ interval, key: intervalKey(interval.id) }));
  const storable = keyed.filter(({ interval }) => isStorable(interval, work.sources, work));
  const keys = [...new Set((await perhapsKnown(work, storable)).map(({ key }) => key))];
  const known = keys.length === 0 ? nothingKnown : await selectKnown(work.transaction, work.setId, keys);
  const accepted = storable.filter(({ key }) => !known.deleted.has(key));
  const taken = new Set(accepted.map(({ interval }) => interval));
  return {
    known,
    placed: await placeIntervals(work, accepted),
    ignored: work.intervals.filter((interval) => !taken.has(interval)).map(({ id }) => id),
  };
}

/** The intervals whose ids may be known. Those with ids of their content are stored where they start, or not at all. */
async function perhapsKnown(work: IntervalStore, keyed: readonly KeyedInterval[]) {
  if (!work.has_content_ids || keyed.length === 0) return keyed;
  const bounds = boundsOf(keyed.map(({ interval }) => interval.start_ms));
  const typeIds = [...new Set(keyed.map(({ interval }) => seriesOf(interval.type).id))];
  const stored = await selectStoredStarts(work.transaction, { ...work, typeIds }, bounds);
  if (stored === 'all') return keyed;
  return keyed.filter(
    ({ interval: { start_ms } }) => stored !== null && start_ms > stored.startMs && start_ms < stored.endMs,
  );
}

const nothingKnown: KnownKeys = { stored: new Map(), deleted: new Set() };

function changedIntervals({ rows }: PlacedIntervals, { stored }: KnownKeys) {
  const added = rows.filter(({ key }) => !stored.has(key));
  const changed = rows.filter((row) => stored.has(row.key) && !isSame(row, stored.get(row.key)));
  const former = changed.flatMap(({ key }) => stored.get(key) ?? []);
  return { added, changed, former, unchanged: rows.length - added.length - changed.length };
}

function isSame(a: IntervalRow, b: IntervalRow | undefined): boolean {
  return (
    b !== undefined &&
    a.series_id === b.series_id &&
    a.start_ms === b.start_ms &&
    a.duration_ms === b.duration_ms &&
    a.value === b.value &&
    a.zone_offset_minutes === b.zone_offset_minutes &&
    (a.placed_by === null) === (b.placed_by === null)
  );
}

/** Deletes what the replaced spans contained beside the given intervals. Returns the deleted rows. */
async function clearSpans(work: IntervalStore, { rows }: PlacedIntervals): Promise<IntervalRow[]> {
  const { transaction, setId, user_id, provider, spans } = work;
  const kept = new Set(rows.map(({ key }) => key));
  const gone = new Map<string, IntervalRow>();
  for (const { type, of, is_local, start_ms, end_ms } of spans) {
    const marginMs = is_local ? farthestOffsetMs : 0;
    const bounds = { start_ms: start_ms - marginMs, end_ms: end_ms + marginMs };
    const query = { user_id, provider, type_id: seriesOf(type).id, of, ...bounds };
    for (const row of await selectSpan(transaction, query)) {
      const at = row.start_ms + (is_local ? row.zone_offset_minutes * minuteMs : 0);
      if (at >= start_ms && at < end_ms && !kept.has(row.key)) gone.set(row.key, row);
    }
  }
  await deleteIntervals(transaction, setId, [...gone.keys()]);
  return [...gone.values()];
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** The stored key of a provider's id: the id itself if it is a UUID, otherwise the first 16 bytes of its SHA-256. */
function intervalKey(id: string): string {
  if (uuid.test(id)) return id.toLowerCase();
  const hex = hash('sha256', id);
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join(
    '-',
  );
}

/** The bounds of the instants that are stored. */
interface StorableBounds {
  readonly nowMs: number;
  readonly kept: KeptDays;
}

/** Whether an interval has a known source, a value within the range of its type and a possible span. */
function isStorable(
  { type, source, start_ms, end_ms, value }: IntervalRecord,
  sources: readonly IntervalSource[],
  { nowMs, kept }: StorableBounds,
): boolean {
  if (sources[source] === undefined || !accepts(type, value)) return false;
  if (end_ms < start_ms || end_ms - start_ms > longestIntervalMs) return false;
  // No clock is more than 18 hours behind UTC.
  const firstMs = kept.samples === null ? earliestMs : Date.parse(kept.samples) - 18 * hourMs;
  return start_ms >= Math.max(earliestMs, firstMs) && end_ms <= nowMs + dayMs;
}
