import { z } from 'zod';
import { action } from '../domain/contract.ts';
import { repeated, Timestamp, UserId } from '../domain/wire.ts';
import { StreamType, streamTypes } from '../domain/workouts/track.ts';
import { RecordId } from './timeseries/schemas.ts';

/** The forms in which the streams of a workout are sent. */
const streamFormats = ['json', 'geojson', 'gpx', 'tcx'] as const;

const Value = z.number().nullable().optional();

/** All streams of one point. Streams that were not asked for are left out. */
const StreamPoint = z
  .object({
    timestamp: Timestamp,
    latitude: Value,
    longitude: Value,
    altitude: Value,
    distance: Value,
    speed: Value,
    heart_rate: Value,
    cadence: Value,
    power: Value,
    temperature: Value,
    grade: Value,
    moving: z.boolean().nullable().optional(),
  })
  .meta({
    id: 'WorkoutStreamPoint',
    description:
      'What was measured at one instant, or in one bucket. A value is null if it was not measured.',
  });

/** The streams of a workout on one time axis. */
export const WorkoutStreams = z
  .object({
    workout_id: z.string(),
    start_time: Timestamp,
    resolution_seconds: z.int().nullable().describe('The length of a bucket. Null: every point.'),
    types: z.array(StreamType).describe('The streams of the points.'),
    units: z.record(z.string(), z.string()).describe('The unit of each stream.'),
    data: z.array(StreamPoint).describe('Oldest first.'),
  })
  .meta({ id: 'WorkoutStreams', description: 'The streams of a workout on one time axis.' });

/** The streams of a workout, read over HTTP only. */
export const workoutStreamActions = {
  workoutStreams: action({
    summary: 'Read the streams of a workout: route, altitude, speed, heart rate and others',
    description:
      'All streams have one time axis, and a value that was not measured is null. A workout without a track has an empty list. Positions are location data: they are missing where the user or the setting STORE_ROUTES refuses to have them stored, and at ends that lie in a privacy zone. `gpx` and `geojson` contain only points with a position, `tcx` contains all points. A response that fails is cut off, so that the HTTP client reports an error.',
    params: z.object({
      user_id: UserId,
      event_id: RecordId,
      types: repeated(StreamType, streamTypes.length)
        .optional()
        .describe('The streams to return. Default: all that were measured.'),
      resolution: z
        .string()
        .regex(/^(raw|[1-9][0-9]{0,3})$/, 'must be raw, or 1 to 3600 seconds')
        .refine((text) => text === 'raw' || Number(text) <= 3600, 'must be raw, or 1 to 3600 seconds')
        .default('raw')
        .describe(
          '`raw`: every point. A number from 1 to 3600: buckets of that many seconds from the start of the workout, each at its start. A bucket has the first position, distance and `moving`, and the mean of the other streams. Buckets without a point are omitted.',
        ),
      format: z
        .enum(streamFormats)
        .default('json')
        .describe(
          '`json`: WorkoutStreams. `geojson`: a Feature with the route as a LineString, and times and streams in `coordinateProperties`. `gpx`: GPX 1.1. `tcx`: Training Center XML with laps.',
        ),
    }),
    returns: WorkoutStreams,
    http: {
      method: 'GET',
      path: '/users/:user_id/events/workouts/:event_id/streams',
      access: 'data.read',
      reads: 'streams',
      tag: 'Data',
      stream: streamFormats,
      audit: 'user.exported',
    },
  }),
};
