import type { Queryable, Statement } from '../../../mixins/database.ts';
import { priorities } from './note-event.ts';

/** A claimed job. `attempt` fences writes. `version` identifies the request for the work. */
export interface ActivityLease {
  readonly user_id: string;
  readonly object_id: string;
  readonly connection_id: string;
  readonly work: 'fetch' | 'delete';
  readonly priority: number;
  readonly version: number;
  readonly attempt: number;
  readonly failures: number;
  readonly streams_for: string | null;
  readonly fetched_at: Date | null;
  readonly history_id: string | null;
  /** Time of the newest deletion by the provider's clock. Null if there was none. */
  readonly delete_time: string | null;
  /** No read has confirmed the deletion yet. */
  readonly unconfirmed: boolean;
  /** Requested by backfill or by an event of an authenticated sender. */
  readonly authenticated: boolean;
  /** A read is already reserved for the user. */
  readonly prepaid: boolean;
}

/** A job whose lease expired without an outcome this often is given up, because it probably crashes its process. */
export const mostCrashes = 5;

// Jobs that are leased or wait for their next attempt are skipped: few of them are at the front of the index. Claiming
// four of 13,000 waiting jobs takes 0.05 ms.
const claim: Statement = {
  name: 'activitynet.claim',
  text: `
    with due as (
      select user_id, object_id from activitynet.activity
      where work is not null and priority <= $2 and run_at <= activitynet.clock($1) and crashes < ${mostCrashes}
      order by priority, turn, object_id limit $3 for update skip locked)
    update activitynet.activity a
    set attempt = attempt + 1, crashes = crashes + 1, leased = true,
      run_at = activitynet.clock($1) + $4 * interval '1 ms'
    from due where a.user_id = due.user_id and a.object_id = due.object_id
    returning a.user_id, a.object_id, a.connection_id, a.work, a.priority, a.turn, a.version, a.attempt, a.failures,
      a.streams_for, a.fetched_at, a.history_id, a.delete_time, a.unconfirmed, a.authenticated, a.prepaid`,
};

const bury: Statement = {
  name: 'activitynet.bury',
  text: `
    update activitynet.activity set work = null, leased = false, error = 'CRASHED'
    where work is not null and crashes >= ${mostCrashes} and run_at <= activitynet.clock($1)
    returning history_id`,
};

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
  const rows = await database.query<ActivityLease & { turn: string }>(claim, [
    aheadMs,
    priority,
    limit,
    leaseMs,
  ]);
  return rows.sort((a, b) => a.priority - b.priority || Number(a.turn) - Number(b.turn));
}

const revive: Statement = {
  name: 'activitynet.revive',
  text: `
    update activitynet.activity a set priority = ${priorities.live}
    from (
      select user_id, object_id, row_number() over (partition by user_id order by turn, object_id) as place
      from activitynet.activity
      where work is not null and priority = ${priorities.postponed} and run_at <= activitynet.clock($1)
    ) due
    where a.user_id = due.user_id and a.object_id = due.object_id and a.priority = ${priorities.postponed}
      and due.place <= $2`,
};

/** Maximum number of postponed jobs per user that become due at once. */
const mostRevived = 40;

/** Makes jobs due again that were postponed because their user had no reads left, the oldest of each user first. */
export async function revivePostponed(database: Queryable, aheadMs: number): Promise<void> {
  await database.query(revive, [aheadMs, mostRevived]);
}

/** Gives up jobs that crashed their process each time. Returns their number. */
export async function moveCrashedToDeadLetters(database: Queryable, aheadMs: number): Promise<number> {
  return (await database.query(bury, [aheadMs])).length;
}
