import type { Queryable } from '../../../../mixins/database.ts';

const most = 5000;

// A row holds samples of a UTC day: the last of them lies on the local day before the border where the row goes.
const rules = [
  [
    'activity_block',
    "day < $1::date + 1 and (day + 1)::timestamp + zone_offset_minutes * interval '1 minute' <= $1::date",
  ],
  ['other_instants', 'day < $1::date - 1'],
] as const;

/** Deletes what is known of samples that are not kept any more, in bounded parts. Answers whether it was all. */
export async function forgetActivityBlocks(transaction: Queryable, keptFrom: string): Promise<boolean> {
  let isAll = true;
  for (const [table, isOld] of rules) {
    const rows = await transaction.query(
      `delete from timeseries.${table} where ctid = any(array(
         select ctid from timeseries.${table} where ${isOld} limit ${most} for update skip locked))
         and ${isOld} returning 1`,
      [keptFrom],
    );
    isAll &&= rows.length < most;
  }
  return isAll;
}
