import { withoutNoise } from '../../../domain/json/decimals.ts';
import { type IntervalRecord, SummedTypeName } from '../../../domain/records/interval-records.ts';
import type { EpochRecord } from '../../../domain/records/records.ts';
import { accepts, isSeriesType, type SeriesType, seriesOf } from '../../../domain/records/series.ts';
import { localDate } from '../../../domain/time/time.ts';
import type { Queryable } from '../../../mixins/database/database.ts';
import type { LocalDays } from '../rules/local-days.ts';
import { type EpochPartRow, selectEpochParts, upsertEpochParts } from '../tables/epoch-parts.ts';
import { deleteSamples } from '../tables/samples.ts';
import type { PendingBlock } from './sample-blocks.ts';
import { type IntervalCircumstances, storeIntervalsIn } from './store-intervals.ts';

/** A part of a slot from an item of a call, with its resolved offset. */
export interface PendingEpoch {
  readonly item: number;
  readonly epoch: EpochRecord;
  readonly zone_offset_minutes: number;
  /** By what it was placed, if not by its own clock. */
  readonly placed_by: number | null;
}

/** The user whose slots are stored, and how they are dated. */
interface EpochContext extends IntervalCircumstances {
  readonly user_id: string;
  readonly provider: string;
  readonly localDays: LocalDays;
  /** The parts come from kept deliveries: each keeps its place in the order of delivery. */
  readonly reprocess?: boolean | undefined;
}

/** The samples of slots, to be written with those of the call. */
interface StoredEpochs {
  readonly blocks: readonly PendingBlock[];
  /** The number of sums that were written. */
  readonly sumsWritten: number;
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
  if (pending.length === 0) return { blocks: [], sumsWritten: 0 };
  const { user_id, provider, localDays, reprocess = false } = context;
  const slots = [...new Set(pending.map(({ epoch }) => epoch.start_ms))];
  const stored = (await selectEpochParts(transaction, user_id, provider, slots)).map(partOfRow);
  const parts = partsNow(
    stored,
    reprocess ? inPlaceOf(stored, pending, localDays) : later(stored, pending, localDays),
  );
  const storedRows = new Set(stored.map((part) => JSON.stringify(rowOfPart(part))));
  const changed = parts.map(rowOfPart).filter((row) => !storedRows.has(JSON.stringify(row)));
  await upsertEpochParts(transaction, user_id, provider, changed);
  const samples = slotSamples(parts);
  const keys = new Set(samples.map(slotKey));
  const outdated = slotSamples(stored).filter((sample) => !keys.has(slotKey(sample)));
  const outdatedSamples = outdated.filter((sample) => !isSum(sample));
  await deleteSamples(
    transaction,
    user_id,
    provider,
    outdatedSamples.map(({ type, device, ms }) => ({ type_id: seriesOf(type).id, device, ms })),
  );
  const sumsWritten = await storeSlotSums(
    transaction,
    context,
    samples.filter(isSum),
    outdated.filter(isSum).map(idOfSum),
  );
  const others = samples.filter((sample) => !isSum(sample));
  return { blocks: blocksOf(others, pending), sumsWritten };
}

/** All parts of the slots of a call. Pending parts replace their older versions. */
function partsNow(stored: readonly EpochPart[], pending: readonly EpochPart[]): EpochPart[] {
  const newest = new Map([...stored, ...pending].map((part) => [partKey(part), part]));
  return [...Map.groupBy(newest.values(), ({ start_ms }) => start_ms).values()].flatMap(newestThatFit);
}

function later(stored: readonly EpochPart[], pending: readonly PendingEpoch[], days: LocalDays): EpochPart[] {
  const last = stored.reduce((most, { delivery }) => Math.max(most, delivery), 0);
  return pending.map((epoch, index) => pendingPart(epoch, last + 1 + index, days));
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

/**
 * Stores the sums of slots as intervals and deletes those that no longer result. Returns the number of written values. The
 * caller holds the user's lock.
 */
async function storeSlotSums(
  transaction: Queryable,
  context: EpochContext,
  sums: readonly SlotSample[],
  unmade_ids: readonly string[],
): Promise<number> {
  if (sums.length + unmade_ids.length === 0) return 0;
  const devices = [...new Set(sums.map(({ device }) => device))];
  const { user_id, provider, order, nowMs, kept, timeZone } = context;
  const request = {
    user_id,
    provider,
    spans: [],
    deleted_ids: [],
    unmade_ids,
    isClockKept: true,
    // A provider merges the devices of an account before it makes slots.
    sources: devices.map((device) => ({
      device_type: 'merged' as const,
      device,
      device_id: null,
      app: null,
    })),
    intervals: sums.flatMap((sum) => intervalOf(sum, devices.indexOf(sum.device))),
  };
  const { saved, replaced } = await storeIntervalsIn(transaction, request, { order, nowMs, kept, timeZone });
  return saved + replaced;
}

/** The id of the interval of a sum. */
function idOfSum({ type, device, ms }: SlotSample): string {
  return `slot ${type} ${ms} ${device}`;
}

function intervalOf(sum: SlotSample, source: number): IntervalRecord[] {
  const type = SummedTypeName.safeParse(sum.type);
  const { ms: start_ms, slot_seconds, value, placed_by } = sum;
  const zone_offset_minutes = placed_by === null ? sum.zone_offset_minutes : null;
  const end_ms = start_ms + slot_seconds * 1000;
  return type.success
    ? [{ id: idOfSum(sum), type: type.data, source, start_ms, end_ms, value, zone_offset_minutes }]
    : [];
}

/** A stored part of a slot, with its values whether it counts or not. */
interface EpochPart extends Omit<EpochPartRow, 'vals' | 'superseded'> {
  readonly values: EpochPartRow['vals'];
  /** Newer parts leave no time for it. It is stored but does not count. */
  readonly is_superseded: boolean;
}

/** The row of a part. The summed columns are empty if the part does not count. */
function rowOfPart({ values, is_superseded, ...part }: EpochPart): EpochPartRow {
  const { sedentary_seconds } = part;
  if (!is_superseded) return { ...part, vals: values, superseded: null };
  return { ...part, sedentary_seconds: null, vals: {}, superseded: { sedentary_seconds, vals: values } };
}

/** The part of a row. */
function partOfRow({ vals, superseded, ...row }: EpochPartRow): EpochPart {
  if (superseded === null) return { ...row, values: vals, is_superseded: false };
  const { sedentary_seconds } = superseded;
  return { ...row, sedentary_seconds, values: superseded.vals, is_superseded: true };
}

/** The slot length of the device maker. */
const usualSlotSeconds = 900;

/** The length of a slot: the longest that its parts report. */
function slotSecondsOf(parts: readonly Pick<EpochPart, 'slot_seconds'>[]): number {
  return Math.max(0, ...parts.map(({ slot_seconds }) => slot_seconds ?? 0)) || usualSlotSeconds;
}

/**
 * Marks the parts of a slot as superseded or not. The newest part counts. Each older part counts if its active time
 * fits into the time that the newer ones leave.
 */
function newestThatFit(parts: readonly EpochPart[]): EpochPart[] {
  let free = slotSecondsOf(parts);
  const newestFirst = parts.toSorted(
    (a, b) => b.delivery - a.delivery || (a.activity_type < b.activity_type ? -1 : 1),
  );
  return newestFirst.map((part, index) => {
    const seconds = part.active_seconds ?? 0;
    const is_superseded = index > 0 && seconds > free;
    if (!is_superseded) free = Math.max(0, free - seconds);
    return { ...part, is_superseded };
  });
}

/** The sample of a series that results from the parts of a slot. */
interface SlotSample {
  readonly type: SeriesType;
  readonly device: string;
  readonly ms: number;
  readonly slot_seconds: number;
  readonly value: number;
  readonly zone_offset_minutes: number;
  readonly placed_by: number | null;
}

/**
 * The samples of slots, computed from their parts that are not superseded. Values of a type whose buckets are sums are
 * added. Other values become the mean, weighted by active time. Devices are kept separate.
 */
function slotSamples(parts: readonly EpochPart[]): SlotSample[] {
  const counted = parts.filter(({ is_superseded }) => !is_superseded);
  // Sorted, because the last digit of a sum depends on the order.
  const ordered = counted.toSorted((a, b) => (a.activity_type < b.activity_type ? -1 : 1));
  const slots = Map.groupBy(ordered, ({ start_ms, device }) => `${start_ms} ${device}`);
  return [...slots.values()].flatMap(samplesOf);
}

function samplesOf(parts: readonly EpochPart[]): SlotSample[] {
  const [first] = parts;
  if (first === undefined) return [];
  const { start_ms: ms, device, zone_offset_minutes, placed_by } = first;
  const slot_seconds = slotSecondsOf(parts);
  const types = [...new Set(parts.flatMap(({ values }) => Object.keys(values)))].filter(isSeriesType);
  return types.flatMap((type) => {
    const value = seriesOf(type).bucket === 'sum' ? sumOf(parts, type) : meanOf(parts, type);
    return accepts(type, value)
      ? [{ type, device, ms, slot_seconds, value, zone_offset_minutes, placed_by }]
      : [];
  });
}

// A single value stays as sent.
function sumOf(parts: readonly EpochPart[], type: SeriesType): number {
  const reported = parts.flatMap(({ values }) => values[type] ?? []);
  const sum = reported.reduce((total, value) => total + value, 0);
  return reported.length === 1 ? sum : withoutNoise(sum);
}

function meanOf(parts: readonly EpochPart[], type: SeriesType): number {
  const reported = parts.flatMap(({ values, active_seconds }) => {
    const value = values[type];
    return value === undefined ? [] : [{ value, weight: active_seconds ?? 0 }];
  });
  const [first] = reported;
  if (reported.length === 1 && first !== undefined) return first.value;
  const totalWeight = reported.reduce((sum, { weight }) => sum + weight, 0);
  if (totalWeight === 0)
    return withoutNoise(reported.reduce((sum, { value }) => sum + value, 0) / reported.length);
  return withoutNoise(reported.reduce((sum, { value, weight }) => sum + value * weight, 0) / totalWeight);
}
