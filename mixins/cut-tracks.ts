import type { StoreItem } from '../domain/records/records.ts';
import { cutChunks, type VersionedRules } from '../domain/workouts/cut-chunks.ts';
import type { Track } from '../domain/workouts/track.ts';
import type { Call } from '../runtime/environment.ts';

/** The route privacy of a user. Null: no track has positions, and only positions need it. */
export async function routeRulesFor(
  call: Call,
  userId: string,
  tracks: Iterable<Track | null>,
): Promise<VersionedRules | null> {
  for (const track of tracks)
    if (track?.columns.has('latitude')) return call('timeseries.routeRules', { user_id: userId });
  return null;
}

/** The tracks of items by their keys, cut by the user's route privacy, as fields of these items. */
export async function cutTracks(
  call: Call,
  userId: string,
  tracks: ReadonlyMap<string, Track> = new Map(),
): Promise<(key: string) => Partial<Pick<StoreItem, 'track' | 'route_version'>>> {
  const rules = await routeRulesFor(call, userId, tracks.values());
  return (key) => {
    const track = tracks.get(key);
    return track === undefined ? {} : cutChunks(track, rules);
  };
}
