import type { StoreItem } from '../../../domain/records/records.ts';
import type { TrackChunk } from '../../../domain/workouts/track.ts';
import type { Queryable } from '../../../mixins/database/database.ts';
import { selectRoutePrivacy } from '../tables/route-privacy.ts';
import { finishTrack, insertTrack, selectTracked } from '../tables/tracks.ts';
import { isActivity } from './activity-samples.ts';

/** A user's items of one provider. */
interface Owner {
  readonly user_id: string;
  readonly provider: string;
}

/**
 * Stores the tracks of items. The last part of an item replaces the track of its older version. A track that was cut by
 * another version of the user's route privacy loses its positions: the user may have added a zone meanwhile.
 */
export async function storeTracks(
  transaction: Queryable,
  { user_id, provider }: Owner,
  items: readonly StoreItem[],
): Promise<void> {
  const own = items.filter((item) => isActivity(item) && !item.samples_kept);
  if (own.length === 0) return;
  const isLocated = own.some(({ track }) => track.some(({ located }) => located > 0));
  const version = isLocated ? (await selectRoutePrivacy(transaction, user_id)).version : null;
  const tracked = await selectTracked(
    transaction,
    { user_id, provider },
    own.map(({ key }) => key),
  );
  for (const { data_type, key, hash, track, more, route_version } of own) {
    const item = { user_id, provider, data_type, key, hash };
    await insertTrack(transaction, item, route_version === version ? track : track.map(withoutPositions));
    if (!more && (track.length > 0 || tracked.has(`${data_type} ${key}`)))
      await finishTrack(transaction, item);
  }
}

/** A chunk without its positions. */
function withoutPositions(chunk: TrackChunk): TrackChunk {
  const { latitude: _, longitude: __, ...columns } = chunk.columns;
  return { ...chunk, located: 0, columns };
}
