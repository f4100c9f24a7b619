import type { Queryable, Statement } from '../../../mixins/database/database.ts';
import { priorities } from './note-event.ts';

/** Stored activities that the provider did not list. */
export interface UnlistedActivities {
  readonly user_id: string;
  readonly connection_id: string;
  readonly activities: readonly { readonly id: string; readonly startMs: number }[];
  /** When the connection was made. Activities of an earlier one may be of another account. */
  readonly connectedMs: number;
  /** Activities that were read at this time or later are omitted: the list may not contain them yet. */
  readonly readBeforeMs: number;
  /** The maximum number of jobs. */
  readonly limit: number;
}

// The limit applies to those that are read. The longest untouched go first: a read that finds nothing keeps `fetched_at`,
// and would put the same activities first each time.
const enqueue: Statement = {
  name: 'activitynet.enqueue_checks',
  text: `
    with unlisted as (
      select a.object_id, t.turn
      from unnest($3::bigint[], $4::bigint[]) t (object_id, turn)
      join activitynet.activity a on a.user_id = $1 and a.object_id = t.object_id
      where a.connection_id = $2 and a.work is null and not a.leased
        and a.fetched_at >= to_timestamp($5::float8 / 1000) and a.fetched_at < to_timestamp($6::float8 / 1000)
        and not coalesce(a.delete_time >= greatest(a.create_time, a.update_time, -1), false)
      order by a.run_at, a.object_id limit $7 for update of a)
    update activitynet.activity a set work = 'fetch', priority = ${priorities.repair}, turn = u.turn,
      version = a.version + 1, unlisted_version = a.version + 1, failures = 0, crashes = 0,
      error = null, run_at = now()
    from unlisted u where a.user_id = $1 and a.object_id = u.object_id
    returning a.object_id`,
};

/**
 * Creates jobs that read activities at the provider, because it did not list them. Waiting, deleted and recently read ones
 * do not change. Returns the number of jobs.
 */
export async function enqueueChecks(
  database: Queryable,
  { user_id, connection_id, activities, connectedMs, readBeforeMs, limit }: UnlistedActivities,
): Promise<number> {
  if (activities.length === 0) return 0;
  const rows = await database.query(enqueue, [
    user_id,
    connection_id,
    activities.map(({ id }) => id),
    activities.map(({ startMs }) => -Math.round(startMs / 1000)),
    connectedMs,
    readBeforeMs,
    limit,
  ]);
  return rows.length;
}
