import type { Queryable } from '../../mixins/database.ts';
import { deleteExpired, expiredPerStatement } from './queries/delete-expired.ts';

/** Statements a round: 100,000 deliveries, after which a stop need not wait any longer. */
const statementsPerRound = 200;

/** Deletes what is past its time, in bounded statements; tells how many there were. */
export async function expire(database: Queryable, days: number, most = expiredPerStatement): Promise<number> {
  let deleted = 0;
  for (let statement = 0; statement < statementsPerRound; statement += 1) {
    const some = await deleteExpired(database, days, most);
    deleted += some;
    if (some < most) break;
  }
  return deleted;
}
