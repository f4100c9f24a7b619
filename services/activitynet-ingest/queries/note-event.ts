import type { Queryable, Statement } from '../../../mixins/database.ts';

/** Work that asks for no read goes first, and history last. What waits for its owner's reads is not claimed at all. */
export const priorities = { delete: -1, live: 0, history: 10, postponed: 20 } as const;

/** An event of an activity, for one of our users. */
export interface ActivityEvent {
  readonly user_id: string;
  readonly connection_id: string;
  readonly object_id: string;
  readonly aspect_type: 'create' | 'update' | 'delete';
  readonly event_time: number;
  /** The sender proved to be the provider. */
  readonly authenticated: boolean;
}

// What is newest of create and update, before everything where there is none.
const alive = 'greatest(a.create_time, a.update_time, -1)';
// Fetches that wait and were asked for by authenticated events, or by history: an unauthenticated one changes nothing about them.
const isOwnFetch = "(a.work = 'fetch' and a.authenticated and not $6::boolean)";
// A deletion that is certain comes first; what an unauthenticated event tells is looked at afterwards.
const isCertainDeletion = "(a.work = 'delete' and not a.unconfirmed and not $6::boolean)";

const renewed = `version = a.version + 1, failures = 0, crashes = 0, error = null,
      run_at = case when a.leased then a.run_at else now() end`;

// An event is applied only if it is newer than the stored ones: a deletion of the time of the newest event wins, a
// create or update of the time of a deletion loses. A second event of a kind with the same time is the first one come
// again. A deletion that is not confirmed outdates nothing. The turn stays that of the oldest event that waits. A row
// in work is not let go: its holder finds another version, and leaves it open.
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

// A read that began so long after an event saw what the event tells.
const wasRead = "coalesce(a.fetched_at >= to_timestamp($4::bigint) + interval '60 seconds', false)";
const isNewest = `$4::bigint >= ${alive}`;

// An older deletion than the newest event counts where that event proved nothing, or came in another order: unless a
// read has seen its effect, the provider is asked.
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

// Of an activity that nobody told of there is nothing to hide.
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

/** Notes an event, and the work that follows from it; false where it is older than what is known, or came before. */
export async function noteEvent(database: Queryable, event: ActivityEvent): Promise<boolean> {
  const { user_id, object_id, connection_id, aspect_type, event_time, authenticated } = event;
  const whose = [user_id, object_id, connection_id];
  if (aspect_type !== 'delete')
    return (await database.query(creation, [...whose, aspect_type, event_time, authenticated])).length > 0;
  const deletion = authenticated ? authenticatedDeletion : unauthenticatedDeletion;
  return (await database.query(deletion, [...whose, event_time])).length > 0;
}

/** So many activities of an owner may wait after unauthenticated events; history brings what is refused beyond. */
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

/** Whether an unauthenticated event of an activity that is not known is one too many of its owner. */
export async function isOwnerBusy(database: Queryable, userId: string, objectId: string): Promise<boolean> {
  return (await database.query(busy, [userId, objectId])).length > 0;
}
