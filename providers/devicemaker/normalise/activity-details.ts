import { type FieldTable, isKept } from '../../../domain/provider/field-table.ts';
import { type Item, isItem } from '../../../domain/recipe/read-fields.ts';
import { factorOf } from '../../../domain/recipe/units.ts';
import { mostPauses, type SampleBlock, type WorkoutRecord } from '../../../domain/records/records.ts';
import { isSeriesType, type SeriesType, seriesOf } from '../../../domain/records/series.ts';
import { type LapRecord, mostLaps, noFigures } from '../../../domain/workouts/details.ts';
import {
  acceptsStream,
  type StreamType,
  streams,
  streamTypes,
  type Track,
} from '../../../domain/workouts/track.ts';
import { withWorkout } from './activity.ts';
import { instantMs, type Normaliser, type Problem, type Refused, refused } from './item.ts';
import { normalisedOf } from './item-type.ts';
import { type CompiledTable, compiled, type ReadItem, readItem } from './read-item.ts';
import { accepting, nothingLeft, problemsOf } from './samples.ts';

/**
 * An activity second by second: its samples, and its fields, which the store merges into the workout of the same activity. The
 * fields are in `summary`, or beside the samples with some senders.
 */
export function detailsType(name: string, fields: FieldTable, ofActivity: FieldTable) {
  const table = compiled(ofActivity, { needed: 'durationInSeconds' });
  const readTrack = trackReader(fields);
  const normalise: Normaliser = (item, nowMs) => {
    if (!isItem(item)) return refused('', 'must be an object');
    const { summary, ...top } = item;
    const inner = isItem(summary) ? summary : {};
    const given = { ...sent(top), ...sent(inner), ...sent({ samples: item.samples }) };
    const { blocks, track, pauses, problems } = readTrack(item.samples, nowMs);
    const read = readWithin(table, given, spanOf(blocks), nowMs);
    const placed = read.problems.map((one) =>
      Object.hasOwn(inner, one.field) ? { ...one, field: `summary.${one.field}` } : one,
    );
    if (!read.ok) return { ok: false, problems: placed };
    const { draft, startMs, device, offset: zone_offset_minutes } = read;
    const endMs = startMs + (draft.workout?.duration_seconds ?? 0) * 1000;
    const laps = lapsOf(item.laps, track, endMs, nowMs);
    const samples = blocks.map((block) => ({ ...block, device, zone_offset_minutes }));
    const whole = {
      ...read,
      draft: {
        ...draft,
        laps,
        ...(pauses === undefined ? {} : { workout: { ...draft.workout, pauses } }),
      },
      problems: [...placed, ...problems],
      parts: { samples },
    };
    const made = withWorkout(whole);
    if (!made.ok) return made;
    // The summary id of the details is that of the activity with a suffix.
    const { key = '' } = made.draft;
    const own = { ...made, draft: { ...made.draft, key: key.replace(/-detail$/, '') } };
    return { ...normalisedOf(name, { fields, supersede: 'latest' }, own), track };
  };
  return { name, fields, normalise, hasTrack: true as const };
}

// If `startTimeInSeconds` or `durationInSeconds` is absent or unreadable, it is derived from the samples.
function readWithin(table: CompiledTable, given: Item, span: Item, nowMs: number): ReadItem | Refused {
  const read = readItem(table, { ...span, ...given }, nowMs);
  const replaced = read.problems.filter(({ field }) => Object.hasOwn(span, field));
  if (read.ok || replaced.length === 0) return read;
  const fromSpan = Object.fromEntries(replaced.map(({ field }) => [field, span[field]]));
  const second = readItem(table, { ...span, ...given, ...fromSpan }, nowMs);
  return { ...second, problems: [...replaced, ...second.problems] };
}

// A null field counts as absent, so that the same field beside the samples is used.
function sent(fields: Item): Item {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => (value ?? null) !== null));
}

function spanOf(blocks: readonly SampleBlock[]): Item {
  const times = blocks.flatMap(({ base_ms, at }) => [base_ms + (at[0] ?? 0), base_ms + (at.at(-1) ?? 0)]);
  if (times.length === 0) return {};
  const startMs = Math.min(...times);
  return { startTimeInSeconds: startMs / 1000, durationInSeconds: (Math.max(...times) - startMs) / 1000 };
}

/** The laps of an activity. The provider sends their starts; their figures are those of the track in between. */
function lapsOf(given: unknown, track: Track | null, endMs: number, nowMs: number): LapRecord[] | null {
  const starts = (Array.isArray(given) ? given : []).flatMap((lap) =>
    isItem(lap) ? (instantMs(lap.startTimeInSeconds, nowMs) ?? []) : [],
  );
  if (starts.length === 0) return null;
  const sorted = [...new Set(starts)].sort((a, b) => a - b).slice(0, mostLaps);
  return sorted.map((start_ms, index) => {
    const end_ms = Math.max(sorted[index + 1] ?? endMs, start_ms);
    const figures = track === null ? {} : figuresOf(track, start_ms, end_ms);
    return { ...noFigures, ...figures, start_ms, end_ms, duration_seconds: (end_ms - start_ms) / 1000 };
  });
}

function figuresOf({ times, columns }: Track, startMs: number, endMs: number): Partial<LapRecord> {
  const [from, to] = [firstFrom(times, startMs), firstFrom(times, endMs)];
  const measured = (type: StreamType) =>
    [...(columns.get(type)?.subarray(from, to) ?? [])].filter((value) => !Number.isNaN(value));
  const [speeds, rates, cadences] = [measured('speed'), measured('heart_rate'), measured('cadence')];
  // The distance counts from the start of the activity.
  const distanceAt = (index: number) =>
    columns
      .get('distance')
      ?.subarray(0, index + 1)
      .findLast((value) => !Number.isNaN(value)) ?? null;
  const end = distanceAt(to);
  return {
    distance_meters: end === null ? null : Math.max(0, end - (distanceAt(from) ?? 0)),
    avg_speed_meters_per_second: mean(speeds),
    max_speed_meters_per_second: largest(speeds),
    avg_heart_rate_bpm: mean(rates),
    max_heart_rate_bpm: largest(rates),
    avg_cadence_rpm: mean(cadences),
    max_cadence_rpm: largest(cadences),
    avg_power_watts: mean(measured('power')),
  };
}

function firstFrom(times: readonly number[], ms: number): number {
  const index = times.findIndex((time) => time >= ms);
  return index === -1 ? times.length : index;
}

function mean(values: readonly number[]): number | null {
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;
}

function largest(values: readonly number[]): number | null {
  return values.length === 0 ? null : values.reduce((a, b) => Math.max(a, b));
}

interface SampleField {
  readonly name: string;
  /** From the unit of the field to that of its column: a step is half a revolution of one foot. */
  readonly factor: number;
}

/** A sample and its time. */
type Timed = readonly [ms: number, sample: Item];

/** The fields under `samples[]` by their columns in a part of the records. Times are read apart. */
function columnsOf(table: FieldTable, part: string, unitOf: (column: string) => string | undefined) {
  const rows = Object.entries(table).flatMap(([path, field]) => {
    const end = isKept(field) ? field.ends.find((one) => one.startsWith(`${part}.`)) : undefined;
    if (!path.startsWith('samples[].') || end === undefined || field.unit === 's') return [];
    const column = end.slice(part.length + 1);
    const factor = factorOf(field.unit, unitOf(column) ?? null);
    return [{ column, name: path.slice('samples[].'.length), factor }];
  });
  return Map.groupBy(rows, ({ column }) => column);
}

/** Reads `samples`, up to one a second for hours, as series of device `unknown` and as a track. */
function trackReader(table: FieldTable) {
  const unitOf = (column: string) => (isSeriesType(column) ? seriesOf(column).unit : undefined);
  const series = [...columnsOf(table, 'series', unitOf)];
  const columns = columnsOf(table, 'streams', (column) => Reflect.get(streams, column)?.unit);
  return (given: unknown, nowMs: number) => {
    const problems: Problem[] = [];
    const timed = timedSamples(given, nowMs, problems);
    const blocks = series.flatMap(([type, fields]) =>
      isSeriesType(type) ? (blockOf(type, fields, timed, problems) ?? []) : [],
    );
    return { blocks, problems, track: trackOf(columns, [...new Map(timed)]), pauses: pausesOf(timed) };
  };
}

// The clock of an activity stands still during a pause. Undefined: no sample has that clock.
function pausesOf(timed: readonly Timed[]): WorkoutRecord['pauses'] {
  const clocked = timed.flatMap(([ms, { timerDurationInSeconds: seconds }]) =>
    typeof seconds === 'number' ? [{ ms, clockMs: seconds * 1000 }] : [],
  );
  if (clocked.length === 0) return undefined;
  const pauses = clocked.slice(1).flatMap(({ ms, clockMs }, index): [number, number][] => {
    const before = clocked[index] ?? { ms, clockMs };
    const paused = Math.round(ms - before.ms - Math.max(0, clockMs - before.clockMs));
    return paused >= 1000 ? [[before.ms, paused]] : [];
  });
  return pauses.slice(0, mostPauses);
}

// In order of time. Of two samples of one instant the one that was sent later is the later one.
function timedSamples(given: unknown, nowMs: number, problems: Problem[]): Timed[] {
  const isList = Array.isArray(given);
  if (!isList && (given ?? null) !== null) problems.push({ field: 'samples', reason: 'must be a list' });
  const samples: readonly unknown[] = isList ? given : [];
  const timed: Timed[] = [];
  let isSorted = true;
  for (const sample of samples) {
    const ms = isItem(sample) ? instantMs(sample.startTimeInSeconds, nowMs) : null;
    if (ms === null || !isItem(sample)) continue;
    isSorted &&= ms >= (timed.at(-1)?.[0] ?? ms);
    timed.push([ms, sample]);
  }
  const badTimes = samples.length - timed.length;
  problems.push(...problemsOf('samples', samples.length, { ...nothingLeft(), badTimes }));
  return isSorted ? timed : timed.sort(([a], [b]) => a - b);
}

/**
 * The value of a column. A bike recording has 0 steps beside crank revolutions, a run 0 revolutions beside steps: of several
 * fields the first one above 0 is used, otherwise the first one present. NaN: there is none.
 */
function firstAboveZero<F extends SampleField>(
  fields: readonly F[],
  sample: Item,
  accepts: (value: unknown, field: F) => value is number,
): number {
  let found = Number.NaN;
  for (const field of fields) {
    const sent = sample[field.name] ?? null;
    if (sent === null) continue;
    const value = typeof sent === 'number' ? sent * field.factor : sent;
    if (accepts(value, field) && (Number.isNaN(found) || (found === 0 && value > 0))) found = value;
  }
  return found;
}

// An invalid value is left out and counted.
function blockOf(
  type: SeriesType,
  fields: readonly SampleField[],
  timed: readonly Timed[],
  problems: Problem[],
): SampleBlock | null {
  const counted = fields.map((field) => {
    const left = nothingLeft();
    return { ...field, total: 0, left, accepts: accepting(type, left) };
  });
  const accepts = (value: unknown, field: (typeof counted)[number]): value is number => {
    field.total += 1;
    return field.accepts(value);
  };
  const [times, values]: [number[], number[]] = [[], []];
  for (const [ms, sample] of timed) {
    const value = firstAboveZero(counted, sample, accepts);
    if (Number.isNaN(value)) continue;
    times.push(ms);
    values.push(value);
  }
  problems.push(...counted.flatMap(({ name, total, left }) => problemsOf(`samples.${name}`, total, left)));
  const [base_ms] = times;
  if (base_ms === undefined) return null;
  return {
    type,
    device: 'unknown',
    zone_offset_minutes: null,
    base_ms,
    at: times.map((ms) => ms - base_ms),
    values,
  };
}

// Null: no sample has a value.
function trackOf(
  fields: ReadonlyMap<string, readonly SampleField[]>,
  points: readonly Timed[],
): Track | null {
  const columns = new Map<StreamType, Float64Array>();
  const isNumber = (value: unknown) => typeof value === 'number';
  for (const type of streamTypes) {
    const own = fields.get(type) ?? [];
    const isPlace = type === 'latitude' || type === 'longitude';
    const values = Float64Array.from(points, ([, sample], index) => {
      if (type === 'moving') return isMoving(sample, points[index - 1]?.[1]);
      const value = isPlace && !isLocated(sample) ? Number.NaN : firstAboveZero(own, sample, isNumber);
      return acceptsStream(type, value) ? value : Number.NaN;
    });
    if (values.some((value) => !Number.isNaN(value))) columns.set(type, values);
  }
  return columns.size === 0 ? null : { times: points.map(([ms]) => ms), columns };
}

// A position counts only as a whole. Devices without a fix send 0 and 0.
function isLocated({ latitudeInDegree: latitude, longitudeInDegree: longitude }: Item): boolean {
  if (!acceptsStream('latitude', latitude) || !acceptsStream('longitude', longitude)) return false;
  return latitude !== 0 || longitude !== 0;
}

function isMoving(sample: Item, before: Item | undefined): number {
  const now = sample.movingDurationInSeconds;
  const then = before === undefined ? 0 : before.movingDurationInSeconds;
  return typeof now === 'number' && typeof then === 'number' ? Number(now > then) : Number.NaN;
}
