import type { Queryable } from '../../mixins/database.ts';
import { deleteExpired, expiredPerStatement } from './queries/delete-expired.ts';

/** Statements per round, for 100,000 deliveries; it bounds how long a shutdown waits. */
const statementsPerRound = 200;

/** Deletes expired deliveries in bounded statements; returns their number. */
export async function expire(database: Queryable, days: number, most = expiredPerStatement): Promise<number> {
  let deleted = 0;
  for (let statement = 0; statement < statementsPerRound; statement += 1) {
    const some = await deleteExpired(database, days, most);
    deleted += some;
    if (some < most) break;
  }
  return deleted;
}
