import type { StoreItem, WorkoutRecord } from '../../../../domain/records/records.ts';
import { decodeTimes, encodeTimes } from '../../../../domain/records/sample-codec.ts';
import { farthestOffsetMs } from '../../../../domain/time/clocks.ts';
import { minuteMs, type Range } from '../../../../domain/time/time.ts';
import type { Queryable } from '../../../../mixins/database/database.ts';
import { datedParts, ownClock } from '../../rules/item-clocks.ts';
import { boundsOf } from '../../rules/local-days.ts';
import { selectNamedClocks } from '../../tables/known-clocks.ts';
import type { PlacedSpan } from '../../tables/placed-spans.ts';
import type { PendingBlock } from '../sample-columns.ts';
import { type ClockAt, clockedBlocks, clocksAt, ownClockAt, readClocks, recordClock } from './place.ts';

/** The items of a call. `timeZone` is undefined if no item of the call needs it. */
interface ClockedCall {
  readonly user_id: string;
  readonly provider: string;
  readonly items: readonly StoreItem[];
  readonly timeZone?: string | null | undefined;
}

/** Whether an item has parts that are placed by another clock than its own. */
export function isUndated(item: StoreItem): boolean {
  return ownClock(item) === null && datedParts([item]).length > 0;
}

/** The clocks of the items of a call that state none. */
export async function clocksOfCall(
  transaction: Queryable,
  call: ClockedCall & { readonly placedSpans: readonly PlacedSpan[] },
): Promise<(item: StoreItem) => ClockAt> {
  const undated = call.items.filter(isUndated);
  if (undated.length === 0) return () => ownClockAt(0);
  const { timeZone = null } = call;
  const clocks = await readClocks(transaction, { ...call, timeZone }, rangeOfItems(undated));
  const naming = undated.flatMap(({ clock_of, key }) => (clock_of === null ? [] : [{ clock_of, key }]));
  const namedOf = await selectNamedClocks(transaction, call, naming);
  return ({ clock_of, key, is_local }) =>
    clocksAt(clocks, is_local, clock_of === null ? undefined : namedOf({ clock_of, key }));
}

/** The range of the instants of items. Local times may differ from them by the farthest offset. */
export function rangeOfItems(items: readonly StoreItem[]): Range {
  const { startMs, endMs } = boundsOf(items.flatMap((item) => [...instantsOf(item)]));
  const marginMs = items.some(({ is_local }) => is_local) ? farthestOffsetMs : 0;
  return { startMs: startMs - marginMs, endMs: endMs + marginMs };
}

function* instantsOf({ workout, sleeps, day, day_values, epoch, other, scores, samples }: StoreItem) {
  for (const record of [workout, day, day_values, epoch, other, ...scores])
    if (record !== null) yield record.start_ms;
  for (const { start_ms, end_ms } of sleeps) yield* [start_ms, end_ms];
  for (const { base_ms, at } of samples) for (const offset of at) yield base_ms + offset;
}

/** The items of a call in UTC, and the clock of each. */
export function placeItems(items: readonly StoreItem[], clockOf: (item: StoreItem) => ClockAt): PlacedItem[] {
  return items.map((item) => {
    const own = ownClock(item);
    if (own !== null) return { item, clockAt: ownClockAt(own) };
    const clockAt = clockOf(item);
    return isWhole(item) ? wholeInUtc(item, clockAt) : { item, clockAt };
  });
}

/** An item, and the clock of its parts that state none. */
interface PlacedItem {
  readonly item: StoreItem;
  readonly clockAt: ClockAt;
}

/** Whether the local times of an item have one clock. */
export const isWhole = ({ is_local, workout, sleeps }: StoreItem): boolean =>
  is_local && (workout !== null || sleeps.length > 0);

// The parts of a workout or a sleep belong together. Its clock stays: no other one moves it.
function wholeInUtc(item: StoreItem, clockAt: ClockAt): PlacedItem {
  const { offset } = clockAt((item.workout ?? item.sleeps[0])?.start_ms ?? 0);
  const shiftMs = offset * minuteMs;
  const inUtc = <T extends { start_ms: number; end_ms: number }>(record: T): T => ({
    ...record,
    start_ms: record.start_ms - shiftMs,
    end_ms: record.end_ms - shiftMs,
  });
  const placed = {
    ...item,
    workout: item.workout === null ? null : withPauses(inUtc(item.workout), shiftMs),
    sleeps: item.sleeps.map(inUtc),
    samples: item.samples.map((block) => ({ ...block, base_ms: block.base_ms - shiftMs })),
    track: item.track.map((chunk) => ({
      ...inUtc(chunk),
      times: encodeTimes(decodeTimes(Buffer.from(chunk.times, 'base64')).map((ms) => ms - shiftMs)).toString(
        'base64',
      ),
    })),
  };
  return { item: placed, clockAt: ownClockAt(offset) };
}

const withPauses = ({ pauses, ...workout }: WorkoutRecord, shiftMs: number): WorkoutRecord =>
  pauses === undefined
    ? workout
    : { ...workout, pauses: pauses.map(([ms, lengthMs]): [number, number] => [ms - shiftMs, lengthMs]) };

/** The samples of an item by their clocks, each with the place of the item in its call. */
export function placedBlocks(item: StoreItem, index: number, clockAt: ClockAt): PendingBlock[] {
  return item.samples.flatMap((samples) =>
    clockedBlocks(samples, clockAt).map(({ block, clock: { offset, placed_by } }) => {
      return { item: index, block, zone_offset_minutes: offset, placed_by };
    }),
  );
}

/** The part of a slot that an item has, with its clock. */
export function placedEpochs({ epoch }: StoreItem, index: number, clockAt: ClockAt) {
  if (epoch === null) return [];
  const { offset, placed_by } = recordClock(epoch, epoch.start_ms, clockAt);
  return [{ item: index, epoch, zone_offset_minutes: offset, placed_by }];
}
