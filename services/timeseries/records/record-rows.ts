import type { DayRecord, SleepRecord, WorkoutRecord } from '../../../domain/records/records.ts';
import { isoTime, localDate } from '../../../domain/time/time.ts';
import type { ClockAt } from '../clock.ts';
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
export function workoutRow(identity: RecordIdentity, record: WorkoutRecord, offsetAt: ClockAt): RecordRow {
  const { start_ms, end_ms, zone_offset_minutes, plain_name: _, pauses: __, ...rest } = record;
  const offset = zone_offset_minutes ?? offsetAt(start_ms);
  return {
    ...identity,
    ...rest,
    start_time: isoTime(start_ms),
    end_time: isoTime(end_ms),
    zone_offset_minutes: offset,
    zone_reported: zone_offset_minutes !== null,
    local_date: localDate(start_ms, offset),
    deleted_at: null,
    hidden: false,
  };
}

/** The row of a sleep session. It belongs to the local day of waking up. */
export function sleepRow(identity: RecordIdentity, record: SleepRecord, offsetAt: ClockAt): RecordRow {
  const { start_ms, end_ms, zone_offset_minutes, date, stage_intervals, details, ...rest } = record;
  const offset = zone_offset_minutes ?? offsetAt(end_ms);
  return {
    ...identity,
    ...rest,
    start_time: isoTime(start_ms),
    end_time: isoTime(end_ms),
    zone_offset_minutes: offset,
    zone_reported: zone_offset_minutes !== null,
    date: date ?? localDate(end_ms, offset),
    stage_intervals: jsonOrNull(stage_intervals),
    details: jsonOrNull(details),
  };
}

/** The row of a provider's totals of a day. */
export function dayRow(identity: RecordIdentity, record: DayRecord, offsetAt: ClockAt): RecordRow {
  const { start_ms, zone_offset_minutes, date, ...rest } = record;
  const offset = zone_offset_minutes ?? offsetAt(start_ms);
  return {
    ...identity,
    ...rest,
    start_time: isoTime(start_ms),
    zone_offset_minutes: offset,
    date: date ?? localDate(start_ms, offset),
  };
}

function jsonOrNull(value: unknown): string | null {
  return value === null ? null : JSON.stringify(value);
}
