import type { Queryable } from '../../../mixins/database/database.ts';
import { claimStatement } from '../../../mixins/jobs/job-table.ts';
import { type ActivityKey, activityTable } from './activity-table.ts';

/** A claimed job. `attempt` fences writes. `version` identifies the request for the work. */
export interface ActivityLease extends ActivityKey {
  readonly connection_id: string;
  readonly work: 'fetch' | 'delete';
  readonly priority: number;
  readonly version: number;
  readonly failures: number;
  /** Claims without an outcome, including this one. */
  readonly crashes: number;
  readonly streams_for: string | null;
  readonly fetched_at: Date | null;
  readonly backfill_id: string | null;
  /** Time of the newest deletion by the provider's clock. Null if there was none. */
  readonly delete_time: string | null;
  /** The version whose fetch checks an activity that the provider did not list. Null: there was none. */
  readonly unlisted_version: number | null;
}

// Jobs that are leased or wait for their next attempt are skipped: few of them are at the front of the index. Claiming
// four of 13,000 waiting jobs takes 0.05 ms.
const claim = claimStatement(activityTable, {
  name: 'claim',
  parameters: 3,
  due: `
    select user_id, object_id from activitynet.activity
    where work is not null and priority <= $3 and run_at <= activitynet.clock($4)
    order by priority, turn, object_id limit $1 for update skip locked`,
  returning: `j.user_id, j.object_id, j.connection_id, j.work, j.priority, j.turn, j.version, j.attempt, j.failures,
    j.crashes, j.streams_for, j.fetched_at, j.history_id as backfill_id, j.delete_time, j.unlisted_version`,
});

/** SQL that is true while an activity is due. */
export const isActivityDue = (aheadMs: number) =>
  `exists (select from activitynet.activity where work is not null and run_at <= activitynet.clock(${aheadMs}))`;

/** The jobs to claim: at most `limit`, with this priority or a lower number. */
export interface Claim {
  readonly aheadMs: number;
  readonly priority: number;
  readonly limit: number;
  readonly leaseMs: number;
}

/** Claims due jobs: deletions first, then the oldest live event, then backfill. */
export async function claimActivities(database: Queryable, wanted: Claim): Promise<ActivityLease[]> {
  const { aheadMs, priority, limit, leaseMs } = wanted;
  const values = [limit, leaseMs, priority, aheadMs];
  const rows = await database.query<ActivityLease & { turn: string }>(claim, values);
  return rows.sort((a, b) => a.priority - b.priority || Number(a.turn) - Number(b.turn));
}
