import type { SampleBlock } from '../../../domain/records.ts';
import { accepts, type SeriesType } from '../../../domain/series.ts';
import { instantMs, isObject, type Problem } from './item.ts';
import { isPlaceholder, type LeftOut, problemsOf } from './samples.ts';

/** Samples of an activity, with `unknown` for their device, and what was left out of them. */
export interface Track {
  readonly blocks: readonly SampleBlock[];
  readonly problems: readonly Problem[];
}

interface Channel {
  readonly field: string;
  readonly type: SeriesType;
  /** What a value of the field is divided by: a step is half a turn of one foot. */
  readonly per: number;
}

/** Fields of a sample and the series that each becomes; strokes of a swimmer have none. */
const channels: readonly Channel[] = [
  { field: 'heartRate', type: 'heart_rate', per: 1 },
  { field: 'speedMetersPerSecond', type: 'speed', per: 1 },
  { field: 'bikeCadenceInRPM', type: 'cadence', per: 1 },
  { field: 'stepsPerMinute', type: 'cadence', per: 2 },
  { field: 'powerInWatts', type: 'power', per: 1 },
  { field: 'airTemperatureCelcius', type: 'weather_temperature', per: 1 },
];

/** Reads `samples`, up to one a second for hours: a value that is not as it must be is left out and counted. */
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
  { field, type, per }: Channel,
  samples: readonly unknown[],
  times: readonly (number | null)[],
): { block: SampleBlock | null; problems: Problem[] } {
  const left: LeftOut = { placeholders: 0, outOfRange: 0, badTimes: 0 };
  const found: [ms: number, value: number][] = [];
  let told = 0;
  for (const [index, sample] of samples.entries()) {
    const time = times[index] ?? null;
    const sent = isObject(sample) ? (sample[field] ?? null) : null;
    if (sent === null || time === null) continue;
    told += 1;
    const value = typeof sent === 'number' ? sent / per : sent;
    if (isPlaceholder(type, value)) left.placeholders += 1;
    else if (accepts(type, value)) found.push([time, value]);
    else left.outOfRange += 1;
  }
  return { block: blockOf(type, found), problems: problemsOf(`samples.${field}`, told, left) };
}

function blockOf(type: SeriesType, found: readonly (readonly [ms: number, value: number])[]) {
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
