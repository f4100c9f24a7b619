import type { SampleBlock } from '../../../domain/records/records.ts';
import { accepts, type SeriesType } from '../../../domain/records/series.ts';
import { instantMs, isObject, type Problem } from './item.ts';
import { isPlaceholder, type LeftOut, problemsOf } from './samples.ts';

/** Samples of an activity, with device `unknown`, and what was left out of them. */
export interface Track {
  readonly blocks: readonly SampleBlock[];
  readonly problems: readonly Problem[];
}

/** A field of a sample. */
interface Field {
  readonly name: string;
  /** Divisor of the value: a step is half a revolution of one foot. */
  readonly per: number;
}

/** A series and the fields that it is read from. */
interface Channel {
  readonly type: SeriesType;
  readonly fields: readonly Field[];
}

const one = (name: string) => [{ name, per: 1 }];

/**
 * The series of a track. A bike recording has 0 steps beside crank revolutions, a run 0 revolutions beside steps: of
 * several fields the first one above 0 is used, otherwise the first one present.
 */
const channels: readonly Channel[] = [
  { type: 'heart_rate', fields: one('heartRate') },
  { type: 'speed', fields: one('speedMetersPerSecond') },
  {
    type: 'cadence',
    fields: [
      { name: 'bikeCadenceInRPM', per: 1 },
      { name: 'stepsPerMinute', per: 2 },
    ],
  },
  { type: 'swimming_cadence', fields: one('swimCadenceInStrokesPerMinute') },
  { type: 'power', fields: one('powerInWatts') },
  { type: 'weather_temperature', fields: one('airTemperatureCelcius') },
];

/** Reads `samples`, up to one a second for hours. An invalid value is left out and counted. */
export function readTrack(given: unknown, nowMs: number): Track {
  if (given === undefined || given === null) return { blocks: [], problems: [] };
  if (!Array.isArray(given))
    return { blocks: [], problems: [{ field: 'samples', reason: 'must be a list' }] };
  const samples: readonly unknown[] = given;
  const times = samples.map((sample) => timeOf(sample, nowMs));
  const badTimes = times.filter((time) => time === null).length;
  const read = channels.map((channel) => readChannel(channel, samples, times));
  const late = problemsOf('samples', samples.length, { placeholders: 0, outOfRange: 0, badTimes });
  return {
    blocks: read.map(({ block }) => block).filter((block) => block !== null),
    problems: [...late, ...read.flatMap(({ problems }) => problems)],
  };
}

function timeOf(sample: unknown, nowMs: number): number | null {
  const seconds = isObject(sample) ? sample.startTimeInSeconds : null;
  return typeof seconds === 'number' ? instantMs(seconds, nowMs) : null;
}

function readChannel(
  { type, fields }: Channel,
  samples: readonly unknown[],
  times: readonly (number | null)[],
): { block: SampleBlock | null; problems: Problem[] } {
  const sent = fields.filter(({ name }) => samples.some((sample) => isSent(sample, name)));
  if (sent.length === 0) return { block: null, problems: [] };
  const read = sent.map((field) => readField(type, field, samples, times));
  const values = read.map((one) => one.values).reduce(firstAboveZero);
  const found: Found[] = [];
  for (const [index, time] of times.entries()) {
    const value = values[index] ?? Number.NaN;
    if (time !== null && !Number.isNaN(value)) found.push([time, value]);
  }
  return { block: blockOf(type, found), problems: read.flatMap(({ problems }) => problems) };
}

// Most activities have a value in few of the fields. The others cost one look at each sample.
function isSent(sample: unknown, name: string): boolean {
  return isObject(sample) && (sample[name] ?? null) !== null;
}

type Found = readonly [ms: number, value: number];

/**
 * Picks per sample the first column, or the second one if the first has no value, or has 0 where the second has more.
 */
function firstAboveZero(first: Float64Array, second: Float64Array): Float64Array {
  return first.map((value, index) => {
    const other = second[index] ?? Number.NaN;
    const isOther = Number.isNaN(value) || (other > 0 && value === 0);
    return isOther ? other : value;
  });
}

/**
 * The values of a field, one per sample, NaN where it is absent. A Float64Array because a track may have 600,000
 * samples.
 */
function readField(
  type: SeriesType,
  { name, per }: Field,
  samples: readonly unknown[],
  times: readonly (number | null)[],
): { values: Float64Array; problems: Problem[] } {
  const left: LeftOut = { placeholders: 0, outOfRange: 0, badTimes: 0 };
  const values = new Float64Array(samples.length).fill(Number.NaN);
  let sentValues = 0;
  for (const [index, sample] of samples.entries()) {
    const sent = isObject(sample) ? (sample[name] ?? null) : null;
    if (sent === null || (times[index] ?? null) === null) continue;
    sentValues += 1;
    const value = typeof sent === 'number' ? sent / per : sent;
    if (isPlaceholder(type, value)) left.placeholders += 1;
    else if (accepts(type, value)) values[index] = value;
    else left.outOfRange += 1;
  }
  return { values, problems: problemsOf(`samples.${name}`, sentValues, left) };
}

function blockOf(type: SeriesType, found: readonly Found[]): SampleBlock | null {
  const sorted = found.toSorted(([a], [b]) => a - b);
  const [first] = sorted;
  if (first === undefined) return null;
  const [base_ms] = first;
  return {
    type,
    device: 'unknown',
    zone_offset_minutes: null,
    base_ms,
    at: sorted.map(([ms]) => ms - base_ms),
    values: sorted.map(([, value]) => value),
  };
}
