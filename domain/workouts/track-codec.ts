import {
  decodeTimes,
  decodeValues,
  encodeTimes,
  encodeValues,
  fromBytes,
  toBytes,
} from '../records/sample-codec.ts';
import { pointsPerChunk, type StreamType, streamTypes, type Track, type TrackChunk } from './track.ts';

/*
 * A column of a chunk is the length of its runs (4 bytes), the runs of present and absent values in turn, and the present
 * values. Decoding returns exactly what was encoded.
 */

/** The track in chunks of at most `most` points. Columns without a value in a chunk are left out of it. */
export function chunksOf(track: Track, most = pointsPerChunk): TrackChunk[] {
  const count = Math.ceil(track.times.length / most);
  return Array.from({ length: count }, (_, index) =>
    encodeChunk(sliceOf(track, index * most, (index + 1) * most), index),
  );
}

function sliceOf({ times, columns }: Track, from: number, to: number): Track {
  const parts = [...columns].map(([type, values]) => [type, values.subarray(from, to)] as const);
  return { times: times.slice(from, to), columns: new Map(parts) };
}

/** One chunk of a track with all given points. */
export function encodeChunk({ times, columns }: Track, index: number): TrackChunk {
  const measured = [...columns].filter(([, values]) => values.some((value) => !Number.isNaN(value)));
  const encoded = measured.map(([type, values]) => [type, encodeColumn(values).toString('base64')] as const);
  return {
    index,
    start_ms: times[0] ?? 0,
    end_ms: times.at(-1) ?? 0,
    points: times.length,
    located: locatedIn(columns),
    times: encodeTimes(times).toString('base64'),
    columns: Object.fromEntries(encoded),
  };
}

/** The number of points with a position. */
function locatedIn(columns: Track['columns']): number {
  const longitudes = columns.get('longitude');
  const latitudes = columns.get('latitude') ?? new Float64Array();
  let located = 0;
  for (const [index, latitude] of latitudes.entries())
    if (!Number.isNaN(latitude) && !Number.isNaN(longitudes?.[index] ?? Number.NaN)) located += 1;
  return located;
}

/** The points of a chunk. `columns` may contain only some of the streams. */
export function decodeChunk({ times, columns }: Pick<TrackChunk, 'times' | 'columns'>): Track {
  const instants = decodeTimes(Buffer.from(times, 'base64'));
  const decoded = streamTypes.flatMap((type): [StreamType, Float64Array][] => {
    const column = columns[type];
    return column === undefined ? [] : [[type, decodeColumn(Buffer.from(column, 'base64'), instants.length)]];
  });
  return { times: instants, columns: new Map(decoded) };
}

function encodeColumn(values: Float64Array): Buffer {
  const runs = toBytes(runsOf(values));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(runs.length);
  return Buffer.concat([length, runs, encodeValues([...values].filter((value) => !Number.isNaN(value)))]);
}

function runsOf(values: Float64Array): number[] {
  const runs = [0];
  let isPresent = true;
  for (const value of values) {
    if (Number.isNaN(value) === isPresent) {
      runs.push(0);
      isPresent = !isPresent;
    }
    runs[runs.length - 1] = (runs.at(-1) ?? 0) + 1;
  }
  return runs;
}

function decodeColumn(bytes: Buffer, points: number): Float64Array {
  const border = 4 + bytes.readUInt32LE();
  const present = decodeValues(bytes.subarray(border));
  const values = new Float64Array(points).fill(Number.NaN);
  let [at, next, isPresent] = [0, 0, true];
  for (const count of fromBytes(bytes.subarray(4, border))) {
    if (isPresent) {
      values.set(present.slice(next, next + count), at);
      next += count;
    }
    at += count;
    isPresent = !isPresent;
  }
  return values;
}
