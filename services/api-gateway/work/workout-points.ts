import type { TrackHead } from '../../../contracts/timeseries/workout-details.ts';
import { type StreamType, streamTypes, type Track } from '../../../domain/workouts/track.ts';
import { decodeChunk } from '../../../domain/workouts/track-codec.ts';
import type { Call } from '../../../runtime/environment.ts';

/** One instant of a track. A stream without a value is NaN or absent. */
export interface Point {
  readonly ms: number;
  readonly values: { readonly [K in StreamType]?: number };
}

/** The points of a workout. `types` are streams that its track has. */
export interface PointSource {
  readonly head: TrackHead;
  /** Points in order, some at a time. It can be read several times, with different streams. */
  readonly read: (types: readonly StreamType[]) => AsyncGenerator<readonly Point[]>;
}

/** Which workout is read, and the length of its buckets in milliseconds; null: every point. */
interface PointQuery {
  readonly user_id: string;
  readonly event_id: string;
  readonly bucketMs: number | null;
}

/**
 * The points of a workout's track, read chunk by chunk as the client consumes them, so that the memory does not grow with
 * the length of the workout.
 */
export function pointSource(call: Call, query: PointQuery, head: TrackHead): PointSource {
  const { bucketMs } = query;
  return {
    head,
    read(types) {
      const points = chunksOf(call, query, head, types);
      return bucketMs === null ? points : buckets(points, bucketMs, head.start_ms);
    },
  };
}

const valuesPerCall = 20_000;
const pointsPerChunk = 1800;

// A track that is replaced while it is read has other points: the response is cut off instead of being mixed.
async function* chunksOf(
  call: Call,
  { user_id, event_id }: PointQuery,
  { track }: TrackHead,
  types: readonly StreamType[],
): AsyncGenerator<readonly Point[]> {
  if (track === null) return;
  const { track_of, track_hash, chunks, points } = track;
  const limit = Math.max(1, Math.floor(valuesPerCall / pointsPerChunk / (types.length + 1)));
  const wanted = { user_id, event_id, track_of, track_hash, types: [...types], limit };
  let read = 0;
  for (let from = 0; from < chunks; from += limit)
    for (const chunk of await call('timeseries.trackChunks', { ...wanted, from })) {
      if (chunk.index >= from + limit) continue;
      read += chunk.points;
      yield pointsOf(decodeChunk(chunk));
    }
  if (read !== points) throw new Error('the track was replaced while it was read');
}

function pointsOf({ times, columns }: Track): Point[] {
  const present = [...columns];
  return times.map((ms, index) => {
    const values: { [K in StreamType]?: number } = {};
    for (const [type, column] of present) {
      const value = column[index] ?? Number.NaN;
      if (!Number.isNaN(value)) values[type] = value;
    }
    return { ms, values };
  });
}

/** Streams of which a bucket has the first value. A mean of positions would lie beside the route. */
const firsts: ReadonlySet<StreamType> = new Set(['latitude', 'longitude', 'distance', 'moving']);

interface Bucket {
  readonly ms: number;
  readonly sums: { [K in StreamType]?: number };
  readonly counts: { [K in StreamType]?: number };
}

/** Points as buckets, from the start of the workout on. */
async function* buckets(
  points: AsyncIterable<readonly Point[]>,
  bucketMs: number,
  startMs: number,
): AsyncGenerator<readonly Point[]> {
  let open: Bucket | null = null;
  for await (const some of points) {
    const closed: Point[] = [];
    for (const { ms, values } of some) {
      const at = startMs + Math.floor((ms - startMs) / bucketMs) * bucketMs;
      if (open !== null && open.ms !== at) closed.push(meanOf(open));
      if (open === null || open.ms !== at) open = { ms: at, sums: {}, counts: {} };
      addTo(open, values);
    }
    if (closed.length > 0) yield closed;
  }
  if (open !== null) yield [meanOf(open)];
}

function addTo({ sums, counts }: Bucket, values: Point['values']): void {
  for (const type of streamTypes) {
    const value = values[type];
    const count = counts[type] ?? 0;
    if (value === undefined || (count > 0 && firsts.has(type))) continue;
    sums[type] = (sums[type] ?? 0) + value;
    counts[type] = count + 1;
  }
}

function meanOf({ ms, sums, counts }: Bucket): Point {
  const values: { [K in StreamType]?: number } = {};
  for (const type of streamTypes) {
    const sum = sums[type];
    if (sum !== undefined) values[type] = sum / (counts[type] ?? 1);
  }
  return { ms, values };
}
