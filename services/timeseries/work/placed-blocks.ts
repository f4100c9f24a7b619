import type { SampleBlock } from '../../../domain/records/records.ts';
import { decodeTimes, encodeTimes } from '../../../domain/records/sample-codec.ts';
import { seriesOf } from '../../../domain/records/series.ts';
import { dayMs, earliestMs } from '../../../domain/time/time.ts';
import type { Queryable } from '../../../mixins/database/database.ts';
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
} from '../tables/other-instants.ts';
import type { PendingBlock } from './sample-columns.ts';

/** Samples of an item, with their series. */
export interface PlacedBlock extends PendingBlock {
  readonly series_id: number;
}

/** Samples of one UTC day of a series, ascending. */
export interface DaySamples extends DayInstants {
  readonly values: readonly number[];
}

/** Blocks without invalid values and instants. Empty blocks are left out. */
export function validBlocks(blocks: readonly PendingBlock[], nowMs: number): PendingBlock[] {
  const latestMs = nowMs + dayMs;
  return blocks
    .map((pending) => {
      const { min, max } = seriesOf(pending.block.type);
      const isTime = (ms: number) => ms >= earliestMs && ms <= latestMs;
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

/** The instants of a block by UTC day. */
function instantsOf({ series_id, block: { base_ms, at } }: PlacedBlock): DayInstants[] {
  const instants = at.map((offset) => base_ms + offset);
  const times = isAscending(instants) ? instants : [...new Set(instants)].sort((a, b) => a - b);
  return dayRanges(times).map(({ day, from, to }) => ({ series_id, day, times: times.slice(from, to) }));
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
  const brought = mergedDays(blocks.flatMap(instantsOf));
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
