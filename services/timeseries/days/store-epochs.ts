import type { EpochRecord } from '../../../domain/records/records.ts';
import { seriesOf } from '../../../domain/records/series.ts';
import { localDate } from '../../../domain/time/time.ts';
import type { Queryable } from '../../../mixins/database/database.ts';
import type { IntervalCircumstances } from '../intervals/store-intervals.ts';
import type { PendingBlock } from '../samples/sample-columns.ts';
import { type SlotSample, slotSamples } from '../samples/slot-samples.ts';
import { type EpochPart, newestThatFit, partOfRow, rowOfPart } from './epoch-parts.ts';
import type { LocalDays } from './local-days.ts';
import { deleteSamples } from './queries/delete-samples.ts';
import { selectEpochParts } from './queries/select-epoch-parts.ts';
import { upsertEpochParts } from './queries/upsert-epoch-parts.ts';
import { storeSlotSums } from './store-slot-sums.ts';

/** A part of a slot from an item of a call, with its resolved offset. */
export interface PendingEpoch {
  readonly item: number;
  readonly epoch: EpochRecord;
  readonly zone_offset_minutes: number;
  /** By what it was placed, if not by its own clock. */
  readonly placed_by: number | null;
}

/** The user whose slots are stored, and how they are dated. */
export interface EpochContext extends IntervalCircumstances {
  readonly user_id: string;
  readonly provider: string;
  readonly localDays: LocalDays;
  /** The parts are stored again: each keeps its place in the order of delivery. */
  readonly isReopened?: boolean | undefined;
}

/** The samples of slots, to be written with those of the call. */
export interface StoredEpochs {
  readonly blocks: readonly PendingBlock[];
  /** Adds the sums that were written to the number of values written per item. */
  withSums(written: ReadonlyMap<number, number>): ReadonlyMap<number, number>;
}

/**
 * Stores parts of slots and recomputes the values of their slots from the parts that count. Sums are stored as intervals.
 * Values that no longer result are deleted.
 */
export async function storeEpochs(
  transaction: Queryable,
  context: EpochContext,
  pending: readonly PendingEpoch[],
): Promise<StoredEpochs> {
  if (pending.length === 0) return { blocks: [], withSums: (written) => written };
  const { user_id, provider, localDays, isReopened = false } = context;
  const slots = [...new Set(pending.map(({ epoch }) => epoch.start_ms))];
  const stored = (await selectEpochParts(transaction, user_id, provider, slots)).map(partOfRow);
  const parts = partsNow(
    stored,
    isReopened ? inPlaceOf(stored, pending, localDays) : later(stored, pending, localDays),
  );
  const known = new Set(stored.map((part) => JSON.stringify(rowOfPart(part))));
  const changed = parts.map(rowOfPart).filter((row) => !known.has(JSON.stringify(row)));
  await upsertEpochParts(transaction, user_id, provider, changed);
  const made = slotSamples(parts);
  const keys = new Set(made.map(slotKey));
  const gone = slotSamples(stored).filter((sample) => !keys.has(slotKey(sample)));
  const goneSamples = gone.filter((sample) => !isSum(sample));
  await deleteSamples(
    transaction,
    user_id,
    provider,
    goneSamples.map(({ type, device, ms }) => ({ type_id: seriesOf(type).id, device, ms })),
  );
  const sums = { made: made.filter(isSum), gone: gone.filter(isSum) };
  const sumsWritten = await storeSlotSums(transaction, context, sums);
  return {
    withSums: (written) => withSums(pending, written, sumsWritten),
    blocks: blocksOf(
      made.filter((sample) => !isSum(sample)),
      pending,
    ),
  };
}

/** All parts of the slots of a call. Pending parts replace their older versions. */
function partsNow(stored: readonly EpochPart[], given: readonly EpochPart[]): EpochPart[] {
  const newest = new Map([...stored, ...given].map((part) => [partKey(part), part]));
  return [...Map.groupBy(newest.values(), ({ start_ms }) => start_ms).values()].flatMap(newestThatFit);
}

function later(stored: readonly EpochPart[], pending: readonly PendingEpoch[], days: LocalDays): EpochPart[] {
  const last = stored.reduce((most, { delivery }) => Math.max(most, delivery), 0);
  return pending.map((one, index) => pendingPart(one, last + 1 + index, days));
}

function inPlaceOf(
  stored: readonly EpochPart[],
  pending: readonly PendingEpoch[],
  days: LocalDays,
): EpochPart[] {
  const deliveries = new Map(stored.map((part) => [partKey(part), part.delivery]));
  return later(stored, pending, days).map((part) => ({
    ...part,
    delivery: deliveries.get(partKey(part)) ?? part.delivery,
  }));
}

function pendingPart(
  { epoch, zone_offset_minutes, placed_by }: PendingEpoch,
  delivery: number,
  { offsetOn }: LocalDays,
): EpochPart {
  const { start_ms } = epoch;
  const local_date = localDate(start_ms, offsetOn(start_ms, zone_offset_minutes));
  return { ...epoch, zone_offset_minutes, placed_by, local_date, delivery, is_superseded: false };
}

function partKey({ start_ms, activity_type }: EpochPart): string {
  return `${start_ms} ${activity_type}`;
}

// The sums of all slots of a call are counted for its last one.
function withSums(pending: readonly PendingEpoch[], written: ReadonlyMap<number, number>, sums: number) {
  const last = pending.at(-1)?.item ?? 0;
  return new Map([...written, [last, (written.get(last) ?? 0) + sums]]);
}

function isSum({ type }: SlotSample): boolean {
  return seriesOf(type).bucket === 'sum';
}

function slotKey({ type, device, ms }: SlotSample): string {
  return `${type} ${ms} ${device}`;
}

// A sample of several items is counted for the last of them.
function blocksOf(samples: readonly SlotSample[], pending: readonly PendingEpoch[]): PendingBlock[] {
  const itemOf = new Map(pending.map(({ item, epoch }) => [epoch.start_ms, item]));
  return samples.map(({ type, device, ms: base_ms, value, zone_offset_minutes, placed_by }) => ({
    item: itemOf.get(base_ms) ?? 0,
    block: { type, device, zone_offset_minutes, base_ms, at: [0], values: [value] },
    zone_offset_minutes,
    placed_by,
  }));
}
