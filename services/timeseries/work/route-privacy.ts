import { z } from 'zod';
import type { RoutePrivacy, RoutePrivacyChange } from '../../../contracts/timeseries/route-privacy.ts';
import { cutRoute, type RouteRules } from '../../../domain/workouts/route-privacy.ts';
import type { Track } from '../../../domain/workouts/track.ts';
import { decodeChunk, encodeChunk } from '../../../domain/workouts/track-codec.ts';
import { recordAudit } from '../../../mixins/database/audit.ts';
import type { Database, Queryable } from '../../../mixins/database/database.ts';
import { enqueue, type JobKind } from '../../../mixins/jobs/job-queue.ts';
import { type JobHandler, jobHandler, workInParts } from '../../../mixins/jobs/jobs.ts';
import type { AuditOrigin } from '../../../runtime/audit-origin.ts';
import { lockUser } from '../tables/erasures.ts';
import {
  type ChunkRow,
  selectLocated,
  selectRoutePrivacy,
  selectWholeTrack,
  updateChunk,
  upsertRoutePrivacy,
} from '../tables/tracks.ts';
import { chunkOf } from './crop.ts';

/** What is stored of the routes of a user. `configured` is the setting STORE_ROUTES. */
export async function readRoutePrivacy(
  database: Queryable,
  configured: boolean,
  userId: string,
): Promise<RoutePrivacy> {
  const { stores, zones } = await selectRoutePrivacy(database, userId);
  return { configured: { store_routes: configured }, store_routes: stores, privacy_zones: [...zones] };
}

/** The rules by which routes are cut before they are stored, with the version of the user's zones. */
export async function readRouteRules(database: Queryable, configured: boolean, userId: string) {
  const { stores, zones, version } = await selectRoutePrivacy(database, userId);
  return { stores: storesRoutes(configured, stores), zones: [...zones], version };
}

// The setting of the operator cannot be overruled by a user, whereas a user may refuse.
function storesRoutes(configured: boolean, own: boolean | null): boolean {
  return configured && own !== false;
}

const nothing = '00000000-0000-0000-0000-000000000000';
const Progress = z.object({ configured: z.boolean() });

/** Applies the rules of a user to the stored routes. The key is the user's id. */
const cutting: JobKind<z.infer<typeof Progress>> = { name: 'timeseries.route_cut', payload: Progress };

/** Changes what is stored of the routes of a user. A job cuts the routes that are already stored. */
export function changeRoutePrivacy(
  database: Database,
  configured: boolean,
  { user_id: userId, store_routes, privacy_zones }: RoutePrivacyChange,
  origin: AuditOrigin,
): Promise<void> {
  return database.transaction(async (transaction) => {
    await lockUser(transaction, userId);
    const stored = await selectRoutePrivacy(transaction, userId);
    const zones = privacy_zones ?? stored.zones;
    const stores = store_routes === undefined ? stored.stores : store_routes;
    await upsertRoutePrivacy(transaction, userId, { stores, zones });
    await enqueue(transaction, cutting, { key: userId, payload: { configured } });
    // The audit names no place.
    const details = { store_routes: stores, privacy_zones: zones.length };
    await recordAudit(transaction, origin, { action: 'user.route_privacy_changed', userId, details });
  });
}

/** Cuts the stored routes of a user, one workout a part. */
export function routeCutHandler(database: Database): JobHandler {
  return jobHandler(cutting, async ({ key, payload }, held) => {
    let after: string | undefined = nothing;
    return workInParts(async () => {
      after = await cutNext(database, key, payload.configured, after ?? nothing);
      return after !== undefined;
    }, held);
  });
}

function cutNext(
  database: Database,
  userId: string,
  configured: boolean,
  after: string,
): Promise<string | undefined> {
  return database.transaction(async (transaction) => {
    await lockUser(transaction, userId);
    const id = await selectLocated(transaction, userId, after);
    if (id === undefined) return undefined;
    const { stores, zones } = await selectRoutePrivacy(transaction, userId);
    await cutStored(
      transaction,
      { user_id: userId, id },
      { stores: storesRoutes(configured, stores), zones },
    );
    return id;
  });
}

async function cutStored(
  transaction: Queryable,
  owner: { readonly user_id: string; readonly id: string },
  rules: RouteRules,
): Promise<void> {
  const versions = Map.groupBy(await selectWholeTrack(transaction, owner), ({ data_type, hash }) =>
    JSON.stringify([data_type, hash]),
  );
  for (const rows of versions.values()) {
    const tracks = rows.map((row) => decodeChunk(chunkOf(row)));
    const cut = cutRoute(positionsOf(tracks), rules);
    await updateRows(transaction, owner, rows, tracks, cut);
  }
}

/** The positions of the chunks as one track. */
function positionsOf(tracks: readonly Track[]): Track {
  const join = (type: 'latitude' | 'longitude') =>
    Float64Array.from(
      tracks.flatMap(({ times, columns }) => [...(columns.get(type) ?? times.map(() => Number.NaN))]),
    );
  return {
    times: tracks.flatMap(({ times }) => times),
    columns: new Map([
      ['latitude', join('latitude')],
      ['longitude', join('longitude')],
    ]),
  };
}

async function updateRows(
  transaction: Queryable,
  owner: { readonly user_id: string; readonly id: string },
  rows: readonly ChunkRow[],
  tracks: readonly Track[],
  cut: Track,
): Promise<void> {
  let from = 0;
  for (const [index, row] of rows.entries()) {
    const track = tracks[index] ?? { times: [], columns: new Map() };
    const to = from + track.times.length;
    const columns = new Map(track.columns);
    for (const type of ['latitude', 'longitude'] as const) {
      const kept = cut.columns.get(type)?.subarray(from, to);
      if (kept === undefined) columns.delete(type);
      else columns.set(type, kept);
    }
    from = to;
    const chunk = encodeChunk({ times: track.times, columns }, row.chunk);
    if (chunk.columns.latitude !== chunkOf(row).columns.latitude)
      await updateChunk(transaction, owner, row, chunk);
  }
}
