import { randomUUID } from 'node:crypto';
import type { z } from 'zod';
import type { DayValuesRecord } from '../../../domain/records/day-values.ts';
import type {
  DayRecord,
  EpochRecord,
  OtherRecord,
  SampleBlock,
  SleepRecord,
  StoreItem,
  WorkoutRecord,
} from '../../../domain/records/records.ts';
import type { ScoreRecord } from '../../../domain/records/scores.ts';
import { minuteMs } from '../../../domain/time/time.ts';

/** Builders of what normalisers produce; each test names only what it is about. */
type Item = z.input<typeof StoreItem>;

let made = 0;

/** An instant of the tests' day, 2026-03-01, by its time in UTC. */
export function at(time: string, date = '2026-03-01'): number {
  return Date.parse(`${date}T${time}Z`);
}

export function item(fields: Partial<Item> = {}): Item {
  made += 1;
  return {
    data_type: 'dailies',
    key: `key-${made}`,
    hash: `hash-${made}`,
    supersede: 'longest',
    duration_seconds: 3600,
    ...fields,
  };
}

/** Samples [time, value] of one series. */
export function block(
  type: SampleBlock['type'],
  samples: readonly (readonly [ms: number, value: number])[],
  fields: Partial<SampleBlock> = {},
): SampleBlock {
  const base = samples[0]?.[0] ?? 0;
  return {
    type,
    device: 'Watch 7',
    zone_offset_minutes: 0,
    base_ms: base,
    at: samples.map(([ms]) => ms - base),
    values: samples.map(([, value]) => value),
    ...fields,
  };
}

export function workout(
  startMs: number,
  minutes: number,
  fields: Partial<WorkoutRecord> = {},
): WorkoutRecord {
  return {
    type: 'running',
    raw_type: 'RUNNING',
    name: 'Morning run',
    start_ms: startMs,
    end_ms: startMs + minutes * minuteMs,
    zone_offset_minutes: 60,
    duration_seconds: minutes * 60,
    moving_seconds: null,
    device: 'Watch 7',
    calories_kcal: null,
    distance_meters: null,
    avg_heart_rate_bpm: null,
    max_heart_rate_bpm: null,
    avg_pace_sec_per_km: null,
    elevation_gain_meters: null,
    steps: null,
    manual: null,
    web_upload: null,
    private: null,
    is_parent: false,
    parent_id: null,
    ...fields,
  };
}

export function activity(record: WorkoutRecord, fields: Partial<Item> = {}): Item {
  return item({
    data_type: 'activities',
    key: randomUUID(),
    supersede: 'latest',
    duration_seconds: record.duration_seconds,
    workout: record,
    ...fields,
  });
}

export function sleep(startMs: number, minutes: number, fields: Partial<SleepRecord> = {}): SleepRecord {
  return {
    start_ms: startMs,
    end_ms: startMs + minutes * minuteMs,
    zone_offset_minutes: 60,
    date: new Date(startMs + minutes * minuteMs).toISOString().slice(0, 10),
    device: 'Watch 7',
    is_nap: false,
    rank: 1,
    asleep_seconds: minutes * 60,
    deep_seconds: null,
    light_seconds: null,
    rem_seconds: null,
    awake_seconds: null,
    unmeasurable_seconds: null,
    interruptions: null,
    score: null,
    stage_intervals: null,
    details: null,
    ...fields,
  };
}

export function night(sessions: SleepRecord[], fields: Partial<Item> = {}): Item {
  return item({
    data_type: 'sleeps',
    key: String(sessions[0]?.start_ms),
    supersede: 'sleep',
    duration_seconds: sessions[0]?.asleep_seconds ?? 0,
    sleeps: sessions,
    ...fields,
  });
}

export function day(date: string, fields: Partial<DayRecord> = {}): DayRecord {
  return {
    date,
    start_ms: Date.parse(`${date}T00:00:00Z`),
    duration_seconds: 3600,
    zone_offset_minutes: 0,
    device: 'Watch 7',
    steps: null,
    distance_meters: null,
    floors_climbed: null,
    active_seconds: null,
    moderate_seconds: null,
    vigorous_seconds: null,
    active_calories_kcal: null,
    basal_calories_kcal: null,
    avg_heart_rate_bpm: null,
    min_heart_rate_bpm: null,
    max_heart_rate_bpm: null,
    pushes: null,
    consumed_calories_kcal: null,
    ...fields,
  };
}

export function dayValues(date: string, fields: Partial<DayValuesRecord> = {}): DayValuesRecord {
  return {
    date,
    start_ms: Date.parse(`${date}T00:00:00Z`),
    duration_seconds: 3600,
    zone_offset_minutes: 120,
    device: 'Watch 7',
    values: { average_stress_level: 31 },
    extra: null,
    ...fields,
  };
}

export function score(date: string, fields: Partial<ScoreRecord> = {}): ScoreRecord {
  const start_ms = Date.parse(`${date}T00:00:00Z`);
  return {
    kind: 'readiness',
    value: 70,
    label: null,
    components: {},
    date,
    start_ms,
    end_ms: start_ms + 60 * minuteMs,
    zone_offset_minutes: 120,
    device: 'Ring 4',
    ...fields,
  };
}

export function epoch(startMs: number, fields: Partial<EpochRecord> = {}): EpochRecord {
  return {
    start_ms: startMs,
    slot_seconds: 900,
    zone_offset_minutes: 0,
    device: 'Watch 7',
    activity_type: 'WALKING',
    active_seconds: 900,
    sedentary_seconds: 0,
    values: { steps: 100, average_met: 3 },
    ...fields,
  };
}

export function other(startMs: number, fields: Partial<OtherRecord> = {}): OtherRecord {
  return {
    type: 'moveiq',
    start_ms: startMs,
    end_ms: startMs + 20 * minuteMs,
    zone_offset_minutes: 0,
    date: new Date(startMs).toISOString().slice(0, 10),
    device: 'Watch 7',
    data: { activityType: 'Walking' },
    ...fields,
  };
}
