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
