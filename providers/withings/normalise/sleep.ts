import { z } from 'zod';
import { extraOf } from '../../../domain/provider/extra-fields.ts';
import {
  bareItem,
  type SampleBlock,
  type SleepDetails,
  type SleepRecord,
  type StageSpan,
  type StoreItem,
  sleepRanks,
} from '../../../domain/records/records.ts';
import { CalendarDate, knownLocalDate } from '../../../domain/time/time.ts';
import { sleepData } from '../sleep-fields.ts';
import { importedDevice } from './devices.ts';
import {
  count,
  epochSeconds,
  flag,
  id,
  isStorable,
  measure,
  type Normalised,
  offsetAt,
  text,
  withHash,
  withSent,
} from './fields.ts';
import { interruptionsIn, Stage, samplesOf, spansOf } from './sleep-stages.ts';

const seconds = count(0, 259_200);

const Data = z.object({
  total_timeinbed: seconds,
  total_sleep_time: seconds,
  asleepduration: seconds,
  lightsleepduration: seconds,
  deepsleepduration: seconds,
  remsleepduration: seconds,
  waso: seconds,
  wakeupcount: count(0, 1000),
  rmssd_start_avg: measure(1, 1000),
  rmssd_end_avg: measure(1, 1000),
  sleep_score: count(0, 100),
  sleep_latency: seconds,
  durationtosleep: seconds,
});

const Night = z.object({
  id,
  timezone: text(100),
  startdate: epochSeconds,
  enddate: epochSeconds,
  date: CalendarDate.nullable().default(null).catch(null),
  model: count(0, 100_000),
  completed: flag,
  data: Data.catch(Data.parse({})).default(Data.parse({})),
  /** The data as sent. */
  sent: z.record(z.string(), z.unknown()).default({}).catch({}),
});

type Night = z.output<typeof Night>;

/** The records of sleep: nights of `getsummary`, and the stages of `get`. */
export interface SleepRead {
  readonly nights: readonly unknown[];
  readonly stages: readonly unknown[];
}

const devices: Readonly<Record<number, string>> = { 16: 'Sleep tracker', 32: 'Sleep mat' };
const otherDevice = 'Sleep sensor';

/** The names of the devices of nights. No other data has them. */
export const sleepDevices: readonly string[] = [...Object.values(devices), otherDevice, importedDevice];
const longestSeconds = 2 * 86_400;

/** Nights with their stages, heart rates and respiration. */
export function normaliseSleep({ nights, stages }: SleepRead, nowMs: number): Normalised {
  const known = stages.map((stage) => Stage.safeParse(stage).data).filter((stage) => stage !== undefined);
  const skipped: Record<string, number> = {};
  const items = nights.flatMap((record) => {
    const night = Night.safeParse(withSent(record)).data;
    if (night !== undefined && isPlausible(night, nowMs)) return [itemOf(night, known)];
    const reason = night === undefined ? 'unreadable' : 'time_out_of_range';
    skipped[reason] = (skipped[reason] ?? 0) + 1;
    return [];
  });
  return { items, intervals: [], sources: [], skipped };
}

function isPlausible({ startdate, enddate }: Night, nowMs: number): boolean {
  return enddate > startdate && enddate - startdate <= longestSeconds && isStorable(startdate * 1000, nowMs);
}

function itemOf(night: Night, stages: readonly Stage[]): StoreItem {
  const own = stages.filter((one) => one.startdate < night.enddate && one.enddate > night.startdate);
  const origin = {
    startSeconds: night.startdate,
    device: deviceOf(night),
    zoneOffset: offsetAt(night.timezone, night.startdate * 1000),
  };
  return withHash({
    ...bareItem,
    data_type: 'sleep',
    key: night.id,
    supersede: 'sleep',
    duration_seconds: night.enddate - night.startdate,
    sleeps: [sleepOf(night, spansOf(own, night.startdate, night.enddate))],
    samples: [...samplesOf(own, origin), ...variability(night, origin)],
  });
}

// A night without a time asleep of its own stages was sent by another maker's app.
function isImported({ data }: Night): boolean {
  return data.total_sleep_time === null && data.lightsleepduration === null && data.asleepduration !== null;
}

function deviceOf(night: Night): string {
  return isImported(night) ? importedDevice : (devices[night.model ?? 0] ?? otherDevice);
}

function sleepOf(night: Night, spans: StageSpan[] | null): SleepRecord {
  const { data, timezone, startdate, enddate, date } = night;
  const offset = offsetAt(timezone, startdate * 1000);
  const awake = awakeOf(data, spans);
  return {
    start_ms: startdate * 1000,
    end_ms: enddate * 1000,
    zone_offset_minutes: offset,
    date: date ?? knownLocalDate(enddate * 1000, offset),
    device: deviceOf(night),
    is_nap: false,
    rank: rankOf(night),
    asleep_seconds: asleepOf(night, awake),
    deep_seconds: data.deepsleepduration,
    light_seconds: data.lightsleepduration,
    rem_seconds: data.remsleepduration,
    awake_seconds: awake,
    unmeasurable_seconds: null,
    interruptions: data.wakeupcount ?? interruptionsIn(spans),
    score: data.sleep_score,
    stage_intervals: spans,
    details: detailsOf(night),
  };
}

// What the samples of the night contain already is not repeated, except as the provider's own figures.
function detailsOf({ data, completed, sent }: Night): SleepDetails | null {
  const validation = completed === null ? null : completed ? 'completed' : 'not_completed';
  const latency_seconds = data.sleep_latency ?? data.durationtosleep;
  const extra = extraOf(sent, sleepData);
  if (validation === null && latency_seconds === null && extra === null) return null;
  return { validation, score_qualifier: null, score_parts: [], latency_seconds, extra };
}

// An imported night gives way to any of the user's own devices.
function rankOf(night: Night): number {
  if (isImported(night) || night.completed === false) return sleepRanks.tentative;
  return sleepRanks.final;
}

function awakeOf(
  { total_timeinbed, total_sleep_time, waso }: Night['data'],
  spans: StageSpan[] | null,
): number | null {
  if (spans !== null)
    return spans.reduce((sum, [stage, from, to]) => sum + (stage === 'awake' ? to - from : 0), 0);
  if (total_timeinbed !== null && total_sleep_time !== null)
    return Math.max(0, total_timeinbed - total_sleep_time);
  return waso;
}

function asleepOf({ data, startdate, enddate }: Night, awake: number | null): number {
  const stages = [data.deepsleepduration, data.lightsleepduration, data.remsleepduration];
  const staged = stages.reduce<number>((sum, one) => sum + (one ?? 0), 0);
  if (staged > 0) return staged;
  return data.total_sleep_time ?? data.asleepduration ?? Math.max(0, enddate - startdate - (awake ?? 0));
}

// The averages of the first and of the last part of the night.
function variability(
  { data, startdate, enddate }: Night,
  { device, zoneOffset }: { readonly device: string; readonly zoneOffset: number | null },
): SampleBlock[] {
  const given = [
    [0, data.rmssd_start_avg],
    [(enddate - startdate) * 1000, data.rmssd_end_avg],
  ] as const;
  const known = given.flatMap(([at, value]) => (value === null ? [] : [{ at, value }]));
  if (known.length === 0) return [];
  return [
    {
      type: 'heart_rate_variability_rmssd',
      device,
      zone_offset_minutes: zoneOffset,
      base_ms: startdate * 1000,
      at: known.map(({ at }) => at),
      values: known.map(({ value }) => value),
    },
  ];
}
