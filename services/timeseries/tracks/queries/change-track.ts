import { type StreamType, streamTypes, type TrackChunk } from '../../../../domain/workouts/track.ts';
import type { Queryable } from '../../../../mixins/database/database.ts';

/** A stored chunk with all its streams. */
export type ChunkRow = {
  readonly data_type: string;
  readonly hash: string;
  readonly chunk: number;
  readonly times: Buffer;
} & { readonly [K in StreamType]: Buffer | null };

/** The user and the workout of a track. */
export interface TrackOwner {
  readonly user_id: string;
  readonly id: string;
}

const shown = `data_type, hash, chunk, times, ${streamTypes.join(', ')}`;
const ofWorkout = 'user_id = $1 and workout_id = $2';

/** The chunks of a workout that begin or end outside of a span. */
export function selectChunksOutside(
  transaction: Queryable,
  { user_id, id }: TrackOwner,
  startMs: number,
  endMs: number,
): Promise<ChunkRow[]> {
  const text = `
    select ${shown} from timeseries.workout_track
    where ${ofWorkout} and (start_time < to_timestamp($3::float8 / 1000) or end_time > to_timestamp($4::float8 / 1000))`;
  return transaction.query<ChunkRow>(text, [user_id, id, startMs, endMs]);
}

/** The chunks of a workout, in order of the versions of its track. */
export function selectWholeTrack(transaction: Queryable, { user_id, id }: TrackOwner): Promise<ChunkRow[]> {
  const text = `
    select ${shown} from timeseries.workout_track where ${ofWorkout} order by data_type, hash, chunk`;
  return transaction.query<ChunkRow>(text, [user_id, id]);
}

type Identity = Pick<ChunkRow, 'data_type' | 'hash' | 'chunk'>;
const one = `${ofWorkout} and data_type = $3 and hash = $4 and chunk = $5`;

/** Deletes a chunk. */
export async function deleteChunk(transaction: Queryable, { user_id, id }: TrackOwner, row: Identity) {
  const values = [user_id, id, row.data_type, row.hash, row.chunk];
  await transaction.query(`delete from timeseries.workout_track where ${one}`, values);
}

/** Replaces the points of a chunk. */
export async function updateChunk(
  transaction: Queryable,
  { user_id, id }: TrackOwner,
  { data_type, hash, chunk }: Identity,
  { start_ms, end_ms, points, located, times, columns }: TrackChunk,
): Promise<void> {
  const bytes = [times, ...streamTypes.map((type) => columns[type])];
  const buffers = bytes.map((text) => (text === undefined ? null : Buffer.from(text, 'base64')));
  const values = [user_id, id, data_type, hash, chunk, start_ms, end_ms, points, located, ...buffers];
  const set = ['times', ...streamTypes].map((name, index) => `${name} = $${index + 10}`).join(', ');
  await transaction.query(
    `update timeseries.workout_track set start_time = to_timestamp($6::float8 / 1000),
       end_time = to_timestamp($7::float8 / 1000), points = $8, located = $9, ${set} where ${one}`,
    values,
  );
}

/** The next workout after an id whose track has positions. */
export async function selectLocated(
  transaction: Queryable,
  userId: string,
  after: string,
): Promise<string | undefined> {
  const [row] = await transaction.query<{ workout_id: string }>(
    `select workout_id from timeseries.workout_track where user_id = $1 and workout_id > $2 and located > 0
     order by workout_id limit 1`,
    [userId, after],
  );
  return row?.workout_id;
}
