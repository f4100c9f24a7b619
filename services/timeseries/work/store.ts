import { userErased } from '../../../domain/errors.ts';
import { movedHash, type StoreItem, type StoreOutcome } from '../../../domain/records/records.ts';
import type { Range } from '../../../domain/time/time.ts';
import type { Database, Queryable } from '../../../mixins/database/database.ts';
import type { AuditOrigin } from '../../../runtime/audit-origin.ts';
import { boundsOf } from '../rules/local-days.ts';
import { type Decision, decide, standingOf } from '../rules/versions.ts';
import { KnownHours, type PlacedSpan, selectPlacedSpans } from '../tables/clocks.ts';
import { isErased, lockUser } from '../tables/erasures.ts';
import {
  dropRecords,
  dropTrack,
  type ItemRow,
  lockFreeIds,
  selectItems,
  upsertItems,
} from '../tables/items.ts';
import { selectLocalDays } from '../tables/local-days.ts';
import { deleteUnmade } from '../tables/unlisted.ts';
import { isActivity } from './activity-samples.ts';
import { type ClockAt, clocksOfCall, ownClockAt, placedBlocks, placedEpochs, placeItems } from './clocks.ts';
import { type Span, settleDuplicates } from './duplicates.ts';
import { type PendingEpoch, storeEpochs } from './epochs.ts';
import { settleIntervalsOnDays, settleLocalDays } from './local-days.ts';
import { deleteUnlisted, type ReplacedData } from './replace-span.ts';
import type { PendingBlock } from './sample-blocks.ts';
import { settleCall } from './settle-clocks.ts';
import type { IntervalCircumstances } from './store-intervals.ts';
import { storeRecords } from './store-records.ts';
import { storeSamples } from './store-samples.ts';
import { StoredItems } from './stored-items.ts';

/** Items of one user and provider, to be stored in one transaction. */
export interface StoreRequest {
  readonly user_id: string;
  readonly provider: string;
  readonly items: readonly StoreItem[];
  /** The version of the normaliser that made the items. */
  readonly normaliser_version?: number | null | undefined;
  /** When the delivery of the items arrived. */
  readonly received_ms?: number | null | undefined;
  /** The items come from a kept delivery that is processed again. */
  readonly reprocess?: boolean | undefined;
  /** The span that was read again, if the items are all of it. */
  readonly replaces?: ReplacedData | undefined;
}

/** Parameters of a store beside its items. */
export interface StoreCircumstances extends IntervalCircumstances {
  /** The origin for audit entries. */
  readonly origin: AuditOrigin;
}

/** State of a running store: what it has read, and what it writes at its end. */
interface Work extends StoreRequest, StoreCircumstances {
  readonly transaction: Queryable;
  readonly storedItems: StoredItems;
  readonly blocks: PendingBlock[];
  readonly spans: Span[];
  readonly epochs: PendingEpoch[];
  /** Instants that daily records newly cover. */
  readonly covered: Range[];
  /** Dates of daily records. */
  readonly dates: string[];
  /** Items that are neither duplicates nor stale. */
  readonly accepted: StoreItem[];
  /** Items that are stored again in place of their stored version, with the records of that version. */
  readonly reopened: { readonly item: StoreItem; readonly recordIds: readonly string[] }[];
  /** What the user has that was placed by another clock than its own. */
  readonly placedSpans: readonly PlacedSpan[];
  /** The clock of each item, for its parts that state none. */
  readonly clocks: readonly ClockAt[];
  readonly hours: KnownHours;
  /** Ids that items bring with them and that no record has. */
  readonly freeIds: Set<string>;
}

/** Stores items under the user's lock. Returns outcomes in order. @throws USER_ERASED (410) */
export function store(
  database: Database,
  request: StoreRequest,
  circumstances: StoreCircumstances,
): Promise<StoreOutcome[]> {
  return database.transaction(async (transaction) => {
    await lockUser(transaction, request.user_id);
    if (await isErased(transaction, request.user_id, request.provider)) throw userErased(request.user_id);
    if (request.reprocess === true || areMoved(request.items))
      await transaction.query("select set_config('changes.historical', 'on', true)");
    const work = await begin(transaction, request, circumstances);
    const outcomes: StoreOutcome[] = [];
    for (const [index, item] of work.items.entries()) outcomes.push(await storeItem(work, item, index));
    const stored = await finish(work, outcomes);
    for (const { item, recordIds } of work.reopened)
      await dropRecords(transaction, request.user_id, item, recordIds);
    if (request.replaces !== undefined) await deleteUnlisted(transaction, work, request.replaces);
    return stored;
  });
}

async function begin(
  transaction: Queryable,
  request: StoreRequest,
  circumstances: StoreCircumstances,
): Promise<Work> {
  const { user_id, provider } = request;
  const rows = await selectItems(transaction, user_id, provider, request.items);
  const placedSpans = await selectPlacedSpans(transaction, user_id);
  const clockOf = await clocksOfCall(transaction, { ...request, ...circumstances, placedSpans });
  const storedItems = new StoredItems(rows);
  const recordIds = request.items.flatMap(({ record_id }) => record_id ?? []);
  const freeIds = recordIds.length === 0 ? noIds() : await lockFreeIds(transaction, recordIds);
  const gathered = { blocks: [], spans: [], epochs: [], covered: [], dates: [], accepted: [], reopened: [] };
  const placed = placeItems(request.items, clockOf);
  const [items, clocks] = [placed.map(({ item }) => item), placed.map(({ clockAt }) => clockAt)];
  const placing = { items, clocks, placedSpans, freeIds, hours: new KnownHours() };
  return { ...request, ...circumstances, ...placing, transaction, storedItems, ...gathered };
}

/** Items that were moved in are past data, however new they are. */
const areMoved = (items: readonly StoreItem[]): boolean =>
  items.length > 0 && items.every(({ hash }) => hash.startsWith(movedHash));

const noIds = () => new Set<string>();

async function storeItem(work: Work, item: StoreItem, index: number): Promise<StoreOutcome> {
  if (work.reprocess === true && !(await reopen(work, item))) {
    const { record_ids = [] } = work.storedItems.get(item) ?? {};
    return outcome('stale', record_ids);
  }
  const stored = work.storedItems.get(item);
  const decision = decide(item, stored);
  if (decision === 'duplicate' || decision === 'stale') return outcome(decision, stored?.record_ids ?? []);
  const clockAt = work.clocks[index] ?? ownClockAt(0);
  const result = await recordsOf(work, item, { decision, stored, clockAt });
  if (result.status === 'stale') {
    work.storedItems.noteRefused(item, result);
    return result;
  }
  work.accepted.push(item);
  work.hours.addItem(item);
  work.blocks.push(...placedBlocks(item, index, clockAt));
  work.epochs.push(...placedEpochs(item, index, clockAt));
  const { normaliser_version = null, received_ms = null } = work;
  work.storedItems.note(item, result, { normaliser_version, received_ms });
  return result;
}

// Makes the stored version of an item of a kept delivery count as none, if it is the same. Returns false if nothing is to be
// stored.
async function reopen(work: Work, item: StoreItem): Promise<boolean> {
  const stored = work.storedItems.get(item);
  const standing = standingOf(item, stored, work.received_ms ?? 0);
  if (standing !== 'same') return standing === 'open';
  work.reopened.push({ item, recordIds: [...(stored?.record_ids ?? [])] });
  work.storedItems.reopen(item);
  if (isActivity(item) && item.part === 0) await dropTrack(work.transaction, work, item);
  return true;
}

interface Judged {
  readonly decision: Decision;
  readonly stored: ItemRow | undefined;
  readonly clockAt: ClockAt;
}

// The first part of a version carries its records, so later parts find them stored.
async function recordsOf(work: Work, item: StoreItem, judged: Judged): Promise<StoreOutcome> {
  const { decision, stored, clockAt } = judged;
  const storedIds = stored?.record_ids ?? [];
  if (decision === 'continue') return outcome(stored?.is_first ? 'saved' : 'replaced', storedIds);
  const context = { ...work, clockAt, storedIds };
  const { status, ids, workoutSpans, covered, dates, merged } = await storeRecords(context, item);
  work.spans.push(...workoutSpans);
  work.covered.push(...covered);
  work.dates.push(...dates);
  work.storedItems.replaceIds(merged);
  const standing = ids.length > 0 ? [...ids] : storedIds;
  return outcome(status === 'saved' && decision === 'replace' ? 'replaced' : status, standing);
}

async function finish(work: Work, outcomes: readonly StoreOutcome[]): Promise<StoreOutcome[]> {
  const { transaction, user_id, provider } = work;
  const localDays = await selectLocalDays(transaction, work, boundsOf(instantsOf(work)));
  const { covered, spans: workouts } = work;
  const moved = await settleLocalDays(transaction, work, localDays, { covered, workouts });
  await settleDuplicates(transaction, user_id, [...workouts, ...moved], work.order);
  const slots = await storeEpochs(transaction, { ...work, localDays }, work.epochs);
  work.blocks.push(...slots.blocks);
  await dropUnmade(work);
  await settleIntervalsOnDays(work, { ...work, localDays });
  const written = await storeSamples(work, localDays);
  // The sums of all slots of a call are counted for its last one.
  const ofSums = work.epochs.at(-1)?.item;
  await upsertItems(transaction, user_id, provider, work.storedItems.changes());
  await settleCall(transaction, work);
  return outcomes.map((result, index) => ({
    ...result,
    samples_written: (written.get(index) ?? 0) + (index === ofSums ? slots.sumsWritten : 0),
  }));
}

/** All instants of a call that belong to a local day. */
function* instantsOf({ blocks, epochs, spans, covered }: Work): Generator<number> {
  for (const { block } of blocks) for (const at of block.at) yield block.base_ms + at;
  for (const { epoch } of epochs) yield epoch.start_ms;
  for (const { start_ms } of spans) yield start_ms;
  for (const { startMs, endMs } of covered) yield* [startMs, endMs];
}

function outcome(status: StoreOutcome['status'], recordIds: readonly string[]): StoreOutcome {
  return { status, record_ids: [...recordIds], samples_written: 0 };
}

/**
 * Deletes the day values and the scores of items whose newest version has none. A call may contain two versions of an item,
 * so that this runs after all of them.
 */
function dropUnmade(work: {
  readonly transaction: Queryable;
  readonly user_id: string;
  readonly provider: string;
  readonly accepted: readonly StoreItem[];
  readonly storedItems: StoredItems;
}): Promise<void> {
  const { transaction, accepted, storedItems } = work;
  // The first part of a version has all of its records.
  const replaced = accepted.filter(
    (item) => item.part === 0 && storedItems.isNewest(item) && storedItems.get(item)?.is_first === false,
  );
  const made = replaced.map(({ data_type, key, day_values, scores }) => ({
    data_type,
    key,
    has_day_values: day_values !== null,
    score_kinds: scores.map(({ kind }) => kind),
  }));
  return deleteUnmade(transaction, work, made);
}
