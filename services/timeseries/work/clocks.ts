import type { SampleBlock, StoreItem, WorkoutRecord } from '../../../domain/records/records.ts';
import { decodeTimes, encodeTimes } from '../../../domain/records/sample-codec.ts';
import { clockFor, clockSources, farthestOffsetMs, type KnownClocks } from '../../../domain/time/clocks.ts';
import { dateToMs, localDate, minuteMs, type Range } from '../../../domain/time/time.ts';
import type { WorkoutExtras } from '../../../domain/workouts/details.ts';
import type { Queryable } from '../../../mixins/database/database.ts';
import { zoneOfUser } from '../../../mixins/user-zone.ts';
import type { Call } from '../../../runtime/environment.ts';
import { boundsOf, datedParts, nearestOffset, ownClock } from '../rules/local-days.ts';
import type { UserProvider } from '../rules/sources.ts';
import {
  type NamedClock,
  type PlacedSpan,
  selectHourClocks,
  selectNamedClocks,
  selectRecordClocks,
} from '../tables/clocks.ts';
import type { PendingBlock } from './sample-blocks.ts';

/*
 * Data without an offset is placed by the clock that domain/time/clocks.ts finds. Rows say by what they were placed in
 * `placed_by` (migrations/0401-placed-by), so that settle-clocks.ts can move them.
 */

/** The offset of data in minutes, and `placed_by` of its row. `date`: the local day, where a named record has it. */
export interface Clock {
  readonly offset: number;
  readonly placed_by: number | null;
  readonly date?: string;
}

/** The clock at an instant, of data that states none. */
export type ClockAt = (ms: number) => Clock;

/** UserProvider data is placed, and the time zone of the user. */
interface PlacedUser extends UserProvider {
  readonly timeZone: string | null;
}

/** Reads the clocks for data of a range. */
export async function readClocks(
  transaction: Queryable,
  { timeZone, ...whose }: PlacedUser,
  range: Range,
): Promise<KnownClocks> {
  if (!(range.startMs < range.endMs)) return { records: [], others: [], timeZone };
  const records = await selectRecordClocks(transaction, whose, range);
  const others = timeZone === null ? await selectHourClocks(transaction, whose.user_id, range) : [];
  return { records, others, timeZone };
}

/** Finds the clock of an instant. The clock of a named record counts first. */
export function clocksAt(clocks: KnownClocks, isLocal: boolean, named?: NamedClock): ClockAt {
  const sign = isLocal ? -1 : 1;
  return (ms) => {
    if (named === undefined) {
      const { offset, source } = clockFor(clocks, ms, isLocal);
      return { offset, placed_by: sign * source };
    }
    const { offset, date } = named;
    // A record that was computed after midnight belongs to the day of the record that it names.
    const onDate = isLocal ? offset : nearestOffset(ms, offset, dateToMs(date));
    return { offset: onDate, placed_by: sign * clockSources.named, ...(isLocal ? {} : { date }) };
  };
}

/** The clock that data states. */
export const ownClockAt =
  (offset: number): ClockAt =>
  () => ({ offset, placed_by: null });

/** The clock of a record, which states an offset, or a date, or neither. */
export function recordClock(
  {
    zone_offset_minutes,
    date,
  }: { readonly zone_offset_minutes: number | null; readonly date?: string | null },
  ms: number,
  clockAt: ClockAt,
): Required<Clock> {
  if (zone_offset_minutes !== null)
    return { offset: zone_offset_minutes, placed_by: null, date: date ?? localDate(ms, zone_offset_minutes) };
  const clock = clockAt(ms);
  const placed_by =
    date != null && clock.placed_by !== null && clock.placed_by > 0
      ? clock.placed_by + dateSent
      : clock.placed_by;
  return { offset: clock.offset, placed_by, date: date ?? clock.date ?? localDate(ms, clock.offset) };
}

/** Added to `placed_by` of records whose date was sent. */
export const dateSent = 10;

/** The local day of scores and values of a day. Only one that was not sent is placed. */
export function datedBy(
  record: {
    readonly zone_offset_minutes: number | null;
    readonly date: string | null;
    readonly start_ms: number;
  },
  clockAt: ClockAt,
): { date: string; placed_by: number | null } {
  if (record.date !== null) return { date: record.date, placed_by: null };
  const { date, placed_by } = recordClock(record, record.start_ms, clockAt);
  return { date, placed_by };
}

/** Samples of one clock. */
interface ClockedBlock {
  readonly block: SampleBlock;
  readonly clock: Clock;
}

/** The samples of a block by their clocks. Local times become instants in UTC. */
function clockedBlocks(block: SampleBlock, clockAt: ClockAt): ClockedBlock[] {
  const { base_ms, zone_offset_minutes } = block;
  if (zone_offset_minutes !== null)
    return [{ block, clock: { offset: zone_offset_minutes, placed_by: null } }];
  const parts: { clock: Clock; from: number; to: number }[] = [];
  for (const [index, at] of block.at.entries()) {
    const clock = clockAt(base_ms + at);
    const last = parts.at(-1);
    if (last?.clock.offset === clock.offset && last.clock.placed_by === clock.placed_by) last.to = index + 1;
    else parts.push({ clock, from: index, to: index + 1 });
  }
  return parts.map(({ clock, from, to }) => ({
    clock,
    block: {
      ...block,
      base_ms: base_ms - shiftMs(clock),
      ...(parts.length === 1 ? {} : { at: block.at.slice(from, to), values: block.values.slice(from, to) }),
    },
  }));
}

/** How far local times are from UTC; 0 for instants. */
export function shiftMs({ offset, placed_by }: Clock): number {
  return placed_by !== null && placed_by < 0 ? offset * minuteMs : 0;
}

/**
 * The time zone of a user, if data without an offset is to be stored; otherwise undefined. It is read before the transaction,
 * because users belong to another service.
 */
export async function zoneOfUndated(
  call: Call,
  userId: string,
  records: readonly { readonly zone_offset_minutes: number | null }[],
): Promise<string | null | undefined> {
  if (records.every(({ zone_offset_minutes }) => zone_offset_minutes !== null)) return undefined;
  return zoneOfUser(call, userId);
}

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
    extras: item.extras === null ? null : { ...item.extras, laps: lapsInUtc(item.extras.laps, shiftMs) },
    track: item.track.map((chunk) => ({
      ...inUtc(chunk),
      times: encodeTimes(decodeTimes(Buffer.from(chunk.times, 'base64')).map((ms) => ms - shiftMs)).toString(
        'base64',
      ),
    })),
  };
  return { item: placed, clockAt: ownClockAt(offset) };
}

const lapsInUtc = (laps: WorkoutExtras['laps'], shiftMs: number): WorkoutExtras['laps'] =>
  laps?.map((lap) => ({
    ...lap,
    start_ms: lap.start_ms - shiftMs,
    end_ms: lap.end_ms === null ? null : lap.end_ms - shiftMs,
  })) ?? null;

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
