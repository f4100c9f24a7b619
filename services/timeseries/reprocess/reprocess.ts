import {
  addedChanges,
  addedItems,
  type Changes,
  noChanges,
  noItems,
  type ReprocessedItems,
} from '../../../contracts/reprocess.ts';
import type { Database, Queryable } from '../../../mixins/database/database.ts';
import type { StoreCircumstances } from '../work/store.ts';
import { inReprocess } from './in-reprocess.ts';
import { type ReprocessRequest, reprocessItem } from './reprocess-item.ts';

/** What became of items of kept deliveries. */
export interface Reprocessed {
  readonly changes: Changes;
  readonly items: ReprocessedItems;
}

/** Stores items of a kept delivery again with the current normaliser. @throws USER_ERASED (410) */
export function reprocess(
  database: Database,
  request: ReprocessRequest & { readonly dry_run: boolean },
  circumstances: StoreCircumstances,
): Promise<Reprocessed> {
  return inReprocess(database, request, (transaction) => reprocessIn(transaction, request, circumstances));
}

async function reprocessIn(
  transaction: Queryable,
  request: ReprocessRequest,
  circumstances: StoreCircumstances,
): Promise<Reprocessed> {
  let result: Reprocessed = { changes: noChanges(), items: noItems() };
  for (const item of request.items) {
    const changes = await reprocessItem(transaction, request, item, circumstances);
    const done = item.more ? 0 : 1;
    const outcome = changes === null ? { superseded: done } : { processed: done };
    result = {
      changes: addedChanges(result.changes, changes ?? noChanges()),
      items: addedItems(result.items, { ...noItems(), ...outcome }),
    };
  }
  return result;
}
