import type { Database } from '../../../mixins/database/database.ts';
import { lockUser } from '../../../services/timeseries/tables/erasures.ts';
import { until } from '../../support/until.ts';

const waiting = `
select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and wait_event = 'advisory'`;

/**
 * Starts `store`, then `call`, while the user's lock is held, so that both wait for it in that order. The store is
 * therefore in progress during the call. Returns the result of the store.
 */
export async function callDuringStore<S>(
  database: Database,
  userId: string,
  store: () => Promise<S>,
  call: () => Promise<unknown>,
): Promise<S> {
  const areWaiting = async (count: number) => (await database.query(waiting)).length >= count;
  const begun = await database.transaction(async (transaction) => {
    await lockUser(transaction, userId);
    const stored = store();
    await until(() => areWaiting(1));
    const called = call();
    await until(() => areWaiting(2));
    return { stored, called };
  });
  await begun.called;
  return begun.stored;
}
