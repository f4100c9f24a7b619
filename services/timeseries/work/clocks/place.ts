import type { SampleBlock } from '../../../../domain/records/records.ts';
import { clockFor, clockSources, type KnownClocks } from '../../../../domain/time/clocks.ts';
import { dateToMs, localDate, minuteMs, type Range } from '../../../../domain/time/time.ts';
import type { Queryable } from '../../../../mixins/database/database.ts';
import { zoneOfUser } from '../../../../mixins/user-zone.ts';
import type { Call } from '../../../../runtime/environment.ts';
import { nearestOffset } from '../../rules/local-days.ts';
import {
  type NamedClock,
  selectHourClocks,
  selectRecordClocks,
  type Whose,
} from '../../tables/known-clocks.ts';

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

/** Whose data is placed, and the time zone of the user. */
interface PlacedUser extends Whose {
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
export function clockedBlocks(block: SampleBlock, clockAt: ClockAt): ClockedBlock[] {
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
