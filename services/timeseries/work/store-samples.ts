import type { SampleBlock, StoreItem } from '../../../domain/records/records.ts';
import { seriesOf } from '../../../domain/records/series.ts';
import { recordAudit } from '../../../mixins/database/audit.ts';
import type { Queryable } from '../../../mixins/database/database.ts';
import type { AuditOrigin } from '../../../runtime/audit-origin.ts';
import type { KeptDays } from '../rules/kept-days.ts';
import type { LocalDays } from '../rules/local-days.ts';
import type { DayInstants } from '../tables/other-instants.ts';
import { samplesPerStatement, upsertSamples } from '../tables/samples.ts';
import { ensureSeries } from '../tables/series.ts';
import {
  activitySeries,
  isActivity,
  type OwnBlock,
  replaceActivityBlocks,
  shownBlocks,
} from './activity-samples.ts';
import { cropActivities } from './crop.ts';
import { addOtherInstants, daysOf, type PlacedBlock, validBlocks } from './placed-blocks.ts';
import { keptBlocks } from './retention.ts';
import { type PendingBlock, sampleColumns } from './sample-columns.ts';
import { settleSamples } from './settle-samples.ts';
import { storeTracks } from './store-tracks.ts';
import type { StoredItems } from './stored-items.ts';

/** The samples of a call's items, and what is known of the items. */
interface CallSamples {
  readonly transaction: Queryable;
  readonly user_id: string;
  readonly provider: string;
  readonly items: readonly StoreItem[];
  readonly storedItems: StoredItems;
  readonly accepted: readonly StoreItem[];
  readonly blocks: readonly PendingBlock[];
  readonly nowMs: number;
  readonly kept: KeptDays;
  readonly origin: AuditOrigin;
}

/** Stores the samples of a call. Returns the number of written samples per item. */
export async function storeSamples(
  call: CallSamples,
  localDays: LocalDays,
): Promise<ReadonlyMap<number, number>> {
  const { transaction, user_id, provider, kept } = call;
  // A call may contain two versions of an item.
  const stored = new Set(call.accepted.filter((item) => call.storedItems.isNewest(item)));
  const { byItem, left } = await writeSamples({ ...call, stored, localDays }, call.blocks);
  await storeTracks(transaction, call, [...stored]);
  const cut = await cropActivities(transaction, call, [...stored]);
  const keys = [...stored].filter(isActivity).map(({ key }) => key);
  const removed = await settleSamples(transaction, { user_id, provider, kept }, [...left, ...cut]);
  if (removed > 0) await auditRemoval(call, keys, removed);
  return byItem;
}

function auditRemoval(call: CallSamples, keys: readonly string[], samples: number): Promise<void> {
  const { transaction, origin, user_id: userId, provider } = call;
  const details = { provider, activities: keys, samples };
  return recordAudit(transaction, origin, { action: 'activity.samples_removed', userId, details });
}

/** Context of writing the samples of a call. */
interface SampleContext {
  readonly transaction: Queryable;
  readonly user_id: string;
  readonly provider: string;
  readonly items: readonly StoreItem[];
  /**
   * Items of the call that are stored now: neither duplicates nor stale, and without a newer version later in the call.
   */
  readonly stored: ReadonlySet<StoreItem>;
  readonly nowMs: number;
  readonly kept: KeptDays;
  readonly localDays: LocalDays;
}

/** Number of samples written per item of the call, and instants that only older versions of activities had. */
interface WrittenSamples {
  readonly byItem: ReadonlyMap<number, number>;
  readonly left: readonly DayInstants[];
}

/** Writes the samples of a call and stores separately which of them come from activities. */
async function writeSamples(
  context: SampleContext,
  pending: readonly PendingBlock[],
): Promise<WrittenSamples> {
  const { transaction, nowMs, kept } = context;
  const placed = await placeInSeries(context, validBlocks(keptBlocks(pending, kept), nowMs));
  const { own, others } = divided(context, placed);
  await addOtherInstants(
    transaction,
    others.filter(({ block }) => activitySeries.has(block.type)),
  );
  const activities = [...context.stored].filter(isActivity);
  const left =
    activities.length === 0 ? [] : await replaceActivityBlocks(transaction, context, activities, own);
  const shown = own.length === 0 ? [] : await shownBlocks(transaction, own);
  return { byItem: await upsert(context, [...others, ...shown]), left };
}

function divided({ items, stored }: SampleContext, placed: readonly PlacedBlock[]) {
  const own: OwnBlock[] = [];
  const others: PlacedBlock[] = [];
  for (const block of placed) {
    const item = items[block.item];
    const isOwn = item !== undefined && isActivity(item) && activitySeries.has(block.block.type);
    if (!isOwn) others.push(block);
    else if (stored.has(item)) own.push({ item, block, days: daysOf(block) });
  }
  return { own, others };
}

async function upsert(
  { transaction, localDays }: SampleContext,
  blocks: readonly PlacedBlock[],
): Promise<Map<number, number>> {
  const written = new Map<number, number>();
  for (const columns of sampleColumns(blocks, localDays, samplesPerStatement))
    for (const row of await upsertSamples(transaction, columns))
      written.set(row.item, (written.get(row.item) ?? 0) + row.written);
  return written;
}

async function placeInSeries(
  { transaction, user_id, provider }: SampleContext,
  blocks: readonly PendingBlock[],
): Promise<PlacedBlock[]> {
  const keys = blocks.map(({ block: { type, device } }) => ({ type_id: seriesOf(type).id, device }));
  const distinct = new Map(keys.map((key) => [seriesKey(key.type_id, key.device), key]));
  const rows = await ensureSeries(transaction, user_id, provider, [...distinct.values()]);
  const ids = new Map(rows.map(({ id, type_id, device }) => [seriesKey(type_id, device), id]));
  const idOf = ({ type, device }: SampleBlock) => ids.get(seriesKey(seriesOf(type).id, device)) ?? 0;
  return blocks.map((pending) => ({ ...pending, series_id: idOf(pending.block) }));
}

function seriesKey(typeId: number, device: string): string {
  return `${typeId} ${device}`;
}
