import type { Config } from '../../../config.ts';
import type { RoutePrivacyChange } from '../../../contracts/timeseries/route-privacy.ts';
import type { StreamType, TrackChunk } from '../../../domain/workouts/track.ts';
import type { Database } from '../../../mixins/database/database.ts';
import type { Jobs } from '../../../mixins/jobs/jobs.ts';
import type { AuditOrigin } from '../../../runtime/audit-origin.ts';
import type { Call } from '../../../runtime/environment.ts';
import type { Settings } from '../rules/settings.ts';
import { type StoredChunk as ChunkRow, selectChunks, selectTrackedIds } from '../tables/tracks.ts';
import { chunkOf } from '../work/crop.ts';
import { changeRoutePrivacy, readRoutePrivacy, readRouteRules } from '../work/route-privacy.ts';
import { readTrackHead, readWorkout } from './read-workout.ts';

interface Context<P> {
  readonly params: P;
  readonly database: Database;
  readonly settings: Settings;
  readonly config: Config;
}

interface OneWorkout {
  readonly user_id: string;
  readonly event_id: string;
}

interface Chunks extends OneWorkout {
  readonly track_of: string;
  readonly track_hash: string;
  readonly types: readonly StreamType[];
  readonly from: number;
  readonly limit: number;
}

type OfUser = Context<{ readonly user_id: string }> & { readonly call: Call };
type Changing = Context<RoutePrivacyChange> & {
  readonly call: Call;
  readonly jobs: Jobs;
  readonly origin: AuditOrigin;
};

/** The actions of single workouts, their tracks, and the privacy of routes. */
export const trackHandlers = {
  workout: ({ params, database, settings }: Context<OneWorkout>) =>
    readWorkout(database, settings, params.user_id, params.event_id),
  workoutTrack: ({ params, database, settings }: Context<OneWorkout>) =>
    readTrackHead(database, settings, params.user_id, params.event_id),
  async trackChunks({ params, database }: Context<Chunks>) {
    const { user_id, event_id, types, from, limit: most } = params;
    const rows = await selectChunks(database, user_id, event_id, params, { types, from, most });
    return rows.map(chunkToWire);
  },
  exportTracks: ({
    params,
    database,
  }: Context<{ user_id: string; after: string | null; since_ms: number; limit: number }>) =>
    selectTrackedIds(database, params),
  async routePrivacy({ params: { user_id }, database, config, call }: OfUser) {
    await call('users.get', { user_id });
    return readRoutePrivacy(database, config.STORE_ROUTES, user_id);
  },
  routeRules: ({ params, database, config }: Context<{ user_id: string }>) =>
    readRouteRules(database, config.STORE_ROUTES, params.user_id),
  async changeRoutePrivacy({ params, database, config, call, jobs, origin }: Changing) {
    await call('users.get', { user_id: params.user_id });
    await changeRoutePrivacy(database, config.STORE_ROUTES, params, origin);
    jobs.notify();
    return readRoutePrivacy(database, config.STORE_ROUTES, params.user_id);
  },
};

function chunkToWire(row: ChunkRow): TrackChunk {
  const { chunk: index, start_ms, end_ms, points, located } = row;
  return { index, start_ms, end_ms, points, located, ...chunkOf(row) };
}
