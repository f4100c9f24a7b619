import { z } from 'zod';
import { acceptsStream, type StreamType, type Track } from '../../../domain/workouts/track.ts';

/** The provider's streams of one number a point. The provider's units equal ours; cadence counts one foot. */
const table: readonly (readonly [stream: string, type: StreamType])[] = [
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
export const trackKeys: readonly string[] = ['time', 'latlng', ...table.map(([stream]) => stream), 'moving'];

const Stream = z.object({ data: z.array(z.unknown()) });
const Streams = z.record(z.string(), z.unknown());
const longestSeconds = 31 * 86_400;

/**
 * The track of an activity's streams, which are parallel arrays. Entries without a time are left out; of two for one
 * instant the later one is kept. Values out of range count as not measured.
 */
export function streamTrack(streams: unknown, startMs: number): Track | null {
  const given = Streams.safeParse(streams).data ?? {};
  const indexes = indexesByTime(dataOf(given.time));
  if (indexes.size === 0) return null;
  const sorted = [...indexes].toSorted(([a], [b]) => a - b);
  const order = sorted.map(([, index]) => index);
  const columns = new Map<StreamType, Float64Array>();
  const add = (type: StreamType, read: (index: number) => unknown) => {
    const values = Float64Array.from(order, (index) => {
      const value = read(index);
      return acceptsStream(type, value) ? value : Number.NaN;
    });
    if (values.some((value) => !Number.isNaN(value))) columns.set(type, values);
  };
  addPositions(dataOf(given.latlng), add);
  for (const [stream, type] of table) {
    const values = dataOf(given[stream]);
    add(type, (index) => values[index]);
  }
  const moving = dataOf(given.moving);
  add('moving', (index) => (typeof moving[index] === 'boolean' ? Number(moving[index]) : null));
  return columns.size === 0 ? null : { times: sorted.map(([ms]) => startMs + ms), columns };
}

function dataOf(stream: unknown): readonly unknown[] {
  return Stream.safeParse(stream).data?.data ?? [];
}

function indexesByTime(times: readonly unknown[]): Map<number, number> {
  const indexes = new Map<number, number>();
  for (const [index, second] of times.entries())
    if (typeof second === 'number' && second >= 0 && second <= longestSeconds)
      indexes.set(Math.round(second * 1000), index);
  return indexes;
}

// A position counts only as a whole.
function addPositions(
  positions: readonly unknown[],
  add: (type: StreamType, read: (index: number) => unknown) => void,
): void {
  const valid = positions.map((position) => {
    const [latitude, longitude] = Array.isArray(position) ? position : [];
    const isValid = acceptsStream('latitude', latitude) && acceptsStream('longitude', longitude);
    return isValid ? ([latitude, longitude] as const) : null;
  });
  add('latitude', (index) => valid[index]?.[0]);
  add('longitude', (index) => valid[index]?.[1]);
}
