import { type StoreItem, type StoreOutcome, sleepRanks } from '../../../domain/records/records.ts';
import type { ItemRow } from '../tables/items.ts';

/** Where a version of an item comes from. */
type ItemOrigin = Pick<ItemRow, 'normaliser_version' | 'received_ms'>;

const unknownOrigin = { normaliser_version: null, received_ms: null };

type Named = Pick<StoreItem, 'data_type' | 'key'>;

/** The stored versions of a call's items. Changes are collected and written at the end of the call. */
export class StoredItems {
  readonly #rows: Map<string, ItemRow>;
  readonly #changed = new Map<string, ItemRow>();

  constructor(stored: readonly ItemRow[]) {
    this.#rows = new Map(stored.map((row) => [nameOf(row), row]));
  }

  /** The stored version of an item, or undefined. */
  get(item: Named): ItemRow | undefined {
    return this.#rows.get(nameOf(item));
  }

  /** Whether a version, or a part of it, is the stored one. */
  isNewest(item: Named & { readonly hash: string }): boolean {
    const row = this.get(item);
    return (row?.hash ?? row?.pending_hash) === item.hash;
  }

  /** Removes the version that an earlier call stored. Returns false if this call stored one. */
  forget(item: Named): boolean {
    if (this.#changed.has(nameOf(item))) return false;
    const row = this.get(item);
    if (row !== undefined) row.hash = null;
    return true;
  }

  /** Makes the stored version of an item count as none, so that the same version is stored again in its place. */
  reopen(item: Named & { readonly hash: string; readonly part: number }): void {
    const row = this.get(item);
    if (row === undefined) return;
    row.hash = null;
    row.pending_hash = item.part > 0 ? item.hash : null;
    row.duration_seconds = 0;
  }

  /** Rows to write. */
  changes(): ItemRow[] {
    return [...this.#changed.values()];
  }

  /**
   * Records a version as stored. The row has no hash while parts are pending, so that all parts are stored again after
   * a crash between two of them.
   */
  note(item: StoreItem, { status, record_ids }: StoreOutcome, origin: ItemOrigin): void {
    const { data_type, key, duration_seconds, hash, more } = item;
    this.#keep({
      data_type,
      key,
      duration_seconds,
      record_ids,
      hash: more ? null : hash,
      pending_hash: more ? hash : null,
      is_first: status === 'saved',
      was_final: isFinal(item) || (this.get(item)?.was_final ?? false),
      ...origin,
    });
  }

  /** Records a version that was not stored: for a final sleep, that a final version exists. */
  noteRefused(item: StoreItem, { record_ids }: StoreOutcome): void {
    if (!isFinal(item)) return;
    const { data_type, key, duration_seconds } = item;
    const unstored = { hash: null, pending_hash: null, is_first: true, ...unknownOrigin };
    const row = this.get(item) ?? { data_type, key, duration_seconds, record_ids, ...unstored };
    this.#keep({ ...row, was_final: true });
  }

  /** Replaces the ids of merged records. */
  replaceIds(merged: ReadonlyMap<string, string>): void {
    if (merged.size === 0) return;
    for (const row of this.#rows.values())
      row.record_ids = [...new Set(row.record_ids.map((id) => merged.get(id) ?? id))];
  }

  #keep(row: ItemRow): void {
    this.#rows.set(nameOf(row), row);
    this.#changed.set(nameOf(row), row);
  }
}

function isFinal({ sleeps }: StoreItem): boolean {
  return sleeps.some(({ rank }) => rank === sleepRanks.final);
}

function nameOf({ data_type, key }: Named): string {
  return JSON.stringify([data_type, key]);
}

/**
 * The decision about a version compared to the stored one of its key. `continue`: a further part of the version that is
 * being stored, or its first part repeated after a crash. `stale` and `duplicate` change nothing.
 */
export type Decision = 'new' | 'replace' | 'continue' | 'duplicate' | 'stale';

type Version = Pick<StoreItem, 'hash' | 'part' | 'supersede' | 'duration_seconds'>;
type Stored = Pick<ItemRow, 'hash' | 'pending_hash' | 'duration_seconds'>;

/** Decides between a version and the stored one of the same key. */
export function decide(item: Version, stored: Stored | undefined): Decision {
  if (stored === undefined) return item.part > 0 ? 'stale' : 'new';
  if (stored.hash === item.hash) return 'duplicate';
  if (stored.pending_hash === item.hash) return 'continue';
  if (item.part > 0) return 'stale';
  if (item.supersede === 'longest' && item.duration_seconds < stored.duration_seconds) return 'stale';
  return 'replace';
}

/**
 * What a version of a kept delivery is to the stored one. `same`: it is the stored version, and is stored again in its place.
 * `open`: nothing or less is stored, so it is stored by the rules of live data. `superseded`: a newer version is stored, or
 * the item was deleted; nothing changes.
 */
type Standing = 'same' | 'open' | 'superseded';

/** Compares a version of a kept delivery with the stored one. `receivedMs`: when the delivery arrived. */
export function standingOf(
  kept: Version,
  stored: (Stored & Pick<ItemRow, 'received_ms'>) | undefined,
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
