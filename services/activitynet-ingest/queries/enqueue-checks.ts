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
}

const enqueue: Statement = {
  name: 'activitynet.enqueue_checks',
  text: `
    update activitynet.activity a set work = 'fetch', priority = ${priorities.repair}, turn = t.turn,
      version = a.version + 1, unlisted_version = a.version + 1, authenticated = true, failures = 0, crashes = 0,
      error = null, run_at = now()
    from unnest($3::bigint[], $4::bigint[]) t (object_id, turn)
    where a.user_id = $1 and a.connection_id = $2 and a.object_id = t.object_id and a.work is null and not a.leased
      and not a.unconfirmed and a.fetched_at >= to_timestamp($5::float8 / 1000)
      and a.fetched_at < to_timestamp($6::float8 / 1000)
      and not coalesce(a.delete_time >= greatest(a.create_time, a.update_time, -1), false)
    returning a.object_id`,
};

/**
 * Creates jobs that read activities at the provider, because it did not list them. Waiting, deleted and recently read ones
 * do not change. Returns the number of jobs.
 */
export async function enqueueChecks(
  database: Queryable,
  { user_id, connection_id, activities, connectedMs, readBeforeMs }: UnlistedActivities,
): Promise<number> {
  if (activities.length === 0) return 0;
  const rows = await database.query(enqueue, [
    user_id,
    connection_id,
    activities.map(({ id }) => id),
    activities.map(({ startMs }) => -Math.round(startMs / 1000)),
    connectedMs,
    readBeforeMs,
  ]);
  return rows.length;
}
