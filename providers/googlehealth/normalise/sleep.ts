import { createHash } from 'node:crypto';
import { extraOf, extrasTogether } from '../../../domain/provider/extra-fields.ts';
import type { Normalised, PartRead } from '../../../domain/provider/pulled-provider.ts';
import {
  mostStageSpans,
  type SleepDetails,
  type SleepRecord,
  type StageSpan,
  StoreItem,
  sleepRanks,
} from '../../../domain/records/records.ts';
import { localDate } from '../../../domain/time/time.ts';
import { sleep as sleepFields } from '../session-fields.ts';
import { deviceOf, idOf, intervalOf, isObject, msOf, numberAt, type PointSpan } from './point.ts';

const stages: Readonly<Record<string, StageSpan[0]>> = {
  AWAKE: 'awake',
  WAKE: 'awake',
  RESTLESS: 'light',
  ASLEEP: 'light',
  LIGHT: 'light',
  DEEP: 'deep',
  REM: 'rem',
};

/** The sleep sessions that start in a part. */
export function normaliseSleep({ records, span }: PartRead): Normalised {
  const read = (records.list ?? []).map(sleepOf);
  const invalid = read.filter((one) => one === null).length;
  const items = read
    .flatMap((one) => one ?? [])
    .filter(({ sleeps: [sleep] }) => {
      const ms = sleep?.start_ms ?? 0;
      return span === null || (ms >= span.startMs && ms < span.endMs);
    });
  return { items, skipped: invalid === 0 ? {} : { POINT_INVALID: invalid } };
}

function sleepOf(point: unknown): StoreItem | null {
  const value = isObject(point) ? point.sleep : undefined;
  const interval = isObject(value) ? intervalOf(value) : null;
  if (!isObject(point) || !isObject(value) || interval === null) return null;
  const sleep = recordOf(value, interval, deviceOf(point).name);
  return StoreItem.parse({
    ...{ data_type: 'sleep', key: idOf(point) ?? `${interval.startMs}`, supersede: 'latest' },
    ...{ hash: createHash('sha256').update(JSON.stringify(sleep)).digest('hex') },
    ...{ duration_seconds: Math.round((interval.endMs - interval.startMs) / 1000), sleeps: [sleep] },
  });
}

function recordOf(
  value: Readonly<Record<string, unknown>>,
  { startMs, endMs, offsetMinutes }: PointSpan,
  device: string,
): SleepRecord {
  const summary = isObject(value.summary) ? value.summary : {};
  const intervals = stageIntervals(value.stages, startMs);
  const seconds = (stage: StageSpan[0]) => stageSeconds(stage, intervals, summary.stagesSummary);
  const [deep, light, rem, awake] = [seconds('deep'), seconds('light'), seconds('rem'), seconds('awake')];
  const asleep = minutesToSeconds(summary, 'minutesAsleep');
  const metadata = isObject(value.metadata) ? value.metadata : {};
  const inSession = Math.round((endMs - startMs) / 1000);
  const ofStages = (deep ?? 0) + (light ?? 0) + (rem ?? 0);
  return {
    ...{ start_ms: startMs, end_ms: endMs, zone_offset_minutes: offsetMinutes, device },
    date: offsetMinutes === null ? null : localDate(endMs, offsetMinutes),
    ...{ is_nap: metadata.nap === true, rank: sleepRanks.final },
    asleep_seconds: ofStages > 0 ? ofStages : (asleep ?? Math.max(0, inSession - (awake ?? 0))),
    ...{ deep_seconds: deep, light_seconds: light, rem_seconds: rem },
    awake_seconds: awake ?? minutesToSeconds(summary, 'minutesAwake'),
    ...{ unmeasurable_seconds: null, score: null },
    interruptions:
      intervals?.filter(([stage, from, to]) => stage === 'awake' && from > 0 && to < inSession).length ??
      null,
    stage_intervals: intervals,
    details: detailsOf(summary, metadata, value.type),
  };
}

// The status of the stages is the only state that the provider reports of a sleep.
function detailsOf(
  summary: Readonly<Record<string, unknown>>,
  metadata: Readonly<Record<string, unknown>>,
  type: unknown,
): SleepDetails | null {
  const latency_seconds = minutesToSeconds(summary, 'minutesToFallAsleep');
  const { stagesStatus } = metadata;
  const validation =
    typeof stagesStatus === 'string' ? stagesStatus.replaceAll('\0', '').slice(0, 60).toWellFormed() : null;
  const extra = extrasTogether(
    extraOf(summary, sleepFields, 'sleep', 'summary'),
    extraOf(metadata, sleepFields, 'sleep', 'metadata'),
    extraOf({ type }, sleepFields, 'sleep'),
  );
  if (latency_seconds === null && validation === null && extra === null) return null;
  return { validation, score_qualifier: null, score_parts: [], latency_seconds, extra };
}

function minutesToSeconds(summary: Readonly<Record<string, unknown>>, name: string): number | null {
  const minutes = numberAt(summary, name);
  return minutes === null || minutes < 0 ? null : Math.round(minutes * 60);
}

function stageIntervals(given: unknown, startMs: number): StageSpan[] | null {
  const all: readonly unknown[] = Array.isArray(given) ? given : [];
  const spans = all.flatMap((one): StageSpan[] => {
    if (!isObject(one)) return [];
    const [from, to, stage] = [msOf(one.startTime), msOf(one.endTime), stages[String(one.type)]];
    if (from === null || to === null || stage === undefined || to <= from) return [];
    return [[stage, Math.round((from - startMs) / 1000), Math.round((to - startMs) / 1000)]];
  });
  if (spans.length === 0 || spans.length > mostStageSpans) return null;
  return spans.sort((a, b) => a[1] - b[1]);
}

// The summary has the minutes of a stage if there are no intervals.
function stageSeconds(
  stage: StageSpan[0],
  intervals: readonly StageSpan[] | null,
  summary: unknown,
): number | null {
  if (intervals !== null) {
    const own = intervals.filter(([name]) => name === stage);
    return own.reduce((sum, [, from, to]) => sum + to - from, 0);
  }
  const all: readonly unknown[] = Array.isArray(summary) ? summary : [];
  const own = all.filter((one) => isObject(one) && stages[String(one.type)] === stage);
  const minutes = own.flatMap((one) => numberAt(one, 'minutes') ?? []);
  return minutes.length === 0 ? null : Math.round(minutes.reduce((sum, one) => sum + one, 0) * 60);
}
