import type { StoreItem } from '../records/records.ts';
import { cutRoute, type RouteRules } from './route-privacy.ts';
import type { Track } from './track.ts';
import { chunksOf } from './track-codec.ts';

/** The rules of a user, with the version of the user's route privacy. */
export interface VersionedRules extends RouteRules {
  readonly version: number;
}

/**
 * The track of an item in chunks, without the positions that the rules forbid. A track is cut before it leaves the ingest
 * service, so that no message and no table contains those positions.
 */
export function cutChunks(
  track: Track | null,
  rules: VersionedRules | null,
): Pick<StoreItem, 'track' | 'route_version'> {
  if (track === null) return { track: [], route_version: null };
  const cut = cutRoute(track, rules ?? { stores: false, zones: [] });
  return { track: chunksOf(cut), route_version: rules?.version ?? null };
}
