import type { IntervalSource } from '../../domain/records/interval-records.ts';
import { accepts } from '../../domain/records/series.ts';
import { minuteMs } from '../../domain/time/time.ts';
import type { LapRecord } from '../../domain/workouts/details.ts';
import { workoutTypeNamed } from '../../domain/workouts/sport-names.ts';
import { instantProblem, textOrNull } from '../phone/normalise/item.ts';
import { type Entry, keyOf, skipped } from './entry.ts';
import { fitLap, fitRecord, fitSession } from './fields.ts';
import { endsIn, figuresOf, lapWith } from './figures.ts';
import { mostPoints, type Point, type Recording } from './recording.ts';

/** A message of a FIT file by the names of the profile. Instants are dates, positions degrees, lengths meters. */
export type FitMessage = Readonly<Record<string, unknown>>;

/** The messages of a FIT file that are read. */
export interface FitFile {
  readonly sessions: readonly FitMessage[];
  readonly laps: readonly FitMessage[];
  readonly records: readonly FitMessage[];
  readonly monitors: readonly FitMessage[];
  readonly file_ids: readonly FitMessage[];
  readonly activity: FitMessage;
}

const [lapEnds, recordEnds] = [endsIn(fitLap, 'laps'), endsIn(fitRecord, 'streams')];
const [totalEnds, detailEnds] = [endsIn(fitSession, 'workout'), endsIn(fitSession, 'details')];

/** The figures of a message. Devices without an `enhanced_` field send the plain one. */
const figuresIn = (message: FitMessage, ends: typeof lapEnds) =>
  figuresOf(ends, (name) => numberOf(message[name]) ?? numberOf(message[name.replace('enhanced_', '')]));

/** The most sessions of a file: a triathlon has five. The records of the file are searched for each. */
export const mostSessions = 100;

/** The activities of a FIT file: one of each session, or one of all records if it has no session. */
export function fitRecordings(file: FitFile): Recording[] {
  const points = file.records.slice(0, mostPoints).flatMap((record) => pointOf(record) ?? []);
  const laps = file.laps
    .slice(0, mostPoints)
    .flatMap((lap) => lapWith(instantOf(lap.start_time), figuresIn(lap, lapEnds)) ?? []);
  const sessions = file.sessions.length === 0 && points.length > 0 ? [{}] : file.sessions;
  return sessions.slice(0, mostSessions).map((session) => recordingOf(session, { file, laps, points }));
}

interface Recorded {
  readonly file: FitFile;
  readonly laps: readonly LapRecord[];
  readonly points: readonly Point[];
}

function pointOf(record: FitMessage): Point | null {
  const ms = instantOf(record.timestamp);
  if (Number.isNaN(ms)) return null;
  return { ms, ...figuresIn(record, recordEnds) };
}

function recordingOf(session: FitMessage, { file, laps, points: all }: Recorded): Recording {
  const start_ms = startOf(session, all);
  const elapsed = numberOf(session.total_elapsed_time) ?? numberOf(session.total_timer_time);
  const end_ms = elapsed === null ? (all.at(-1)?.ms ?? start_ms) : start_ms + Math.round(elapsed * 1000);
  const within = (ms: number) => ms >= start_ms && ms <= end_ms;
  return {
    sport: sportOf(session),
    name: null,
    device: deviceOf(file),
    start_ms,
    end_ms,
    zone_offset_minutes: offsetOf(file.activity),
    totals: figuresIn(session, totalEnds),
    details: figuresIn(session, detailEnds),
    laps: laps.filter((lap) => within(lap.start_ms)),
    points: all.filter(({ ms }) => within(ms)),
  };
}

// `strength_training` says more than `training`, but `treadmill` of `walking` no other sport.
function sportOf({ sport, sub_sport }: FitMessage): string {
  const isKnown = workoutTypeNamed(sport) !== 'other';
  if (typeof sub_sport === 'string' && !isKnown && workoutTypeNamed(sub_sport) !== 'other') return sub_sport;
  return typeof sport === 'string' && sport !== 'generic' ? sport : 'other';
}

function startOf({ start_time }: FitMessage, points: readonly Point[]): number {
  const ms = instantOf(start_time);
  return Number.isNaN(ms) ? (points[0]?.ms ?? Number.NaN) : ms;
}

function deviceOf({ file_ids: [id] }: FitFile): string {
  const names = [id?.manufacturer, id?.product_name ?? id?.product];
  const known = names.filter((name) => typeof name === 'string' || typeof name === 'number');
  return textOrNull(known.join(' '), 100) ?? 'unknown';
}

// The clock of the device is in whole quarters of an hour from UTC.
function offsetOf({ timestamp, local_timestamp }: FitMessage): number | null {
  const minutes = (instantOf(local_timestamp) - instantOf(timestamp)) / minuteMs;
  const offset = Math.round(minutes / 15) * 15;
  return Math.abs(offset) <= 14 * 60 ? offset : null;
}

/** Heart rates and steps of the messages of a day. Steps are counted from the start of the day, by way of moving. */
export function* fitMonitoring(file: FitFile, nowMs: number): Generator<Entry> {
  const zone_offset_minutes = offsetOf(file.activity);
  const source: IntervalSource = {
    device_type: 'unknown',
    device: deviceOf(file),
    device_id: null,
    app: null,
  };
  const lastSteps = new Map<unknown, { readonly ms: number; readonly steps: number }>();
  for (const { timestamp, heart_rate, activity_type, cycles } of file.monitors) {
    const ms = instantOf(timestamp);
    const problem = Number.isNaN(ms) ? 'cannot be read' : instantProblem(ms, nowMs);
    if (problem !== null) {
      yield skipped('monitoring', `The time ${problem}.`);
      continue;
    }
    const span = { id: '', start_ms: ms, end_ms: ms, zone_offset_minutes };
    const rate = numberOf(heart_rate);
    if (rate !== null && accepts('heart_rate', rate))
      yield {
        kind: 'record',
        record: { ...span, kind: 'sample', series: 'heart_rate', source, value: rate },
      };
    const steps = onFoot.has(activity_type) ? numberOf(cycles) : null;
    if (steps === null) continue;
    const total = steps * stepsPerCycle;
    const last = lastSteps.get(activity_type);
    lastSteps.set(activity_type, { ms, steps: total });
    // The first message of a file states what came before it.
    if (last === undefined || last.ms >= ms || total === last.steps) continue;
    const value = total < last.steps ? total : total - last.steps;
    const walked = { ...span, start_ms: last.ms };
    const id = keyOf(`steps ${activity_type}`, source, walked, value);
    yield { kind: 'record', record: { ...walked, id, kind: 'interval', series: 'steps', source, value } };
  }
}

const onFoot: ReadonlySet<unknown> = new Set(['walking', 'running']);
const stepsPerCycle = 2;

function instantOf(value: unknown): number {
  return value instanceof Date ? value.getTime() : Number.NaN;
}

function numberOf(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}
