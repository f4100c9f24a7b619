import type { Queryable, Statement } from '../../../mixins/database.ts';
import { priorities } from './note-event.ts';

/** A job, held until the lease ends; `attempt` is the fence, `version` what asked for it. */
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
  /** When the newest deletion was, in the provider's time; null where there was none. */
  readonly delete_time: string | null;
  /** No read has confirmed the deletion yet. */
  readonly unconfirmed: boolean;
  /** Asked for by an event whose sender is authenticated, or by ourselves. */
  readonly authenticated: boolean;
  /** A read is charged to the owner already. */
  readonly prepaid: boolean;
}

/** Whose claims have ended without an outcome this often kills its process: it is given up. */
export const mostCrashes = 5;

// A job that is held, or waits for its next attempt, is passed by: there are few of them at the front. Four of 13,000
// that wait: 0.05 ms.
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

/** Which jobs are wanted: at most `limit`, of this priority or a lower one. */
export interface Claim {
  readonly aheadMs: number;
  readonly priority: number;
  readonly limit: number;
  readonly leaseMs: number;
}

/** Claims what is due: deletions, then the oldest live event, then history. */
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

/** As many of an owner are tried at a time. */
const mostRevived = 40;

/** Lets jobs be claimed again that waited for their owner's reads, the oldest of each owner. */
export async function revivePostponed(database: Queryable, aheadMs: number): Promise<void> {
  await database.query(revive, [aheadMs, mostRevived]);
}

/** Gives up what killed its process each time; tells how many there were. */
export async function moveCrashedToDeadLetters(database: Queryable, aheadMs: number): Promise<number> {
  return (await database.query(bury, [aheadMs])).length;
}
