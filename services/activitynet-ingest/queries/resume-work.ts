import type { Queryable } from '../../../mixins/database/database.ts';

// A fetch that was running when it was dropped has overwritten the reason with its own failure.
const activities = `
update activitynet.activity
set work = 'fetch', error = null, failures = 0, crashes = 0, version = version + 1,
  run_at = case when leased then run_at else now() end
where connection_id = $1 and work is null and error is not null and run_at >= $2
returning object_id`;

const backfill = `
update activitynet.history
set state = case when listed_at is null then 'listing' else 'fetching' end, reason = null, finished_at = null,
  run_at = now(), attempt = attempt + 1
where connection_id = $1 and state = 'stopped' and reason = 'CONNECTION_GONE' and finished_at >= $2`;

/** Resumes the fetches that were dropped since an instant because the connection had ended. Returns their number. */
export async function resumeConnection(
  database: Queryable,
  connectionId: string,
  since: string,
): Promise<number> {
  const rows = await database.query(activities, [connectionId, since]);
  await database.query(backfill, [connectionId, since]);
  return rows.length;
}
