import {
  addedChanges,
  addedItems,
  type Changes,
  noChanges,
  noItems,
  type ReprocessedItems,
} from '../../../contracts/reprocess.ts';
import { userErased } from '../../../domain/errors.ts';
import type { Database, Queryable } from '../../../mixins/database.ts';
import { lockUser } from '../queries/lock-user.ts';
import { isErased } from '../records/queries/select-tombstone.ts';
import type { StoreCircumstances } from '../records/store.ts';
import { type ReprocessRequest, reprocessItem } from './reprocess-item.ts';

/** What became of items of kept deliveries. */
export interface Reprocessed {
  readonly changes: Changes;
  readonly items: ReprocessedItems;
}

/** Carries the result of a dry run out of its transaction, which is rolled back. */
class DryRun extends Error {
  readonly result: Reprocessed;

  constructor(result: Reprocessed) {
    super('dry run');
    this.result = result;
  }
}

/**
 * Stores items of a kept delivery again with the current normaliser, in one transaction under the user's lock. A dry run
 * does the same and is rolled back. Changes are announced as historical. @throws USER_ERASED (410)
 */
export async function reprocess(
  database: Database,
  request: ReprocessRequest & { readonly dry_run: boolean },
  circumstances: StoreCircumstances,
): Promise<Reprocessed> {
  try {
    return await database.transaction(async (transaction) => {
      const result = await reprocessIn(transaction, request, circumstances);
      if (request.dry_run) throw new DryRun(result);
      return result;
    });
  } catch (error) {
    if (error instanceof DryRun) return error.result;
    throw error;
  }
}

async function reprocessIn(
  transaction: Queryable,
  request: ReprocessRequest,
  circumstances: StoreCircumstances,
): Promise<Reprocessed> {
  const { user_id, provider } = request;
  await lockUser(transaction, user_id);
  if (await isErased(transaction, user_id, provider)) throw userErased(user_id);
  await transaction.query("select set_config('changes.historical', 'on', true)");
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
