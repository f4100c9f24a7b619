import type { Queryable, Statement } from '../../../mixins/database/database.ts';
import { type LeaseTime, priorities } from './activities.ts';

/** Stored activities that the provider did not list. */
interface UnlistedActivities {
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
const enqueueUnlisted: Statement = {
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
  const rows = await database.query(enqueueUnlisted, [
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

const isDeleted = 'coalesce(a.delete_time >= greatest(a.create_time, a.update_time, -1), false)';

// Activities that were fetched for this connection are kept current by events, and waiting jobs do not change, except that
// a backfill takes over those that wait for a reconciliation. An activity that was deleted before the list was read but is
// listed exists again. The rows stay leased until the list's own data is stored.
const enqueue: Statement = {
  name: 'activitynet.enqueue_listed',
  text: `
    insert into activitynet.activity as a (user_id, object_id, connection_id, work, priority, turn, history_id, attempt,
      leased, run_at)
    select $1, t.object_id, $2, 'fetch', $10::smallint, t.turn, $3::uuid, 1, true,
      activitynet.clock($8) + $9 * interval '1 ms'
    from unnest($4::bigint[], $5::bigint[]) t (object_id, turn)
    on conflict (user_id, object_id) do update set connection_id = excluded.connection_id, work = 'fetch',
      priority = excluded.priority, turn = excluded.turn, history_id = excluded.history_id, version = a.version + 1,
      attempt = a.attempt + 1, leased = true, run_at = excluded.run_at, failures = 0, crashes = 0, error = null,
      delete_time = case when ${isDeleted} then null else a.delete_time end
    where not a.leased and (a.work is null or a.work = 'fetch'
        and a.priority = ${priorities.repair} and excluded.priority < a.priority)
      and (not ${isDeleted} or a.delete_time < $7::bigint)
      and (a.fetched_at is null or a.fetched_at < to_timestamp($6::float8 / 1000) or a.error is not null or ${isDeleted})
    returning a.object_id, a.attempt`,
};

/** An activity that became a job, leased by the caller. */
export interface Enqueued {
  readonly object_id: string;
  readonly attempt: number;
}

/** For whom listed activities are fetched, and how. */
interface ListedFor {
  readonly user_id: string;
  readonly connection_id: string;
  /** The backfill that the jobs belong to. Null: a reconciliation. */
  readonly backfill_id: string | null;
  /** When the connection was made. Activities that were fetched before are fetched again. */
  readonly connectedMs: number;
  /** A listed activity exists again if it was deleted before this time. */
  readonly deletedBeforeMs: number;
  readonly priority: number;
}

/**
 * Creates jobs for listed activities, leased for `leaseMs`, the newest activity first. Known and waiting activities do
 * not change.
 */
export function enqueueActivities(
  database: Queryable,
  whose: ListedFor,
  listed: readonly { readonly id: string; readonly startMs: number }[],
  { aheadMs, leaseMs }: LeaseTime,
): Promise<Enqueued[]> {
  return database.query<Enqueued>(enqueue, [
    whose.user_id,
    whose.connection_id,
    whose.backfill_id,
    listed.map(({ id }) => id),
    listed.map(({ startMs }) => -Math.round(startMs / 1000)),
    whose.connectedMs,
    Math.floor(whose.deletedBeforeMs / 1000),
    aheadMs,
    leaseMs,
    whose.priority,
  ]);
}

const release: Statement = {
  name: 'activitynet.release_enqueued',
  text: `
    update activitynet.activity a set leased = false, run_at = now()
    from unnest($2::bigint[], $3::int[]) t (object_id, attempt)
    where a.user_id = $1 and a.object_id = t.object_id and a.attempt = t.attempt and a.leased`,
};

/** Releases the jobs that were leased while the list's own data was stored. */
export async function releaseEnqueued(
  database: Queryable,
  userId: string,
  jobs: readonly Enqueued[],
): Promise<void> {
  const values = [userId, jobs.map(({ object_id }) => object_id), jobs.map(({ attempt }) => attempt)];
  await database.query(release, values);
}
