import type { Queryable } from '../../../mixins/database/database.ts';

const upkeepLock = 0x666f6c64; // any fixed number

/** Takes the lock for folding the list and renewing its statistics until the transaction ends; false if it is taken. */
export async function lockUpkeep(transaction: Queryable): Promise<boolean> {
  const statement = 'select pg_try_advisory_xact_lock($1) as mine';
  const [row] = await transaction.query<{ mine: boolean }>(statement, [upkeepLock]);
  return row?.mine === true;
}
