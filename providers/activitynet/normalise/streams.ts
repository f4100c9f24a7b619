import { z } from 'zod';
import type { SampleBlock, WorkoutRecord } from '../../../domain/records/records.ts';
import { accepts, type SeriesType } from '../../../domain/records/series.ts';
import { dayMs } from '../../../domain/time/time.ts';
import { acceptsStream, type StreamType, type Track } from '../../../domain/workouts/track.ts';

/** The streams that become samples. The provider's units equal ours. Cadence counts one foot. */
const sampleTypes: readonly (readonly [stream: string, type: SeriesType])[] = [
  ['heartrate', 'heart_rate'],
  ['cadence', 'cadence'],
  ['watts', 'power'],
  ['velocity_smooth', 'speed'],
  ['temp', 'weather_temperature'],
];

/** The streams of one number a point that become columns of a track. */
const trackTypes: readonly (readonly [stream: string, type: StreamType])[] = [
  ['altitude', 'altitude'],
  ['distance', 'distance'],
  ['velocity_smooth', 'speed'],
  ['heartrate', 'heart_rate'],
  ['cadence', 'cadence'],
  ['watts', 'power'],
  ['temp', 'temperature'],
  ['grade_smooth', 'grade'],
];

/** The streams to request. One request returns all of them. */
export const trackKeys: readonly string[] = [
  'time',
  'latlng',
  ...trackTypes.map(([stream]) => stream),
  'moving',
];

const Stream = z.object({ data: z.array(z.unknown()) });
const Streams = z.record(z.string(), z.unknown());
const longestSeconds = 31 * 86_400;

type Clock = Pick<WorkoutRecord, 'start_ms' | 'device' | 'zone_offset_minutes'>;

/**
 * Samples of an activity's streams, which are parallel arrays. Entries without a time or a value, and values out of
 * range, are left out. Of two values for one instant the later one is kept.
 */
export function streamSamples(streams: unknown, workout: Clock, nowMs: number): SampleBlock[] {
  const dataOf = readerOf(streams);
  const latest = Math.min(longestSeconds, (nowMs + dayMs - workout.start_ms) / 1000);
  const { start_ms: base_ms, device, zone_offset_minutes } = workout;
  return sampleTypes.flatMap(([stream, type]) => {
    const given = dataOf(stream);
    const sorted = indexesByTime(dataOf('time'), latest, (index) => accepts(type, given[index]));
    if (sorted.length === 0) return [];
    const values = sorted.map(([, index]) => Number(given[index]));
    return [{ type, device, zone_offset_minutes, base_ms, at: sorted.map(([ms]) => ms), values }];
  });
}

/**
 * The track of an activity's streams. Entries without a time are left out; of two for one instant the later one is kept.
 * Values out of range count as not measured.
 */
export function streamTrack(streams: unknown, startMs: number): Track | null {
  const dataOf = readerOf(streams);
  const sorted = indexesByTime(dataOf('time'), longestSeconds);
  const order = sorted.map(([, index]) => index);
  const columns = new Map<StreamType, Float64Array>();
  const add = (type: StreamType, read: (index: number) => unknown) => {
    const values = Float64Array.from(order, (index) => {
      const value = read(index);
      return acceptsStream(type, value) ? value : Number.NaN;
    });
    if (values.some((value) => !Number.isNaN(value))) columns.set(type, values);
  };
  // A position counts only as a whole.
  const positions = dataOf('latlng').map((position) => {
    const [latitude, longitude]: unknown[] = Array.isArray(position) ? position : [];
    const isValid = acceptsStream('latitude', latitude) && acceptsStream('longitude', longitude);
    return isValid ? [latitude, longitude] : [];
  });
  add('latitude', (index) => positions[index]?.[0]);
  add('longitude', (index) => positions[index]?.[1]);
  for (const [stream, type] of trackTypes) {
    const values = dataOf(stream);
    add(type, (index) => values[index]);
  }
  const moving = dataOf('moving');
  add('moving', (index) => (typeof moving[index] === 'boolean' ? Number(moving[index]) : null));
  return columns.size === 0 ? null : { times: sorted.map(([ms]) => startMs + ms), columns };
}

function readerOf(streams: unknown): (name: string) => readonly unknown[] {
  const given = Streams.safeParse(streams).data ?? {};
  return (name) => Stream.safeParse(given[name]).data?.data ?? [];
}

/** The milliseconds and the places of entries with a time, in the order of time. */
function indexesByTime(
  times: readonly unknown[],
  latest: number,
  isUsed: (index: number) => boolean = () => true,
): (readonly [ms: number, index: number])[] {
  const indexes = new Map<number, number>();
  for (const [index, second] of times.entries())
    if (typeof second === 'number' && second >= 0 && second <= latest && isUsed(index))
      indexes.set(Math.round(second * 1000), index);
  return [...indexes].sort(([a], [b]) => a - b);
}
