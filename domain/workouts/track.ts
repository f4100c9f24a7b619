import { z } from 'zod';

/** What is measured along a workout, on one time axis. `moving` is 0 or 1. The names are those of the public API. */
export const streamTypes = [
  'latitude',
  'longitude',
  'altitude',
  'distance',
  'speed',
  'heart_rate',
  'cadence',
  'power',
  'temperature',
  'grade',
  'moving',
] as const;

/** One of the streams of a workout. */
export const StreamType = z.enum(streamTypes).meta({
  id: 'StreamType',
  description: 'A stream of a workout. `distance` counts from the start. `moving` is true or false.',
});
export type StreamType = z.infer<typeof StreamType>;

interface Measured {
  readonly unit: string;
  /** Values out of this range are left out. */
  readonly min: number;
  readonly max: number;
}

/** The unit and the accepted range of each stream. */
export const streams: Readonly<Record<StreamType, Measured>> = {
  latitude: { unit: 'degrees', min: -90, max: 90 },
  longitude: { unit: 'degrees', min: -180, max: 180 },
  altitude: { unit: 'meters', min: -1000, max: 50_000 },
  distance: { unit: 'meters', min: 0, max: 10_000_000 },
  speed: { unit: 'm/s', min: 0, max: 150 },
  heart_rate: { unit: 'bpm', min: 1, max: 300 },
  cadence: { unit: 'rpm', min: 0, max: 300 },
  power: { unit: 'watts', min: 0, max: 5000 },
  temperature: { unit: 'celsius', min: -100, max: 100 },
  grade: { unit: 'percent', min: -100, max: 100 },
  moving: { unit: 'boolean', min: 0, max: 1 },
};

/** Whether a value can be a value of a stream. */
export function acceptsStream(type: StreamType, value: unknown): value is number {
  const { min, max } = streams[type];
  return typeof value === 'number' && value >= min && value <= max;
}

/** The streams of a workout: distinct ascending instants, and a column per measured stream, NaN where nothing was measured. */
export interface Track {
  readonly times: readonly number[];
  readonly columns: ReadonlyMap<StreamType, Float64Array>;
}

/** The most points of a chunk: a chunk of all streams stays far below the 256 KB of a call. */
export const pointsPerChunk = 1800;

const Encoded = z.base64().max(40_000);

/** Consecutive points of a track, encoded by `track-codec.ts`. */
export const TrackChunk = z.object({
  /** The position in the track, from 0. */
  index: z.int().min(0),
  start_ms: z.int(),
  end_ms: z.int(),
  points: z.int().min(1).max(pointsPerChunk),
  /** The number of points with a position. */
  located: z.int().min(0),
  times: Encoded,
  columns: z.partialRecord(StreamType, Encoded),
});
export type TrackChunk = z.infer<typeof TrackChunk>;
