import type { SingleWorkout } from '../../../contracts/timeseries/schemas.ts';
import type { TrackHead } from '../../../contracts/timeseries/workout-details.ts';
import { formatInstant } from '../../../domain/time/time.ts';
import { type LapRecord, mergeExtras, type WorkoutDetails } from '../../../domain/workouts/details.ts';
import type { TrackChunk } from '../../../domain/workouts/track.ts';
import type { Queryable } from '../../../mixins/database/database.ts';
import { byPrecedence } from '../rules/merge-workouts.ts';
import type { Settings } from '../rules/sources.ts';
import { type SingleWorkoutRow, selectEvent, singleWorkoutTable, type WorkoutRow } from '../tables/events.ts';
import {
  type StoredChunk as ChunkRow,
  type DetailRow,
  selectDetail,
  selectExtent,
  selectSegments,
} from '../tables/tracks.ts';
import { selectHeartRates } from '../tables/workouts.ts';
import { chunkOf } from '../work/crop.ts';
import { workoutToWire } from './events.ts';

/** One workout with all that its provider sent, except its streams. @throws RECORD_NOT_FOUND (404) */
export async function readWorkout(
  database: Queryable,
  settings: Settings,
  userId: string,
  id: string,
): Promise<SingleWorkout> {
  const workout = await selectEvent<SingleWorkoutRow>(database, singleWorkoutTable, userId, id);
  const [row = workout] = await completeWorkouts(database, userId, [workout]);
  const { details, laps, splits, extra } = extrasToWire(await selectDetail(database, userId, id));
  return {
    ...workoutToWire(row, settings),
    private: row.private,
    details: { ...details, ...columnsOf(workout, details) },
    laps,
    splits,
    segments: await segmentsOf(database, userId, workout),
    extra,
  };
}

/** The details, laps, splits and extra fields of a workout in an export. */
export function extrasToWire(row: DetailRow | undefined) {
  const { details, laps, splits, extra } = extrasOf(row);
  return { details, laps: laps?.map(lapToWire) ?? null, splits, extra };
}

function extrasOf(row: DetailRow | undefined) {
  return mergeExtras(byPrecedence(row?.parts ?? {}));
}

// Some details are columns of the workout, which older workouts have too.
function columnsOf(row: SingleWorkoutRow, details: WorkoutDetails) {
  return {
    moving_seconds: row.moving_seconds ?? details.moving_seconds,
    steps: row.steps ?? details.steps,
    manual: row.manual ?? details.manual,
    web_upload: row.web_upload ?? details.web_upload,
    activity_id: row.key,
  };
}

function lapToWire({ start_ms, end_ms, ...figures }: LapRecord) {
  return {
    start_time: formatInstant(start_ms),
    end_time: end_ms === null ? null : formatInstant(end_ms),
    ...figures,
  };
}

// The parts name the key of their parent.
async function segmentsOf(database: Queryable, userId: string, row: SingleWorkoutRow) {
  const parent = row.is_parent ? row.key : row.parent_id;
  if (parent === null) return null;
  const segments = await selectSegments(database, userId, row.provider, parent);
  return segments.map(({ start_ms, end_ms, ...segment }) => ({
    ...segment,
    start_time: formatInstant(start_ms),
    end_time: formatInstant(end_ms),
  }));
}

/** The track of a workout with what a file of it contains beside its points. @throws RECORD_NOT_FOUND (404) */
export async function readTrackHead(
  database: Queryable,
  { shownAs }: Settings,
  userId: string,
  id: string,
): Promise<TrackHead> {
  const row = await selectEvent<SingleWorkoutRow>(database, singleWorkoutTable, userId, id);
  const detail = await selectDetail(database, userId, id);
  const { type, name, start_ms, end_ms, duration_seconds, distance_meters, calories_kcal } = row;
  return {
    id,
    type,
    name,
    start_ms,
    end_ms,
    duration_seconds,
    distance_meters,
    calories_kcal,
    source: { provider: shownAs(row.provider), device: row.device },
    laps: extrasOf(detail).laps ?? [],
    track: await trackOf(database, userId, id, detail),
  };
}

async function trackOf(database: Queryable, userId: string, id: string, detail: DetailRow | undefined) {
  if (detail === undefined || detail.track_of === null || detail.track_hash === null) return null;
  const version = { track_of: detail.track_of, track_hash: detail.track_hash };
  const extent = await selectExtent(database, userId, id, version);
  return { ...version, ...extent, types: [...extent.types] };
}

/**
 * Adds heart rates that the provider did not send, from samples of the same provider. Computed on read, because the
 * samples of a workout often arrive after it.
 */
export async function completeWorkouts(
  database: Queryable,
  userId: string,
  rows: readonly WorkoutRow[],
): Promise<WorkoutRow[]> {
  const lacking = rows.filter((row) => row.avg_heart_rate_bpm === null || row.max_heart_rate_bpm === null);
  if (lacking.length === 0) return [...rows];
  const rates = await selectHeartRates(database, userId, lacking);
  const rateOf = new Map(rates.map((rate) => [lacking[rate.index], rate]));
  return rows.map((row) => {
    const measured = rateOf.get(row);
    if (measured === undefined) return row;
    return {
      ...row,
      avg_heart_rate_bpm: row.avg_heart_rate_bpm ?? Math.round(measured.average),
      max_heart_rate_bpm: row.max_heart_rate_bpm ?? Math.round(measured.highest),
    };
  });
}

/** The wire form of a chunk of a track. */
export function chunkToWire(row: ChunkRow): TrackChunk {
  const { chunk: index, start_ms, end_ms, points, located } = row;
  return { index, start_ms, end_ms, points, located, ...chunkOf(row) };
}
