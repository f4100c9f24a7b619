import type { SampleBlock } from '../../../domain/records/records.ts';
import { decodeTimes, encodeTimes } from '../../../domain/records/sample-codec.ts';
import { seriesOf } from '../../../domain/records/series.ts';
import { dayMs, earliestMs, minuteMs } from '../../../domain/time/time.ts';
import type { Queryable } from '../../../mixins/database/database.ts';
import type { LocalDays } from '../rules/local-days.ts';
import {
  type DayInstants,
  dayKey,
  dayOf,
  mergedDays,
  type SeriesDay,
  selectOtherInstants,
  union,
  upsertOtherInstants,
  without,
} from '../tables/activity-blocks.ts';
import { placedByOf, type SampleColumns } from '../tables/samples.ts';
import type { KeptDays } from './kept-days.ts';

/** Samples of an item, with their series. */
export interface PlacedBlock extends PendingBlock {
  readonly series_id: number;
}

/** Samples of one UTC day of a series, ascending. */
export interface DaySamples extends DayInstants {
  readonly values: readonly number[];
}

/** Blocks without invalid values and instants, and without expired samples. Empty blocks are left out. */
export function storableBlocks(
  blocks: readonly PendingBlock[],
  { nowMs, kept }: { readonly nowMs: number; readonly kept: KeptDays },
): PendingBlock[] {
  const latestMs = nowMs + dayMs;
  const firstMs = kept.samples === null ? Number.NEGATIVE_INFINITY : Date.parse(kept.samples);
  return blocks
    .map((pending) => {
      const { min, max } = seriesOf(pending.block.type);
      const shiftMs = pending.zone_offset_minutes * minuteMs;
      const isTime = (ms: number) => ms >= earliestMs && ms <= latestMs && ms + shiftMs >= firstMs;
      return filtered(pending, (ms, value) => value >= min && value <= max && isTime(ms));
    })
    .filter(({ block }) => block.at.length > 0);
}

/** A block with the samples that meet a condition. Returns the same object if all do. */
export function filtered<T extends PendingBlock>(
  pending: T,
  holds: (time: number, value: number) => boolean,
): T {
  const { block } = pending;
  const { base_ms, at, values } = block;
  const kept = at.map((offset, index) => holds(base_ms + offset, values[index] ?? Number.NaN));
  if (!kept.includes(false)) return pending;
  const keep = (_: number, index: number) => kept[index] === true;
  return { ...pending, block: { ...block, at: at.filter(keep), values: values.filter(keep) } };
}

/** The samples of a block by UTC day. Of two at one instant the later one is kept. */
export function daysOf({ series_id, block }: PlacedBlock): DaySamples[] {
  const { times, values } = ordered(block);
  return dayRanges(times).map(({ day, from, to }) => ({
    series_id,
    day,
    times: times.slice(from, to),
    values: values.slice(from, to),
  }));
}

function ordered({ base_ms, at, values }: SampleBlock) {
  const times = at.map((offset) => base_ms + offset);
  if (isAscending(times)) return { times, values };
  const byTime = new Map(times.map((time, index) => [time, values[index] ?? 0]));
  const sorted = [...byTime].sort(([a], [b]) => a - b);
  return { times: sorted.map(([time]) => time), values: sorted.map(([, value]) => value) };
}

function isAscending(times: readonly number[]): boolean {
  return times.every((time, index) => index === 0 || time > (times[index - 1] ?? 0));
}

/** The index range of each UTC day in ascending instants. */
function dayRanges(times: readonly number[]): { day: number; from: number; to: number }[] {
  const ranges: { day: number; from: number; to: number }[] = [];
  for (let from = 0; from < times.length; ) {
    const day = dayOf(times[from] ?? 0);
    const end = (day + 1) * dayMs;
    const to = (times.at(-1) ?? 0) < end ? times.length : times.findIndex((time) => time >= end);
    ranges.push({ day, from, to });
    from = to;
  }
  return ranges;
}

/** Instants of samples from records other than activities, by day of a series. */
export type OtherInstants = ReadonlyMap<string, ReadonlySet<number>>;

/** Adds the instants of samples from records other than activities. */
export async function addOtherInstants(
  transaction: Queryable,
  blocks: readonly PlacedBlock[],
): Promise<void> {
  const brought = mergedDays(blocks.flatMap(daysOf));
  const rows = await selectOtherInstants(transaction, brought);
  const storedTimes = new Map(rows.map((row) => [dayKey(row), decodeTimes(row.times)]));
  const grown = brought.flatMap((day) => grownDay(day, storedTimes.get(dayKey(day)) ?? []));
  await upsertOtherInstants(
    transaction,
    grown.map((day) => ({ ...day, times: encodeTimes(day.times) })),
  );
}

// A day that is sent again usually has the same instants and needs no write.
function grownDay(day: DayInstants, stored: readonly number[]): DayInstants[] {
  if (stored.length >= day.times.length && without(day.times, stored).length === 0) return [];
  return [{ ...day, times: union(stored, day.times) }];
}

/** The stored instants of days of series. */
export async function readOtherInstants(
  transaction: Queryable,
  days: readonly SeriesDay[],
): Promise<OtherInstants> {
  const rows = await selectOtherInstants(transaction, days);
  return new Map(rows.map((row) => [dayKey(row), new Set(decodeTimes(row.times))]));
}

/** Samples of one series from an item, with the resolved offset of their clock, and by what they were placed. */
export interface PendingBlock {
  readonly item: number;
  readonly block: SampleBlock;
  readonly zone_offset_minutes: number;
  readonly placed_by: number | null;
}

interface Sample {
  readonly time: number;
  readonly value: number;
  readonly offset: number;
  readonly placed_by: number | null;
  readonly item: number;
}

/**
 * Samples of several blocks as columns of at most `most` rows, ordered by (series, time), each with the offset that
 * puts it on its local day. Of two with one key the later one is kept.
 */
export function* sampleColumns(
  placed: readonly (PendingBlock & { readonly series_id: number })[],
  days: LocalDays,
  most: number,
): Generator<SampleColumns> {
  const bySeries = new Map<number, Sample[]>();
  for (const block of placed) {
    const samples = bySeries.get(block.series_id) ?? [];
    bySeries.set(block.series_id, samples);
    collect(block, samples);
  }
  const ordered = [...bySeries].sort(([a], [b]) => a - b);
  const rows = ordered.flatMap(([id, samples]) => distinctByTime(samples).map((sample) => ({ id, sample })));
  for (let from = 0; from < rows.length; from += most) yield toColumns(rows.slice(from, from + most), days);
}

function collect(
  { item, block, zone_offset_minutes: offset, placed_by }: PendingBlock,
  into: Sample[],
): void {
  for (const [index, value] of block.values.entries())
    into.push({ time: block.base_ms + (block.at[index] ?? 0), value, offset, placed_by, item });
}

function distinctByTime(samples: Sample[]): Sample[] {
  if (samples.every((sample, index) => index === 0 || sample.time > (samples[index - 1]?.time ?? 0)))
    return samples;
  // The sort is stable, so the last of equal times is the last one given.
  const sorted = samples.toSorted((a, b) => a.time - b.time);
  return sorted.filter((sample, index) => sorted[index + 1]?.time !== sample.time);
}

function toColumns(rows: readonly { id: number; sample: Sample }[], { offsetOn }: LocalDays): SampleColumns {
  return {
    seriesIds: rows.map(({ id }) => id),
    // A local time is on its day by the offset that turned it into UTC.
    offsets: rows.map(({ sample: { time, offset, placed_by } }) =>
      placed_by !== null && placed_by < 0 ? offset : offsetOn(time, offset),
    ),
    times: rows.map(({ sample }) => sample.time),
    values: rows.map(({ sample }) => sample.value),
    items: rows.map(({ sample }) => sample.item),
    placedBy: placedByOf(rows.map(({ sample }) => sample)),
  };
}
