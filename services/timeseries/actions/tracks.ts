import type { Config } from '../../../config.ts';
import type { timeseries } from '../../../contracts/timeseries.ts';
import type { ParamsOf } from '../../../domain/contract.ts';
import type { TrackChunk } from '../../../domain/workouts/track.ts';
import type { Database } from '../../../mixins/database/database.ts';
import type { Jobs } from '../../../mixins/jobs/jobs.ts';
import type { AuditOrigin } from '../../../runtime/audit-origin.ts';
import type { Call } from '../../../runtime/environment.ts';
import type { Settings } from '../rules/settings.ts';
import { type StoredChunk as ChunkRow, selectChunks, selectTrackedIds } from '../tables/tracks.ts';
import { chunkOf } from '../work/crop.ts';
import { changeRoutePrivacy, readRoutePrivacy, readRouteRules } from '../work/route-privacy.ts';
import { readTrackHead, readWorkout } from './read-workout.ts';

interface Context<Action extends keyof (typeof timeseries)['actions']> {
  readonly params: ParamsOf<typeof timeseries, Action>;
  readonly database: Database;
  readonly settings: Settings;
  readonly config: Config;
  readonly call: Call;
  readonly jobs: Jobs;
  readonly origin: AuditOrigin;
}

/** The actions of single workouts, their tracks, and the privacy of routes. */
export const trackHandlers = {
  workout: ({ params, database, settings }: Context<'workout'>) =>
    readWorkout(database, settings, params.user_id, params.event_id),
  workoutTrack: ({ params, database, settings }: Context<'workoutTrack'>) =>
    readTrackHead(database, settings, params.user_id, params.event_id),
  async trackChunks({ params, database }: Context<'trackChunks'>) {
    return (await selectChunks(database, params)).map(chunkToWire);
  },
  exportTracks: ({ params, database }: Context<'exportTracks'>) => selectTrackedIds(database, params),
  async routePrivacy({ params: { user_id }, database, config, call }: Context<'routePrivacy'>) {
    await call('users.get', { user_id });
    return readRoutePrivacy(database, config.STORE_ROUTES, user_id);
  },
  routeRules: ({ params, database, config }: Context<'routeRules'>) =>
    readRouteRules(database, config.STORE_ROUTES, params.user_id),
  async changeRoutePrivacy({ params, database, config, call, jobs, origin }: Context<'changeRoutePrivacy'>) {
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
