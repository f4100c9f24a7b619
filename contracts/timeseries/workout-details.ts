import { z } from 'zod';
import { action } from '../../domain/contract.ts';
import { Source, UserId, WorkoutTypeName } from '../../domain/wire.ts';
import { LapRecord } from '../../domain/workouts/details.ts';
import { StreamType, TrackChunk } from '../../domain/workouts/track.ts';
import { RecordId } from './schemas.ts';

const version = { track_of: z.string(), track_hash: z.string() };

/** The workout of a track, with what a file of it contains beside its points. */
export const TrackHead = z.object({
  id: z.string(),
  type: WorkoutTypeName,
  name: z.string(),
  start_ms: z.number(),
  end_ms: z.number(),
  duration_seconds: z.int(),
  distance_meters: z.number().nullable(),
  calories_kcal: z.number().nullable(),
  source: Source,
  laps: z.array(LapRecord),
  /** Null: no track is stored. */
  track: z
    .object({
      ...version,
      points: z.int(),
      /** The number of points with a position. */
      located: z.int(),
      chunks: z.int(),
      types: z.array(StreamType),
    })
    .nullable(),
});
export type TrackHead = z.infer<typeof TrackHead>;

/** The track of a workout in chunks, as they are stored. */
export const workoutDetailActions = {
  workoutTrack: action({
    summary: 'Describe the track of a workout',
    params: z.object({ user_id: UserId, event_id: RecordId }),
    returns: TrackHead,
    idempotent: true,
  }),
  /** Consecutive chunks of one version of a track, with the given streams. A version that was replaced has none. */
  trackChunks: action({
    summary: 'Read chunks of the track of a workout',
    params: z.object({
      user_id: UserId,
      event_id: RecordId,
      ...version,
      types: z.array(StreamType),
      from: z.int().min(0),
      limit: z.int().min(1).max(50),
    }),
    returns: z.array(TrackChunk),
    idempotent: true,
  }),
  /** As `trackChunks`, of any workout of the user, for an export. */
  exportTracks: action({
    summary: 'List the workouts with a track after an id, for an export',
    params: z.object({
      user_id: UserId,
      after: z.uuid().nullable(),
      since_ms: z.number(),
      limit: z.int().min(1).max(500),
    }),
    returns: z.array(z.string()),
    idempotent: true,
  }),
};
