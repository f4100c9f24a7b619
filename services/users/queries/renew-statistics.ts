import type { Database, Queryable } from '../../../mixins/database/database.ts';
import { lockUpkeep } from './lock-upkeep.ts';

// `erased_at` is the start of a transaction that commits later, so ANALYZE must begin at least a second after it.
const due = `
select coalesce(analyzed_at < greatest(folded_at, erased_at + interval '1 second'),
  folded_at is not null or erased_at is not null) as due
from (select max(folded_at) as folded_at, max(analyzed_at) as analyzed_at from users.list_total) t, (select max(erased_at) as erased_at from users.person) newest`;

/**
 * Renews the planner's statistics of users and connections after a fold or an erasure: pg_statistic contains values of
 * users. ANALYZE reads at most 30,000 rows of a table. Returns whether the statistics were renewed.
 */
export function renewStatistics(database: Database): Promise<boolean> {
  return database.transaction(async (transaction) => {
    if (!(await isDue(transaction)) || !(await lockUpkeep(transaction))) return false;
    await transaction.query('update users.list_total set analyzed_at = clock_timestamp()');
    await transaction.query('analyze users.person, users.connection');
    return true;
  });
}

async function isDue(transaction: Queryable): Promise<boolean> {
  const [row] = await transaction.query<{ due: boolean }>(due);
  return row?.due === true;
}
