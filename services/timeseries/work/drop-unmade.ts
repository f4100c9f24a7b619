import type { StoreItem } from '../../../domain/records/records.ts';
import type { Queryable } from '../../../mixins/database/database.ts';
import { deleteUnmade } from '../tables/unlisted.ts';
import type { StoredItems } from './stored-items.ts';

/**
 * Deletes the day values and the scores of items whose newest version has none. A call may contain two versions of an item,
 * so that this runs after all of them.
 */
export function dropUnmade(work: {
  readonly transaction: Queryable;
  readonly user_id: string;
  readonly provider: string;
  readonly accepted: readonly StoreItem[];
  readonly storedItems: StoredItems;
}): Promise<void> {
  const { transaction, accepted, storedItems } = work;
  // The first part of a version has all of its records.
  const replaced = accepted.filter(
    (item) => item.part === 0 && storedItems.isNewest(item) && storedItems.get(item)?.is_first === false,
  );
  const made = replaced.map(({ data_type, key, day_values, scores }) => ({
    data_type,
    key,
    has_day_values: day_values !== null,
    score_kinds: scores.map(({ kind }) => kind),
  }));
  return deleteUnmade(transaction, work, made);
}
