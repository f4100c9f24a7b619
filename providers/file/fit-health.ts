import { isKept } from '../../domain/provider/field-table.ts';
import type { DeviceType, IntervalSource } from '../../domain/records/interval-records.ts';
import { accepts, isSeriesType, type SeriesType, seriesOf } from '../../domain/records/series.ts';
import { dayMs, minuteMs } from '../../domain/time/time.ts';
import { instantProblem } from '../phone/normalise/item.ts';
import type { PhaseStage } from '../phone/normalise/sleep-phase.ts';
import { type Entry, keyOf, type Skipped, skipped } from './entry.ts';
import { deviceOf, numberOf, offsetOf } from './fit.ts';
import { isDate } from './fit-clock.ts';
import { type FitMessageName, fitMessageTypes } from './fit-profile.ts';
import type { FitMessage, FitPart } from './fit-reader.ts';

/* What a FIT file contains beside activities: the messages of a day, of scales and cuffs, and of sleep. */

/** Messages whose fields are samples at the instant of the message, with the kind of device that writes them. */
const sampleMessages = {
  monitoring: 'unknown',
  monitoring_info: 'unknown',
  monitoring_hr_data: 'unknown',
  weight_scale: 'scale',
  blood_pressure: 'unknown',
  stress_level: 'unknown',
  respiration_rate: 'unknown',
  spo2_data: 'unknown',
} as const satisfies Partial<Record<FitMessageName, DeviceType>>;

/** The entries of a file beside its activities. */
export function* fitHealth(part: FitPart, nowMs: number): Generator<Entry> {
  const info = part.messages.monitoring_info;
  const offset =
    offsetOf(part.messages.activity.at(-1)) ?? offsetOf(info.find((one) => offsetOf(one) !== null));
  const device = deviceOf(part);
  const context = { nowMs, offset };
  for (const name of sampleNames) {
    const device_type = sampleMessages[name];
    const source: IntervalSource = { device_type, device, device_id: null, app: null };
    for (const message of part.messages[name]) yield* samplesOf(name, message, source, context);
  }
  const source: IntervalSource = { device_type: 'unknown', device, device_id: null, app: null };
  yield* countsOf(part.messages.monitoring, source, context);
  yield* phasesOf(part, source, context);
}

interface Context {
  readonly nowMs: number;
  readonly offset: number | null;
}

const sampleNames = Object.keys(sampleMessages).filter((name): name is keyof typeof sampleMessages =>
  Object.hasOwn(sampleMessages, name),
);

/** The series of the fields of a message that are samples. */
const seriesByMessage = new Map(sampleNames.map((name) => [name, sampleFieldsOf(name)]));

function sampleFieldsOf(name: keyof typeof sampleMessages): (readonly [field: string, series: SeriesType])[] {
  return Object.entries(fitMessageTypes[name].fields).flatMap(([field, { ends }]) => {
    if (ends === null || !isKept(ends) || ends.unit === null) return [];
    const series = ends.ends[0].slice('series.'.length);
    return isSeriesType(series) && seriesOf(series).bucket !== 'sum' ? [[field, series] as const] : [];
  });
}

function* samplesOf(
  name: keyof typeof sampleMessages,
  message: FitMessage,
  source: IntervalSource,
  { nowMs, offset }: Context,
): Generator<Entry> {
  const given = (seriesByMessage.get(name) ?? []).flatMap(([field, series]) => {
    const value = numberOf(message[field]);
    return value === null || (value === 0 && field.endsWith('heart_rate')) ? [] : [{ series, value }];
  });
  if (given.length === 0) return;
  const ms = numberOf(message.timestamp ?? message.stress_level_time);
  const problem = timeProblem(ms, nowMs);
  if (ms === null || problem !== null) {
    yield skipped(name, `The time ${problem}.`);
    return;
  }
  const span = { id: '', start_ms: ms, end_ms: ms, zone_offset_minutes: offset };
  for (const { series, value } of given)
    if (series === 'weight' && value === computingKg)
      yield skipped(series, 'The scale was computing the weight.');
    else if (accepts(series, value))
      yield { kind: 'record', record: { ...span, kind: 'sample', series, source, value } };
    else yield skipped(series, unmeasured[series] ?? 'The value is out of range.');
}

/** The number 0xfffe of a scale. */
const computingKg = 655.34;

/** Why a time is none at which something was measured. */
function timeProblem(ms: number | null, nowMs: number): string | null {
  if (ms === null || !Number.isFinite(ms)) return 'cannot be read';
  return isDate(ms) ? instantProblem(ms, nowMs) : 'counts from power-on, and is no date';
}

/** Devices mark a time in which they could not measure with a value out of range. */
const unmeasured: Readonly<Partial<Record<SeriesType, string>>> = {
  devicemaker_stress_level: 'Stress was not measured at this time.',
  respiratory_rate: 'The respiratory rate was not measured at this time.',
};

/** What is counted since midnight, for each kind of activity: its fields, and its series. */
const countedSeries = {
  steps: {
    fields: ['cycles', 'cycles_16'],
    series: { walking: 'steps', running: 'steps', cycling: null, swimming: null },
  },
  distance_walking_running: {
    fields: ['distance', 'distance_16'],
    series: {
      walking: 'distance_walking_running',
      running: 'distance_walking_running',
      cycling: 'distance_cycling',
      swimming: 'distance_swimming',
    },
  },
  energy: {
    fields: ['active_calories'],
    series: { walking: 'energy', running: 'energy', cycling: 'energy', swimming: 'energy' },
  },
} as const satisfies Partial<Record<SeriesType, Counted>>;

interface Counted {
  readonly fields: readonly string[];
  readonly series: Readonly<Record<Activity, Summed | null>>;
}

type Summed = 'steps' | 'energy' | `distance_${'walking_running' | 'cycling' | 'swimming'}`;

const activities = { 1: 'running', 2: 'cycling', 5: 'swimming', 6: 'walking' } as const;
type Activity = (typeof activities)[keyof typeof activities];

const activityOf = (code: number | null): Activity | null =>
  code === 1 || code === 2 || code === 5 || code === 6 ? activities[code] : null;

/**
 * What devices count since midnight of their clock, as increments. Each kind of activity has a count of its own, but intervals of one
 * source must not overlap: what a message adds is put between it and the last message with a count of the series.
 */
function* countsOf(
  messages: readonly FitMessage[],
  source: IntervalSource,
  { nowMs, offset }: Context,
): Generator<Entry> {
  const lasts = new Map<string, Count>();
  const added = new Map<Summed, Map<number, number>>();
  let unknownKinds = 0;
  for (const message of messages.toSorted((a, b) => timeOf(a) - timeOf(b))) {
    const ms = timeOf(message);
    // The type is in the lower five bits, the intensity in the others.
    const packed = numberOf(message.current_activity_type_intensity);
    const activity = activityOf(numberOf(message.activity_type) ?? (packed === null ? null : packed & 31));
    for (const [kind, { fields, series: byActivity }] of Object.entries(countedSeries)) {
      const total = fields.map((name) => numberOf(message[name])).find((value) => value !== null) ?? null;
      if (total === null) continue;
      const series = activity === null ? null : byActivity[activity];
      const problem = timeProblem(ms, nowMs);
      if (problem !== null) yield skipped('monitoring', `The time ${problem}.`);
      else if (series === null) unknownKinds += total > 0 ? 1 : 0;
      else {
        const counter = `${kind} ${activity}`;
        const ofSeries = added.get(series) ?? new Map<number, number>();
        const value = incrementOf(lasts.get(counter), { ms, total }, offset);
        added.set(series, ofSeries.set(ms, (ofSeries.get(ms) ?? 0) + value));
        lasts.set(counter, { ms, total });
      }
    }
  }
  for (const [series, values] of added) yield* intervalsOf(series, values, source, offset);
  if (unknownKinds > 0)
    yield skipped('monitoring', 'Counts of other kinds of activity have no series.', unknownKinds);
}

const timeOf = ({ timestamp }: FitMessage) => numberOf(timestamp) ?? Number.POSITIVE_INFINITY;

interface Count {
  readonly ms: number;
  readonly total: number;
}

/** What a count adds to the last one of its kind. The first one of a file states what came before it since midnight. */
function incrementOf(last: Count | undefined, { ms, total }: Count, offset: number | null): number {
  if (last === undefined) return offset === null ? 0 : total;
  const isNewDay = offset !== null && last.ms <= midnightBefore(ms, offset);
  return isNewDay || total < last.total ? total : total - last.total;
}

function* intervalsOf(
  series: Summed,
  values: ReadonlyMap<number, number>,
  source: IntervalSource,
  offset: number | null,
): Generator<Entry> {
  let lastMs = Number.NEGATIVE_INFINITY;
  for (const [ms, value] of values) {
    const fromMs = offset === null ? lastMs : Math.max(lastMs, midnightBefore(ms, offset));
    lastMs = ms;
    if (value === 0 || !Number.isFinite(fromMs)) continue;
    const span = { start_ms: fromMs, end_ms: ms, zone_offset_minutes: offset };
    const id = keyOf(series, source, span, value);
    yield { kind: 'record', record: { ...span, id, kind: 'interval', series, source, value } };
  }
}

// The count at midnight is that of the day before.
function midnightBefore(ms: number, offset: number): number {
  const localMs = ms + offset * minuteMs;
  return Math.ceil(localMs / dayMs - 1) * dayMs - offset * minuteMs;
}

/** The stages by their numbers. Level 0 is a time that could not be measured. */
const stages: readonly (PhaseStage | null)[] = [null, 'awake', 'light', 'deep', 'rem'];
const sleep = 74;
const start = 0;

/** A level of sleep that holds longer was not ended by another one. */
const longestLevelMs = 4 * 3_600_000;

/**
 * The phases of nights. Watches write an event when sleep begins and when it ends, and each level at its end. Without an event at
 * the beginning a level holds from its time to that of the next one.
 */
function* phasesOf({ messages }: FitPart, source: IntervalSource, context: Context): Generator<Entry> {
  const events = messages.event.filter(({ event }) => event === sleep);
  const others = messages.event.length - events.length;
  if (others > 0) yield skipped('event', 'Messages of this kind are not kept.', others);
  const levels = [...messages.sleep_level, ...events]
    .flatMap(({ timestamp, sleep_level, event_type }) =>
      typeof timestamp === 'number'
        ? [{ ms: timestamp, level: numberOf(sleep_level), begins: event_type === start }]
        : [],
    )
    .toSorted((a, b) => a.ms - b.ms);
  const undated = messages.sleep_level.length - levels.filter(({ level }) => level !== null).length;
  if (undated > 0) yield skipped('sleep_level', 'The time cannot be read.', undated);
  const first = levels.find(({ level }) => level !== null);
  const endsAtTime = levels.some(({ ms, begins }) => begins && first !== undefined && ms <= first.ms);
  for (const [index, { ms, level }] of levels.entries()) {
    if (level === null) continue;
    const [before, after] = [levels[index - 1], levels[index + 1]];
    const span = endsAtTime ? { start_ms: before?.ms, end_ms: ms } : { start_ms: ms, end_ms: after?.ms };
    yield phaseOf(span, stages[level] ?? null, source, context);
  }
}

function phaseOf(
  { start_ms, end_ms }: { readonly start_ms: number | undefined; readonly end_ms: number | undefined },
  stage: PhaseStage | null,
  source: IntervalSource,
  { nowMs, offset }: Context,
): Entry {
  const leave = (reason: string): Skipped => skipped('sleep_level', reason);
  if (stage === null) return leave('Sleep was not measured at this time.');
  if (start_ms === undefined || end_ms === undefined || end_ms - start_ms > longestLevelMs)
    return leave('The level has no beginning or no end.');
  const problem = timeProblem(start_ms, nowMs) ?? timeProblem(end_ms, nowMs);
  if (problem !== null) return leave(`The time ${problem}.`);
  if (end_ms === start_ms) return leave('The level has no length.');
  const phase = { id: '', start_ms, end_ms, zone_offset_minutes: offset, stage, source, score: null };
  return { kind: 'phase', phase };
}
