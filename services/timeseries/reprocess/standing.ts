import type { StoreItem } from '../../../domain/records/records.ts';
import type { ItemRow } from '../tables/select-items.ts';

/**
 * What a kept version of an item is to the stored one. `same`: it is the stored version, and is stored again in its place.
 * `open`: nothing or less is stored, so it is stored by the rules of live data. `superseded`: a newer version is stored, or
 * the item was deleted; nothing changes.
 */
export type Standing = 'same' | 'open' | 'superseded';

type Kept = Pick<StoreItem, 'hash' | 'part' | 'supersede' | 'duration_seconds'>;
type Stored = Pick<ItemRow, 'hash' | 'pending_hash' | 'duration_seconds' | 'received_ms'>;

/** Compares a kept version with the stored one. `receivedMs`: when its delivery arrived. */
export function standingOf(kept: Kept, stored: Stored | undefined, receivedMs: number): Standing {
  if (stored === undefined) return 'open';
  if (stored.hash === kept.hash) return 'same';
  if (stored.pending_hash === kept.hash) return 'open';
  if (stored.hash === null || kept.part > 0) return 'superseded';
  if (kept.supersede === 'longest' && kept.duration_seconds !== stored.duration_seconds)
    return kept.duration_seconds > stored.duration_seconds ? 'open' : 'superseded';
  const isLater = stored.received_ms !== null && receivedMs > stored.received_ms;
  return isLater ? 'open' : 'superseded';
}
