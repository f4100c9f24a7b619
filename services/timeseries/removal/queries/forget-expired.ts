import type { Queryable } from '../../../../mixins/database/database.ts';

const most = 5000;

const isOldSlot = 'local_date < $1::date';

/** What goes with the samples of expired days, and how the rows of users are found. `$1`: the first local day that is kept. */
const expired = [
  {
    table: 'activity_block',
    change: 'delete from timeseries.activity_block',
    // A row contains samples of one UTC day. It is deleted if its last sample is on a local day before the border.
    isOld:
      "day < $1::date + 1 and (day + 1)::timestamp + zone_offset_minutes * interval '1 minute' <= $1::date",
    isOfUsers: 'user_id = any($2::uuid[])',
  },
  {
    table: 'other_instants',
    change: 'delete from timeseries.other_instants',
    isOld: 'day < $1::date - 1',
    isOfUsers: 'series_id in (select id from timeseries.series where user_id = any($2::uuid[]))',
  },
  {
    table: 'workout_track',
    change: 'delete from timeseries.workout_track',
    // Clocks differ from UTC by at most 18 hours.
    isOld: "end_time < $1::date - interval '18 hours'",
    isOfUsers:
      'workout_id in (select id from timeseries.workout where user_id = any($2::uuid[]) and start_time < $1::date)',
  },
  {
    table: 'epoch_part',
    change: 'update timeseries.epoch_part set superseded = null',
    isOld: `${isOldSlot} and superseded is not null`,
    isOfUsers: 'user_id = any($2::uuid[])',
  },
  {
    table: 'epoch_part',
    change: "update timeseries.epoch_part set vals = '{}'",
    isOld: `${isOldSlot} and vals <> '{}'`,
    isOfUsers: 'user_id = any($2::uuid[])',
  },
];

const events = {
  table: 'other_record',
  change: 'delete from timeseries.other_record',
  isOld: 'local_date < $1::date',
  isOfUsers: 'user_id = any($2::uuid[])',
};

/**
 * Deletes activity blocks, known instants, tracks and values of slots of expired samples in bounded parts, all or those of some users.
 * Returns whether those were all.
 */
export async function forgetExpired(
  transaction: Queryable,
  firstDay: string,
  users?: readonly string[],
): Promise<boolean> {
  let isAll = true;
  for (const rule of expired) isAll = (await forget(transaction, rule, firstDay, users)) && isAll;
  return isAll;
}

/** Deletes some events of users other than workouts and sleep before a local day. Returns whether those were all. */
export function forgetEvents(
  transaction: Queryable,
  firstDay: string,
  users: readonly string[],
): Promise<boolean> {
  return forget(transaction, events, firstDay, users);
}

async function forget(
  transaction: Queryable,
  { table, change, isOld, isOfUsers }: typeof events,
  firstDay: string,
  users: readonly string[] | undefined,
): Promise<boolean> {
  const isWanted = users === undefined ? isOld : `${isOld} and ${isOfUsers}`;
  const rows = await transaction.query(
    `${change} where ctid = any(array(
       select ctid from timeseries.${table} where ${isWanted} limit ${most} for update skip locked))
       and ${isOld} returning 1`,
    users === undefined ? [firstDay] : [firstDay, users],
  );
  return rows.length < most;
}
