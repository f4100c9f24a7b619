import { userErased } from '../../../domain/errors.ts';
import type { Database, Queryable } from '../../../mixins/database/database.ts';
import { lockUser } from '../tables/lock-user.ts';
import { isErased } from '../tables/tombstones.ts';

/** Whose data of a kept delivery is stored again, and whether this is only tried. */
export interface ReprocessScope {
  readonly user_id: string;
  readonly provider: string;
  readonly dry_run: boolean;
}

/**
 * Stores data of a kept delivery again in one transaction under the user's lock. A dry run does the same and is rolled
 * back. Changes are announced as historical. @throws USER_ERASED (410)
 */
export async function inReprocess<T>(
  database: Database,
  { user_id, provider, dry_run }: ReprocessScope,
  work: (transaction: Queryable) => Promise<T>,
): Promise<T> {
  const dryRun = new Error('dry run');
  const results: T[] = [];
  try {
    return await database.transaction(async (transaction) => {
      await lockUser(transaction, user_id);
      if (await isErased(transaction, user_id, provider)) throw userErased(user_id);
      await transaction.query("select set_config('changes.historical', 'on', true)");
      const result = await work(transaction);
      if (!dry_run) return result;
      results.push(result);
      throw dryRun;
    });
  } catch (error) {
    const [result] = results;
    if (error === dryRun && result !== undefined) return result;
    throw error;
  }
}
