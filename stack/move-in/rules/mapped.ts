import { hash } from 'node:crypto';
import { z } from 'zod';
import { movedHash, type StoreItem } from '../../../domain/records/records.ts';
import type { ProviderName } from '../../../providers/all.ts';

/** Rows or values of one kind with one reason. No value appears in either text. */
export interface Count {
  /** What they are: the code of a series, or the category of a record or a score. */
  readonly what: string;
  readonly reason: string;
  readonly count: number;
}

/** What rows become. Each row is part of an item, or is counted once in `left`. */
export interface Mapped {
  /** Null: all rows are left. */
  readonly provider: ProviderName | null;
  readonly items: StoreItem[];
  /** Rows that are not moved. */
  readonly left: Count[];
  /** Rows that are moved without a part of them. */
  readonly changed: Count[];
}

/** The reason of rows of a provider that we do not have. */
export const noProvider = 'we have no such provider';

/** A record with its times and the name of its item. */
export interface Placed {
  readonly name: { readonly data_type: string; readonly key: string };
  readonly device: string;
  readonly start_ms: number;
  readonly end_ms: number;
  readonly offset: number | null;
}

/** Counts by kind and reason, in the order in which they occurred. */
export class Counter {
  readonly #counts = new Map<string, Count>();

  add(what: string, reason: string, count = 1): void {
    if (count === 0) return;
    const key = JSON.stringify([what, reason]);
    const counted = this.#counts.get(key)?.count ?? 0;
    this.#counts.set(key, { what, reason, count: counted + count });
  }

  list(): Count[] {
    return [...this.#counts.values()];
  }
}

/** Nothing moved: all rows have one reason. */
export function allLeft(what: string, reason: string, count = 1): Mapped {
  const left = new Counter();
  left.add(what, reason, count);
  return { provider: null, items: [], left: left.list(), changed: [] };
}

/** An item with the hash of its content, which marks it as moved. The provider's own version of it replaces it. */
export function movedItem(item: Omit<StoreItem, 'hash'>): StoreItem {
  return { ...item, hash: `${movedHash}${hash('sha256', JSON.stringify(item), 'base64url')}` };
}

const RecordId = z.uuid();

/** The id that a record keeps. Null: the API reads no record by such an id, so that it gets a new one. */
export const recordIdOf = ({ id }: { readonly id: string }): string | null =>
  RecordId.safeParse(id).data ?? null;
