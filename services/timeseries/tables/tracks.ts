import { z } from 'zod';
import type { timeseries } from '../../../contracts/timeseries.ts';
import type { ParamsOf } from '../../../domain/contract.ts';
import type { WorkoutType } from '../../../domain/records/workout-types.ts';
import type { WorkoutExtras } from '../../../domain/workouts/details.ts';
import { PrivacyZone } from '../../../domain/workouts/route-privacy.ts';
import { type StreamType, streamTypes, type TrackChunk } from '../../../domain/workouts/track.ts';
import type { Queryable } from '../../../mixins/database/database.ts';
import type { UserProvider } from '../rules/sources.ts';

/** The version of an item that has a track. */
interface TrackVersion {
  readonly user_id: string;
  readonly provider: string;
  readonly data_type: string;
  readonly key: string;
  readonly hash: string;
}

const replacedColumns = streamTypes.map((type) => `${type} = excluded.${type}`).join(', ');
const decodedColumns = streamTypes.map((type) => `decode(chunk ->> '${type}', 'base64')`).join(', ');

const insertStatement = {
  name: 'timeseries-insert-track',
  text: `
    insert into timeseries.workout_track (workout_id, user_id, data_type, hash, chunk, start_time, end_time, points, located,
      times, ${streamTypes.join(', ')})
    select w.id, w.user_id, $4, $5, (chunk ->> 'index')::int, to_timestamp((chunk ->> 'start_ms')::float8 / 1000),
      to_timestamp((chunk ->> 'end_ms')::float8 / 1000), (chunk ->> 'points')::int, (chunk ->> 'located')::int,
      decode(chunk ->> 'times', 'base64'), ${decodedColumns}
    from timeseries.workout w, unnest($6::jsonb[]) chunk
    where w.user_id = $1 and w.provider = $2 and w.key = $3
    on conflict (workout_id, data_type, hash, chunk) do update set start_time = excluded.start_time,
      end_time = excluded.end_time, points = excluded.points, located = excluded.located, times = excluded.times, ${replacedColumns}`,
};

/** Stores chunks of a track. It is shown when it is complete. */
export async function insertTrack(
  transaction: Queryable,
  { user_id, provider, data_type, key, hash }: TrackVersion,
  chunks: readonly TrackChunk[],
): Promise<void> {
  if (chunks.length === 0) return;
  const rows = chunks.map(({ columns, ...chunk }) => JSON.stringify({ ...chunk, ...columns }));
  await transaction.query(insertStatement, [user_id, provider, key, data_type, hash, rows]);
}

const trackedStatement = {
  name: 'timeseries-select-tracked',
  text: `
    select distinct t.data_type || ' ' || w.key as name from timeseries.workout w
    join timeseries.workout_track t on t.workout_id = w.id
    where w.user_id = $1 and w.provider = $2 and w.key = any($3) and t.user_id = $1`,
};

/** Data type and key of those of the named activities that have chunks of a track. */
export async function selectTracked(
  transaction: Queryable,
  { user_id, provider }: UserProvider,
  keys: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await transaction.query<{ name: string }>(trackedStatement, [user_id, provider, keys]);
  return new Set(rows.map(({ name }) => name));
}

// The last part of a version: the track of another version is deleted, and this one is shown.
const finishStatement = {
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
  await transaction.query(finishStatement, [user_id, provider, key, data_type, hash]);
}

/** A chunk of a stored track. Streams that were not asked for are left out, others are null where nothing was measured. */
export type StoredChunk = {
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
  request: ParamsOf<typeof timeseries, 'trackChunks'>,
): Promise<StoredChunk[]> {
  const { user_id, event_id, track_of, track_hash, types, from, limit } = request;
  const columns = streamTypes.filter((type) => types.includes(type));
  const text = `
    select chunk, (extract(epoch from start_time) * 1000)::float8 as start_ms,
      (extract(epoch from end_time) * 1000)::float8 as end_ms, points, located, times${columns.map((type) => `, ${type}`).join('')}
    from timeseries.workout_track
    where user_id = $1 and workout_id = $2 and data_type = $3 and hash = $4 and chunk >= $5
    order by chunk limit $6`;
  return database.query<StoredChunk>(text, [user_id, event_id, track_of, track_hash, from, limit]);
}

/** The extent of a track. */
interface TrackExtent {
  readonly points: number;
  readonly located: number;
  /** The number of the last chunk plus one. */
  readonly chunks: number;
  readonly types: readonly StreamType[];
}

const presentTypes = streamTypes.map((type) => `case when count(${type}) > 0 then '${type}' end`).join(', ');
const extentStatement = {
  name: 'timeseries-select-track-extent',
  text: `
    select coalesce(sum(points), 0)::int as points, coalesce(sum(located), 0)::int as located,
      coalesce(max(chunk) + 1, 0)::int as chunks, array_remove(array[${presentTypes}], null) as types
    from timeseries.workout_track where user_id = $1 and workout_id = $2 and data_type = $3 and hash = $4`,
};

/** The extent of a shown track. */
export async function selectExtent(
  database: Queryable,
  userId: string,
  workoutId: string,
  { track_of, track_hash }: { readonly track_of: string; readonly track_hash: string },
): Promise<TrackExtent> {
  const [row] = await database.query<TrackExtent>(extentStatement, [userId, workoutId, track_of, track_hash]);
  return row ?? { points: 0, located: 0, chunks: 0, types: [] };
}

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

const chunkColumns = `data_type, hash, chunk, times, ${streamTypes.join(', ')}`;
const ofWorkout = 'user_id = $1 and workout_id = $2';

/** The chunks of a workout, in order of the versions of its track. */
export function selectWholeTrack(transaction: Queryable, { user_id, id }: TrackOwner): Promise<ChunkRow[]> {
  const text = `
    select ${chunkColumns} from timeseries.workout_track where ${ofWorkout} order by data_type, hash, chunk`;
  return transaction.query<ChunkRow>(text, [user_id, id]);
}

type Identity = Pick<ChunkRow, 'data_type' | 'hash' | 'chunk'>;
const isChunk = `${ofWorkout} and data_type = $3 and hash = $4 and chunk = $5`;

/** Deletes a chunk. */
export async function deleteChunk(transaction: Queryable, { user_id, id }: TrackOwner, row: Identity) {
  const values = [user_id, id, row.data_type, row.hash, row.chunk];
  await transaction.query(`delete from timeseries.workout_track where ${isChunk}`, values);
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
       end_time = to_timestamp($7::float8 / 1000), points = $8, located = $9, ${set} where ${isChunk}`,
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

/** As it is stored: without `extra` if there is none. */
type StoredExtras = Omit<WorkoutExtras, 'extra'> & Partial<Pick<WorkoutExtras, 'extra'>>;

/** What data types contain of a workout beside its fields. `track_hash` is the version of the complete track. */
export interface DetailRow {
  readonly parts: Readonly<Record<string, StoredExtras>>;
  readonly track_of: string | null;
  readonly track_hash: string | null;
}

const upsertDetailStatement = {
  name: 'timeseries-upsert-workout-detail',
  text: `
    insert into timeseries.workout_detail as d (workout_id, user_id, parts)
    values ($1, $2, jsonb_build_object($3::text, $4::jsonb))
    on conflict (workout_id) do update set parts = d.parts || excluded.parts
      where d.user_id = $2 and d.parts -> $3::text is distinct from excluded.parts -> $3::text`,
};

/** Stores what a data type contains of a workout, in place of what it contained before. */
export async function upsertDetail(
  transaction: Queryable,
  userId: string,
  workoutId: string,
  dataType: string,
  { extra, ...rest }: WorkoutExtras,
): Promise<void> {
  // Rows of the previous version have no `extra`: the same content again changes none of them.
  const part = extra === null ? rest : { ...rest, extra };
  await transaction.query(upsertDetailStatement, [workoutId, userId, dataType, JSON.stringify(part)]);
}

const detailsStatement = {
  name: 'timeseries-select-workout-details',
  text: `
    select workout_id, parts, track_of, track_hash from timeseries.workout_detail
    where user_id = $1 and workout_id = any($2::uuid[])`,
};

/** The details of workouts, by their ids. */
export async function selectDetails(
  database: Queryable,
  userId: string,
  workouts: readonly { readonly id: string }[],
): Promise<ReadonlyMap<string, DetailRow>> {
  const ids = workouts.map(({ id }) => id);
  const rows = await database.query<DetailRow & { workout_id: string }>(detailsStatement, [userId, ids]);
  return new Map(rows.map(({ workout_id, ...row }) => [workout_id, row]));
}

/** The details of a workout; undefined if there are none. */
export async function selectDetail(
  database: Queryable,
  userId: string,
  id: string,
): Promise<DetailRow | undefined> {
  return (await selectDetails(database, userId, [{ id }])).get(id);
}

/** A part of a multisport activity. */
interface SegmentRow {
  id: string;
  type: WorkoutType;
  name: string;
  start_ms: number;
  end_ms: number;
  duration_seconds: number;
  distance_meters: number | null;
}

const segmentsStatement = {
  name: 'timeseries-select-segments',
  text: `
    select id, type, name, (extract(epoch from start_time) * 1000)::float8 as start_ms,
      (extract(epoch from end_time) * 1000)::float8 as end_ms, duration_seconds, distance_meters
    from timeseries.workout
    where user_id = $1 and provider = $2 and parent_id = $3 and deleted_at is null
    order by start_time, id limit 100`,
};

/** The parts of a multisport activity, in order. */
export function selectSegments(
  database: Queryable,
  userId: string,
  provider: string,
  parentId: string,
): Promise<SegmentRow[]> {
  return database.query<SegmentRow>(segmentsStatement, [userId, provider, parentId]);
}

const trackedIdsStatement = {
  name: 'timeseries-select-tracked-ids',
  text: `
    select d.workout_id as id from timeseries.workout_detail d
    join timeseries.workout w on w.id = d.workout_id
    where w.user_id = $1 and d.user_id = $1 and w.deleted_at is null and d.track_hash is not null
      and ($2::uuid is null or d.workout_id > $2) and w.start_time >= to_timestamp($3::float8 / 1000)
    order by d.workout_id limit $4`,
};

/** The next workouts of a user with a track, after an id. */
export async function selectTrackedIds(
  database: Queryable,
  { user_id, after, since_ms, limit }: ParamsOf<typeof timeseries, 'exportTracks'>,
): Promise<string[]> {
  const rows = await database.query<{ id: string }>(trackedIdsStatement, [user_id, after, since_ms, limit]);
  return rows.map(({ id }) => id);
}

/** What a user has instead of the setting STORE_ROUTES. `stores` null: the setting applies. */
interface RoutePrivacyRow {
  readonly stores: boolean | null;
  readonly zones: readonly PrivacyZone[];
  readonly version: number;
}

const select = {
  name: 'timeseries-select-route-privacy',
  text: 'select stores, zones, version from timeseries.route_privacy where user_id = $1',
};
const Zones = z.array(PrivacyZone);

/** The route privacy of a user. */
export async function selectRoutePrivacy(database: Queryable, userId: string): Promise<RoutePrivacyRow> {
  const [row] = await database.query<Omit<RoutePrivacyRow, 'zones'> & { zones: unknown }>(select, [userId]);
  return row === undefined
    ? { stores: null, zones: [], version: 0 }
    : { ...row, zones: Zones.parse(row.zones) };
}

const upsert = {
  name: 'timeseries-upsert-route-privacy',
  text: `
    insert into timeseries.route_privacy as r (user_id, stores, zones, version) values ($1, $2, $3, 1)
    on conflict (user_id) do update
      set stores = excluded.stores, zones = excluded.zones, version = r.version + 1`,
};

/** Stores the route privacy of a user as a new version. */
export async function upsertRoutePrivacy(
  transaction: Queryable,
  userId: string,
  { stores, zones }: Omit<RoutePrivacyRow, 'version'>,
): Promise<void> {
  await transaction.query(upsert, [userId, stores, JSON.stringify(zones)]);
}
