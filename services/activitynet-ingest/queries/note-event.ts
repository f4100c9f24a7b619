import type { Queryable, Statement } from '../../../mixins/database/database.ts';

/**
 * Deletions go first because they need no read, and jobs of reconciliations go last. Postponed jobs are not claimed: their
 * user has no reads left.
 */
export const priorities = { delete: -1, live: 0, backfill: 10, repair: 15, postponed: 20 } as const;

/** An event of an activity, for one linked user. */
export interface ActivityEvent {
  readonly user_id: string;
  readonly connection_id: string;
  readonly object_id: string;
  readonly aspect_type: 'create' | 'update' | 'delete';
  readonly event_time: number;
  /** The sender is authenticated. */
  readonly authenticated: boolean;
}

// Time of the newest create or update, -1 if there is none.
const alive = 'greatest(a.create_time, a.update_time, -1)';
// A waiting fetch that backfill or an authenticated event requested. An unauthenticated event does not change it.
const isOwnFetch = "(a.work = 'fetch' and a.authenticated and not $6::boolean)";
// A certain deletion is processed first. Unauthenticated events are processed after it.
const isCertainDeletion = "(a.work = 'delete' and not a.unconfirmed and not $6::boolean)";

const renewed = `version = a.version + 1, failures = 0, crashes = 0, error = null,
      run_at = case when a.leased then a.run_at else now() end`;

// An event is applied only if it is newer than the stored ones. On a tie with a create or update, a deletion wins. On a
// tie with a deletion, a create or update loses. A second event of the same kind and time is a repetition. An
// unconfirmed deletion supersedes nothing. The turn stays that of the oldest waiting event. A leased row stays leased:
// its holder finds another version at the end and leaves the row open.
const creation: Statement = {
  name: 'activitynet.note_creation',
  text: `
    insert into activitynet.activity as a (user_id, object_id, connection_id, create_time, update_time, work, priority,
      turn, authenticated)
    values ($1, $2, $3, case when $4 = 'create' then $5::bigint end, case when $4 = 'update' then $5::bigint end, 'fetch',
      ${priorities.live}, $5::bigint, $6::boolean)
    on conflict (user_id, object_id) do update set
      connection_id = excluded.connection_id,
      create_time = coalesce(excluded.create_time, a.create_time),
      update_time = coalesce(excluded.update_time, a.update_time),
      work = case when ${isCertainDeletion} then a.work else 'fetch' end,
      priority = case when ${isCertainDeletion} or ${isOwnFetch} then a.priority else ${priorities.live} end,
      turn = case when ${isCertainDeletion} or ${isOwnFetch} then a.turn
        when a.work = 'fetch' and a.priority = ${priorities.live} then least(a.turn, excluded.turn)
        else excluded.turn end,
      authenticated = $6::boolean or a.work is not null and a.authenticated,
      streams_for = case when a.work = 'delete' and not a.unconfirmed then null else a.streams_for end,
      ${renewed}
    where (a.unconfirmed or $5::bigint > coalesce(a.delete_time, -1))
      and ($5::bigint > ${alive} or ($5::bigint = ${alive}
        and (excluded.create_time is distinct from a.create_time or $4 <> 'create')
        and (excluded.update_time is distinct from a.update_time or $4 <> 'update')))
    returning a.object_id`,
};

// A read that began this long after an event has seen the event's effect.
const wasRead = "coalesce(a.fetched_at >= to_timestamp($4::bigint) + interval '60 seconds', false)";
const isNewest = `$4::bigint >= ${alive}`;

// An older deletion than the newest event counts if that event was unauthenticated or arrived out of order: the
// provider is asked, unless a read has already seen the deletion's effect.
const authenticatedDeletion: Statement = {
  name: 'activitynet.note_authenticated_deletion',
  text: `
    insert into activitynet.activity as a (user_id, object_id, connection_id, delete_time, work, priority, turn)
    values ($1, $2, $3, $4::bigint, 'delete', ${priorities.delete}, $4::bigint)
    on conflict (user_id, object_id) do update set
      connection_id = excluded.connection_id, delete_time = excluded.delete_time, turn = excluded.turn,
      work = case when ${isNewest} then 'delete' else 'fetch' end, unconfirmed = not (${isNewest}),
      priority = case when ${isNewest} then ${priorities.delete} else ${priorities.live} end, authenticated = true,
      ${renewed}
    where (a.unconfirmed or $4::bigint > coalesce(a.delete_time, -1)) and (${isNewest} or not ${wasRead})
    returning a.object_id`,
};

// An activity without any stored event has nothing to hide.
const unauthenticatedDeletion: Statement = {
  name: 'activitynet.note_unauthenticated_deletion',
  text: `
    update activitynet.activity a set
      connection_id = $3, delete_time = $4::bigint, unconfirmed = true,
      work = case when ${isNewest} then 'delete' else 'fetch' end,
      priority = case when ${isNewest} then ${priorities.delete} when a.work is null then ${priorities.live}
        else a.priority end,
      turn = case when a.work is null then $4::bigint else a.turn end,
      authenticated = a.work is not null and a.authenticated,
      ${renewed}
    where a.user_id = $1 and a.object_id = $2 and $4::bigint > coalesce(a.delete_time, -1)
      and (a.unconfirmed or coalesce(a.delete_time, -1) < ${alive} or a.delete_time is null)
      and not (a.work is not distinct from 'delete' and not a.unconfirmed) and (${isNewest} or not ${wasRead})
    returning a.object_id`,
};

/**
 * Records an event and the work that follows from it. Returns false if the event is older than the stored state or a
 * repetition.
 */
export async function noteEvent(database: Queryable, event: ActivityEvent): Promise<boolean> {
  const { user_id, object_id, connection_id, aspect_type, event_time, authenticated } = event;
  const whose = [user_id, object_id, connection_id];
  if (aspect_type !== 'delete')
    return (await database.query(creation, [...whose, aspect_type, event_time, authenticated])).length > 0;
  const deletion = authenticated ? authenticatedDeletion : unauthenticatedDeletion;
  return (await database.query(deletion, [...whose, event_time])).length > 0;
}

/**
 * Maximum number of a user's activities that may wait after unauthenticated events. Backfill brings those that are
 * refused.
 */
const mostWaiting = 500;

const busy: Statement = {
  name: 'activitynet.is_owner_busy',
  text: `
    select from (
      select from activitynet.activity where user_id = $1 and work is not null and not authenticated limit ${mostWaiting}
    ) waiting
    having count(*) >= ${mostWaiting}
      and not exists (select from activitynet.activity where user_id = $1 and object_id = $2)`,
};

/** Whether a user's waiting activities exceed the limit for an unauthenticated event of an unknown activity. */
export async function isAboveWaitingLimit(
  database: Queryable,
  userId: string,
  objectId: string,
): Promise<boolean> {
  return (await database.query(busy, [userId, objectId])).length > 0;
}
