import { type StreamType, streamTypes, type TrackChunk } from '../../../../domain/workouts/track.ts';
import type { Queryable } from '../../../../mixins/database/database.ts';

/** The version of an item that has a track. */
export interface TrackVersion {
  readonly user_id: string;
  readonly provider: string;
  readonly data_type: string;
  readonly key: string;
  readonly hash: string;
}

const replaced = streamTypes.map((type) => `${type} = excluded.${type}`).join(', ');
const values = streamTypes.map((type) => `decode(chunk ->> '${type}', 'base64')`).join(', ');

const insert = {
  name: 'timeseries-insert-track',
  text: `
    insert into timeseries.workout_track (workout_id, user_id, data_type, hash, chunk, start_time, end_time, points, located,
      times, ${streamTypes.join(', ')})
    select w.id, w.user_id, $4, $5, (chunk ->> 'index')::int, to_timestamp((chunk ->> 'start_ms')::float8 / 1000),
      to_timestamp((chunk ->> 'end_ms')::float8 / 1000), (chunk ->> 'points')::int, (chunk ->> 'located')::int,
      decode(chunk ->> 'times', 'base64'), ${values}
    from timeseries.workout w, unnest($6::jsonb[]) chunk
    where w.user_id = $1 and w.provider = $2 and w.key = $3
    on conflict (workout_id, data_type, hash, chunk) do update set start_time = excluded.start_time,
      end_time = excluded.end_time, points = excluded.points, located = excluded.located, times = excluded.times, ${replaced}`,
};

/** Stores chunks of a track. It is shown when it is complete. */
export async function insertTrack(
  transaction: Queryable,
  { user_id, provider, data_type, key, hash }: TrackVersion,
  chunks: readonly TrackChunk[],
): Promise<void> {
  if (chunks.length === 0) return;
  const rows = chunks.map(({ columns, ...chunk }) => JSON.stringify({ ...chunk, ...columns }));
  await transaction.query(insert, [user_id, provider, key, data_type, hash, rows]);
}

const tracked = {
  name: 'timeseries-select-tracked',
  text: `
    select distinct t.data_type || ' ' || w.key as name from timeseries.workout w
    join timeseries.workout_track t on t.workout_id = w.id
    where w.user_id = $1 and w.provider = $2 and w.key = any($3) and t.user_id = $1`,
};

/** Data type and key of those of the named activities that have chunks of a track. */
export async function selectTracked(
  transaction: Queryable,
  { user_id, provider }: { readonly user_id: string; readonly provider: string },
  keys: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await transaction.query<{ name: string }>(tracked, [user_id, provider, keys]);
  return new Set(rows.map(({ name }) => name));
}

// The last part of a version: the track of another version is deleted, and this one is shown.
const finish = {
  name: 'timeseries-finish-track',
  text: `
    with w as (
      select id from timeseries.workout where user_id = $1 and provider = $2 and key = $3
    ), gone as (
      delete from timeseries.workout_track t using w
      where t.workout_id = w.id and t.user_id = $1 and t.data_type = $4 and t.hash <> $5 returning 1
    ), present as (
      select w.id from w
      where exists (select from timeseries.workout_track t where t.workout_id = w.id and t.data_type = $4 and t.hash = $5)
    ), shown as (
      insert into timeseries.workout_detail as d (workout_id, user_id, track_of, track_hash)
      select id, $1, $4, $5 from present
      on conflict (workout_id) do update set track_of = excluded.track_of, track_hash = excluded.track_hash
        where d.user_id = $1 and (d.track_of, d.track_hash) is distinct from (excluded.track_of, excluded.track_hash)
      returning 1
    )
    update timeseries.workout_detail d set track_of = null, track_hash = null from w
    where d.workout_id = w.id and d.user_id = $1 and d.track_of = $4 and not exists (select from present)`,
};

/** Makes a version's track the one that is shown, and deletes those of older versions. */
export async function finishTrack(
  transaction: Queryable,
  { user_id, provider, data_type, key, hash }: TrackVersion,
): Promise<void> {
  await transaction.query(finish, [user_id, provider, key, data_type, hash]);
}

/** A chunk of a stored track. Streams that were not asked for are left out, others are null where nothing was measured. */
export type ChunkRow = {
  readonly chunk: number;
  readonly start_ms: number;
  readonly end_ms: number;
  readonly points: number;
  readonly located: number;
  readonly times: Buffer;
} & { readonly [K in StreamType]?: Buffer | null };

/** Consecutive chunks of a shown track from a number on. */
export function selectChunks(
  database: Queryable,
  userId: string,
  workoutId: string,
  version: { readonly track_of: string; readonly track_hash: string },
  wanted: { readonly types: readonly StreamType[]; readonly from: number; readonly most: number },
): Promise<ChunkRow[]> {
  const columns = streamTypes.filter((type) => wanted.types.includes(type));
  const text = `
    select chunk, (extract(epoch from start_time) * 1000)::float8 as start_ms,
      (extract(epoch from end_time) * 1000)::float8 as end_ms, points, located, times${columns.map((type) => `, ${type}`).join('')}
    from timeseries.workout_track
    where user_id = $1 and workout_id = $2 and data_type = $3 and hash = $4 and chunk >= $5
    order by chunk limit $6`;
  const { track_of, track_hash } = version;
  return database.query<ChunkRow>(text, [userId, workoutId, track_of, track_hash, wanted.from, wanted.most]);
}

/** The extent of a track. */
export interface TrackExtent {
  readonly points: number;
  readonly located: number;
  /** The number of the last chunk plus one. */
  readonly chunks: number;
  readonly types: readonly StreamType[];
}

const present = streamTypes.map((type) => `case when count(${type}) > 0 then '${type}' end`).join(', ');
const extent = {
  name: 'timeseries-select-track-extent',
  text: `
    select coalesce(sum(points), 0)::int as points, coalesce(sum(located), 0)::int as located,
      coalesce(max(chunk) + 1, 0)::int as chunks, array_remove(array[${present}], null) as types
    from timeseries.workout_track where user_id = $1 and workout_id = $2 and data_type = $3 and hash = $4`,
};

/** The extent of a shown track. */
export async function selectExtent(
  database: Queryable,
  userId: string,
  workoutId: string,
  { track_of, track_hash }: { readonly track_of: string; readonly track_hash: string },
): Promise<TrackExtent> {
  const [row] = await database.query<TrackExtent>(extent, [userId, workoutId, track_of, track_hash]);
  return row ?? { points: 0, located: 0, chunks: 0, types: [] };
}
