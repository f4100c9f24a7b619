import type { Queryable } from '../../../../mixins/database/database.ts';

const most = 5000;

// A row contains samples of one UTC day. It is deleted if its last sample is on a local day before the border.
const rules = [
  [
    'activity_block',
    "day < $1::date + 1 and (day + 1)::timestamp + zone_offset_minutes * interval '1 minute' <= $1::date",
  ],
  ['other_instants', 'day < $1::date - 1'],
  // Clocks differ from UTC by at most 18 hours.
  ['workout_track', "end_time < $1::date - interval '18 hours'"],
] as const;

/** Deletes activity blocks, known instants and tracks of expired samples in bounded parts. Returns whether those were all. */
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
