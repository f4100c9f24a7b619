import type { SampleBlock, StoreItem } from '../../../domain/records/records.ts';
import { seriesOf } from '../../../domain/records/series.ts';
import type { Queryable } from '../../../mixins/database/database.ts';
import type { LocalDays } from '../days/local-days.ts';
import { samplesPerStatement, upsertSamples } from '../queries/upsert-samples.ts';
import type { KeptDays } from '../removal/kept-days.ts';
import { keptBlocks } from '../removal/retention.ts';
import {
  activitySeries,
  isActivity,
  type OwnBlock,
  replaceActivityBlocks,
  shownBlocks,
} from './activity-samples.ts';
import type { DayInstants } from './day-instants.ts';
import { addOtherInstants } from './other-instants.ts';
import { daysOf, type PlacedBlock, validBlocks } from './placed-blocks.ts';
import { ensureSeries } from './queries/ensure-series.ts';
import { type PendingBlock, sampleColumns } from './sample-columns.ts';

/** Context of writing the samples of a call. */
export interface SampleContext {
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

/**
 * Number of samples written per item of the call, instants that only older versions of activities had, and the samples of
 * other records.
 */
export interface WrittenSamples {
  readonly byItem: ReadonlyMap<number, number>;
  readonly others: readonly PlacedBlock[];
  readonly left: readonly DayInstants[];
}

/** Writes the samples of a call and stores separately which of them come from activities. */
export async function writeSamples(
  context: SampleContext,
  pending: readonly PendingBlock[],
): Promise<WrittenSamples> {
  const { transaction, nowMs, kept } = context;
  const placed = await place(context, validBlocks(keptBlocks(pending, kept), nowMs));
  const { own, others } = divided(context, placed);
  await addOtherInstants(
    transaction,
    others.filter(({ block }) => activitySeries.has(block.type)),
  );
  const activities = [...context.stored].filter(isActivity);
  const left =
    activities.length === 0 ? [] : await replaceActivityBlocks(transaction, context, activities, own);
  const shown = own.length === 0 ? [] : await shownBlocks(transaction, own);
  return { byItem: await upsert(context, [...others, ...shown]), others, left };
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

async function place(
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
