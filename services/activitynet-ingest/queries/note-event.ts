import type { Queryable, Statement } from '../../../mixins/database/database.ts';

/** Deletions go first because they need no read, and jobs of reconciliations go last. */
export const priorities = { delete: -1, live: 0, backfill: 10, repair: 15 } as const;

/** An event of an activity, for one linked user. */
export interface ActivityEvent {
  readonly user_id: string;
  readonly connection_id: string;
  readonly object_id: string;
  readonly aspect_type: 'create' | 'update' | 'delete';
  readonly event_time: number;
}

// Time of the newest create or update, -1 if there is none.
const alive = 'greatest(a.create_time, a.update_time, -1)';

const renewed = `version = a.version + 1, failures = 0, crashes = 0, error = null,
      run_at = case when a.leased then a.run_at else now() end`;

// An event is applied only if it is newer than the stored ones. On a tie with a create or update, a deletion wins. On a
// tie with a deletion, a create or update loses. A second event of the same kind and time is a repetition. The turn stays
// that of the oldest waiting event. A leased row stays leased: its holder finds another version at the end and leaves the
// row open.
const creation: Statement = {
  name: 'activitynet.note_creation',
  text: `
    insert into activitynet.activity as a (user_id, object_id, connection_id, create_time, update_time, work, priority,
      turn)
    values ($1, $2, $3, case when $4 = 'create' then $5::bigint end, case when $4 = 'update' then $5::bigint end, 'fetch',
      ${priorities.live}, $5::bigint)
    on conflict (user_id, object_id) do update set
      connection_id = excluded.connection_id,
      create_time = coalesce(excluded.create_time, a.create_time),
      update_time = coalesce(excluded.update_time, a.update_time),
      work = 'fetch', priority = ${priorities.live},
      turn = case when a.work = 'fetch' and a.priority = ${priorities.live} then least(a.turn, excluded.turn)
        else excluded.turn end,
      streams_for = case when a.work = 'delete' then null else a.streams_for end,
      ${renewed}
    where $5::bigint > coalesce(a.delete_time, -1)
      and ($5::bigint > ${alive} or ($5::bigint = ${alive}
        and (excluded.create_time is distinct from a.create_time or $4 <> 'create')
        and (excluded.update_time is distinct from a.update_time or $4 <> 'update')))
    returning a.object_id`,
};

const deletion: Statement = {
  name: 'activitynet.note_deletion',
  text: `
    insert into activitynet.activity as a (user_id, object_id, connection_id, delete_time, work, priority, turn)
    values ($1, $2, $3, $4::bigint, 'delete', ${priorities.delete}, $4::bigint)
    on conflict (user_id, object_id) do update set
      connection_id = excluded.connection_id, delete_time = excluded.delete_time, turn = excluded.turn,
      work = 'delete', priority = ${priorities.delete}, ${renewed}
    where $4::bigint > coalesce(a.delete_time, -1) and $4::bigint >= ${alive}
    returning a.object_id`,
};

/**
 * Records an event and the work that follows from it. Returns false if the event is older than the stored state or a
 * repetition.
 */
export async function noteEvent(database: Queryable, event: ActivityEvent): Promise<boolean> {
  const { user_id, object_id, connection_id, aspect_type, event_time } = event;
  const whose = [user_id, object_id, connection_id];
  const noted =
    aspect_type === 'delete'
      ? await database.query(deletion, [...whose, event_time])
      : await database.query(creation, [...whose, aspect_type, event_time]);
  return noted.length > 0;
}
