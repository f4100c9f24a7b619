import { z } from 'zod';
import { isNapByTimes } from '../../../domain/records/naps.ts';
import {
  bareItem,
  mostStageSpans,
  type SleepRecord,
  type StageSpan,
  type StoreItem,
  sleepRanks,
} from '../../../domain/records/records.ts';
import { knownLocalDate } from '../../../domain/time/time.ts';
import { columnOf, instantOf, secondsOf } from './cells.ts';
import { type Counter, movedItem, type Placed, recordIdOf } from './mapped.ts';
import type { RecordRow, SleepDetailsRow } from './rows.ts';

/** A night or a nap. */
export function sleepItem(row: RecordRow, placed: Placed, changed: Counter): StoreItem {
  const { name, device, start_ms, end_ms, offset } = placed;
  const details = row.sleep_details ?? {};
  const inBed = Math.round((end_ms - start_ms) / 1000);
  const spans = spansOf(details.sleep_stages, placed, changed);
  const stages = stagesOf(details, spans);
  const sleep: SleepRecord = {
    start_ms,
    end_ms,
    zone_offset_minutes: offset,
    date: knownLocalDate(end_ms, offset),
    device,
    is_nap: details.is_nap ?? isNapByTimes(start_ms, end_ms, offset),
    // A night of the provider counts before it.
    rank: sleepRanks.tentative,
    asleep_seconds: asleepSeconds(details, stages, inBed),
    ...stages,
    unmeasurable_seconds: spans === null ? null : inStage('unmeasurable', spans) || null,
    interruptions: spans?.slice(1, -1).filter(([stage]) => stage === 'awake').length ?? null,
    score: null,
    stage_intervals: spans,
    details: detailsOf(details),
  };
  const item = { ...bareItem, ...name, duration_seconds: inBed, sleeps: [sleep], record_id: recordIdOf(row) };
  return movedItem({ ...item, supersede: 'moved' });
}

/** Our names of stages. Time in bed is in none. */
const stageNames: Readonly<Record<string, StageSpan[0] | null>> = {
  in_bed: null,
  awake: 'awake',
  light: 'light',
  deep: 'deep',
  rem: 'rem',
  sleeping: 'unmeasurable',
  unknown: 'unmeasurable',
};

const Stage = z.object({ stage: z.string(), start_time: z.string(), end_time: z.string() });

function spansOf(stages: unknown, { start_ms, end_ms }: Placed, changed: Counter): StageSpan[] | null {
  const rows = Array.isArray(stages) ? stages : [];
  const second = (ms: number) => Math.round((Math.min(Math.max(ms, start_ms), end_ms) - start_ms) / 1000);
  const spans: StageSpan[] = [];
  for (const row of rows) {
    const stage = Stage.safeParse(row).data;
    const name = stageNames[stage?.stage.toLowerCase() ?? ''];
    const [from, to] = [instantOf(stage?.start_time), instantOf(stage?.end_time)];
    if (name === undefined || from === null || to === null) changed.add('sleep', unreadableStage);
    else if (name !== null && second(to) > second(from)) spans.push([name, second(from), second(to)]);
  }
  if (spans.length > mostStageSpans)
    changed.add('sleep', `the hypnogram has more than ${mostStageSpans} stages`);
  if (spans.length === 0 || spans.length > mostStageSpans) return null;
  return spans.toSorted((a, b) => a[1] - b[1] || a[2] - b[2]);
}

const unreadableStage = 'a stage of the hypnogram cannot be read';

const inStage = (stage: StageSpan[0], spans: readonly StageSpan[]): number =>
  spans.reduce((sum, [name, from, to]) => sum + (name === stage ? to - from : 0), 0);

type Stages = Pick<SleepRecord, 'deep_seconds' | 'light_seconds' | 'rem_seconds' | 'awake_seconds'>;

// Minutes of 0 in all stages stand for a night that was not measured in stages.
function stagesOf(row: SleepDetailsRow, spans: readonly StageSpan[] | null): Stages {
  const sent = {
    deep_seconds: secondsOf(row.sleep_deep_minutes),
    light_seconds: secondsOf(row.sleep_light_minutes),
    rem_seconds: secondsOf(row.sleep_rem_minutes),
    awake_seconds: secondsOf(row.sleep_awake_minutes),
  };
  const isStaged = [sent.deep_seconds, sent.light_seconds, sent.rem_seconds].some((one) => (one ?? 0) > 0);
  if (isStaged) return sent;
  const ofSpans = (stage: StageSpan[0]) => (spans === null ? null : inStage(stage, spans));
  const [deep_seconds, light_seconds, rem_seconds] = [ofSpans('deep'), ofSpans('light'), ofSpans('rem')];
  const hasStages = (deep_seconds ?? 0) + (light_seconds ?? 0) + (rem_seconds ?? 0) > 0;
  const awake_seconds = sent.awake_seconds || ofSpans('awake') || null;
  return hasStages
    ? { deep_seconds, light_seconds, rem_seconds, awake_seconds: awake_seconds ?? 0 }
    : { deep_seconds: null, light_seconds: null, rem_seconds: null, awake_seconds };
}

function asleepSeconds(row: SleepDetailsRow, stages: Stages, inBed: number): number | null {
  const staged = (stages.deep_seconds ?? 0) + (stages.light_seconds ?? 0) + (stages.rem_seconds ?? 0);
  const total = secondsOf(row.sleep_total_duration_minutes) ?? 0;
  if (staged > 0) return staged;
  if (total > 0) return Math.min(total, inBed);
  return stages.awake_seconds === null ? null : Math.max(0, inBed - stages.awake_seconds);
}

/** What no field of a sleep takes. */
function detailsOf(row: SleepDetailsRow): SleepRecord['details'] {
  const values = {
    efficiency: columnOf('efficiency', row.sleep_efficiency_score),
    time_in_bed_minutes: columnOf('time_in_bed_minutes', row.sleep_time_in_bed_minutes),
  };
  const sent = Object.entries(values).filter(([, value]) => value !== null);
  if (sent.length === 0) return null;
  const bare = { validation: null, score_qualifier: null, score_parts: [], latency_seconds: null };
  return { ...bare, extra: Object.fromEntries(sent) };
}
