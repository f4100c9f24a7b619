import type { Queryable } from '../../../../mixins/database/database.ts';

const most = 5000;

/** Clears the values of some slots before a local day. Returns whether those were all. */
export async function forgetEpochValues(transaction: Queryable, keptFrom: string): Promise<boolean> {
  const forget = async (change: string, condition: string) => {
    const rows = await transaction.query(
      `update timeseries.epoch_part set ${change} where ctid = any(array(
         select ctid from timeseries.epoch_part where local_date < $1 and ${condition}
         limit ${most} for update skip locked)) and local_date < $1 returning 1`,
      [keptFrom],
    );
    return rows.length < most;
  };
  const areSuperseded = await forget('superseded = null', 'superseded is not null');
  return (await forget("vals = '{}'", "vals <> '{}'")) && areSuperseded;
}
