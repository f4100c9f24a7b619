import type { DayRecord, SleepRecord, WorkoutRecord } from '../../../domain/records/records.ts';
import { isoTime } from '../../../domain/time/time.ts';
import { type ClockAt, recordClock, shiftMs } from '../clocks/place.ts';
import type { RecordRow } from '../queries/upsert-record.ts';

/** The source and the id of a record. */
export interface RecordIdentity {
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
