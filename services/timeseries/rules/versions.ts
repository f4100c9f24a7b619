import { movedHash, type StoreItem, sleepRanks } from '../../../domain/records/records.ts';

// Which of two versions of an item counts. No time of the provider is compared: few send one, and those of one record may repeat.
// What is delivered later wins, unless the rule of its kind says that it is less (docs/decisions/0030). `decide` is about versions of
// one key; `outweighs` then decides between nights that overlap, whatever their keys.

/**
 * The decision about a version compared to the stored one of its key. Of a sleep, `replace` still has to outweigh overlapping
 * nights. `continue`: a further part of the version that is being stored, or its first part repeated after a crash. `stale` and
 * `duplicate` change nothing.
 */
export type Decision = 'new' | 'replace' | 'continue' | 'duplicate' | 'stale';

type Version = Pick<StoreItem, 'hash' | 'part' | 'supersede' | 'duration_seconds'>;

/** The stored version of an item. `hash` is null while parts are pending, and of an item that was deleted. */
interface Stored {
  readonly hash: string | null;
  readonly pending_hash: string | null;
  readonly duration_seconds: number;
}

/** Decides between a version and the stored one of the same key. */
export function decide(item: Version, stored: Stored | undefined): Decision {
  if (stored === undefined) return item.part > 0 ? 'stale' : 'new';
  if (stored.hash === item.hash) return 'duplicate';
  if (stored.pending_hash === item.hash) return 'continue';
  if (item.part > 0) return 'stale';
  if (item.supersede === 'moved' && !isMoved(stored)) return 'stale';
  if (item.supersede === 'longest' && item.duration_seconds < stored.duration_seconds) return 'stale';
  return 'replace';
}

// What was deleted has no hash, and is not moved in again.
const isMoved = ({ hash, pending_hash }: Stored): boolean =>
  (hash ?? pending_hash)?.startsWith(movedHash) ?? false;

/**
 * What a version of a kept delivery is to the stored one. `same`: it is the stored version, and is stored again in its place.
 * `open`: nothing or less is stored, so it is stored by the rules of live data. `superseded`: a newer version is stored, or
 * the item was deleted; nothing changes.
 */
type Standing = 'same' | 'open' | 'superseded';

/** Compares a version of a kept delivery with the stored one. `receivedMs`: when the delivery arrived. */
export function standingOf(
  kept: Version,
  stored: (Stored & { readonly received_ms: number | null }) | undefined,
  receivedMs: number,
): Standing {
  if (stored === undefined) return 'open';
  if (stored.hash === kept.hash) return 'same';
  if (stored.pending_hash === kept.hash) return 'open';
  if (stored.hash === null || kept.part > 0) return 'superseded';
  if (kept.supersede === 'longest' && kept.duration_seconds !== stored.duration_seconds)
    return kept.duration_seconds > stored.duration_seconds ? 'open' : 'superseded';
  const isLater = stored.received_ms !== null && receivedMs > stored.received_ms;
  return isLater ? 'open' : 'superseded';
}

/** What decides between overlapping sleep sessions. */
interface SleepWeight {
  /** One of `sleepRanks`. */
  readonly rank: number;
  /** Some delivery of the same record, including this one, was final. */
  readonly was_final: boolean;
  readonly asleep_seconds: number | null;
  readonly span_seconds: number;
}

/**
 * Whether a stored session takes precedence over a later delivery: by validity, then by length. On a tie the later
 * delivery wins.
 */
export function outweighs(stored: SleepWeight, later: SleepWeight): boolean {
  return compare(stored, later) > 0;
}

/** The stored session that takes precedence over the others. */
export function weightiest<T extends SleepWeight>(sessions: readonly T[]): T | undefined {
  return sessions.toSorted((a, b) => compare(b, a))[0];
}

function compare(a: SleepWeight, b: SleepWeight): number {
  const asleep = ({ asleep_seconds }: SleepWeight) => asleep_seconds ?? 0;
  return validity(a) - validity(b) || asleep(a) - asleep(b) || a.span_seconds - b.span_seconds;
}

// A sleep that is neither tentative nor final counts as final, unless the same record was final before.
function validity({ rank, was_final }: SleepWeight): number {
  if (rank === sleepRanks.tentative) return 0;
  return rank === sleepRanks.final || !was_final ? 2 : 1;
}
