import { randomUUID } from 'node:crypto';
import type { DayRecord, SleepRecord, WorkoutRecord } from '../../../domain/records/records.ts';
import { isoTime } from '../../../domain/time/time.ts';
import type { Queryable } from '../../../mixins/database/database.ts';
import type { RecordRow } from '../tables/events.ts';
import { type ClockAt, recordClock, shiftMs } from './clocks/place.ts';
import type { StoredItems } from './stored-items.ts';

/** The source and the id of a record. */
interface RecordIdentity {
  readonly id: string;
  readonly user_id: string;
  readonly provider: string;
  readonly key: string;
  readonly normaliser_version: number | null;
}

/** The row of a workout. Writing it again clears a deletion mark. */
export function workoutRow(identity: RecordIdentity, record: WorkoutRecord, clockAt: ClockAt): RecordRow {
  const { start_ms, end_ms, zone_offset_minutes, plain_name: _, pauses: __, ...rest } = record;
  const { offset, placed_by, date } = recordClock(record, start_ms, clockAt);
  return {
    ...identity,
    ...rest,
    start_time: isoTime(start_ms),
    end_time: isoTime(end_ms),
    zone_offset_minutes: offset,
    zone_reported: zone_offset_minutes !== null,
    placed_by,
    local_date: date,
    deleted_at: null,
  };
}

/** The row of a sleep session. It belongs to the local day of waking up. */
export function sleepRow(identity: RecordIdentity, record: SleepRecord, clockAt: ClockAt): RecordRow {
  const { start_ms, end_ms, zone_offset_minutes, date: _, stage_intervals, details, ...rest } = record;
  const { offset, placed_by, date } = recordClock(record, end_ms, clockAt);
  return {
    ...identity,
    ...rest,
    start_time: isoTime(start_ms),
    end_time: isoTime(end_ms),
    zone_offset_minutes: offset,
    zone_reported: zone_offset_minutes !== null,
    placed_by,
    date,
    stage_intervals: jsonOrNull(stage_intervals),
    details: jsonOrNull(details),
  };
}

/** The row of a provider's totals of a day. */
export function dayRow(identity: RecordIdentity, record: DayRecord, clockAt: ClockAt): RecordRow {
  const { start_ms, zone_offset_minutes, date: _, ...rest } = record;
  const clock = recordClock(record, start_ms, clockAt);
  return {
    ...identity,
    ...rest,
    start_time: isoTime(start_ms - shiftMs(clock)),
    zone_offset_minutes: clock.offset,
    zone_reported: zone_offset_minutes !== null,
    placed_by: clock.placed_by,
    date: clock.date,
  };
}

function jsonOrNull(value: unknown): string | null {
  return value === null ? null : JSON.stringify(value);
}

/** Context of storing an item's records. */
export interface RecordContext {
  readonly transaction: Queryable;
  readonly userId: string;
  readonly provider: string;
  readonly normaliserVersion: number | null;
  /** The clock of records without an offset. */
  readonly clockAt: ClockAt;
  readonly storedItems: StoredItems;
  /** The first local day whose events are kept. Null keeps all. */
  readonly eventsFrom: string | null;
  /** Ids of the records of the item's stored version. */
  readonly storedIds: readonly string[];
}

/** The identity of a record: its stored id, or a new one. */
export function identityOf(
  context: RecordContext,
  key: string,
  storedId: string | undefined,
): RecordIdentity {
  const { userId, provider, normaliserVersion } = context;
  const id = storedId ?? randomUUID();
  return { id, user_id: userId, provider, key, normaliser_version: normaliserVersion };
}
