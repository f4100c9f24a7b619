import type { Queryable } from '../../../../mixins/database/database.ts';
import type { KeptTypes } from './kept-types.ts';

/** A series with expired samples, and the first local day that is kept of its type. */
export interface OldSeriesOfUser {
  id: number;
  user_id: string;
  kept_from: string;
}

// Without the list of the users' series first, the planner reads all series in the order of their ids.
const statement = `
  with own as materialized (
    select id, user_id, type_id from timeseries.series where user_id = any($1::uuid[]) and id > $2
  )
  select s.id, s.user_id, k.kept_from::text from own s
  join unnest($3::smallint[], $4::date[]) k (type_id, kept_from) on k.type_id = s.type_id
  cross join lateral (
    select from timeseries.sample_local_day d where d.series_id = s.id and d.date < k.kept_from limit 1
  ) old
  order by s.id limit 1`;

/** The next series of users after `afterId` with samples of local days that are not kept. */
export async function selectOldSeriesOfUsers(
  transaction: Queryable,
  users: readonly string[],
  afterId: number,
  { ids, days }: KeptTypes,
): Promise<OldSeriesOfUser | undefined> {
  const [row] = await transaction.query<OldSeriesOfUser>(statement, [users, afterId, ids, days]);
  return row;
}
