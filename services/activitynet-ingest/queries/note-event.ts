import type { Queryable, Statement } from '../../../mixins/database.ts';

/** Work that asks for no read goes first, and history last. */
export const priorities = { delete: -1, live: 0, history: 10 } as const;

/** An event of an activity, for one of our users. */
export interface ActivityEvent {
  readonly user_id: string;
  readonly connection_id: string;
  readonly object_id: string;
  readonly aspect_type: 'create' | 'update' | 'delete';
  readonly event_time: number;
}

// What is newest of create and update, before everything where there is none.
const alive = 'greatest(a.create_time, a.update_time, -1)';

// News is what the row does not know yet: a deletion of the time of the newest event wins, anything else of the time
// of a deletion loses; a second event of a kind with the same time is the first one come again. The turn stays that of
// the oldest event that waits. A row in work is not let go: its holder finds another version, and leaves it open.
const statement: Statement = {
  name: 'activitynet.note_event',
  text: `
    insert into activitynet.activity as a (user_id, object_id, connection_id, create_time, update_time, delete_time,
      work, priority, turn)
    select $1, $2, $3, case when $4 = 'create' then $5::bigint end, case when $4 = 'update' then $5::bigint end,
      case when $4 = 'delete' then $5::bigint end, case when $4 = 'delete' then 'delete' else 'fetch' end,
      case when $4 = 'delete' then ${priorities.delete} else ${priorities.live} end, $5::bigint
    on conflict (user_id, object_id) do update set
      connection_id = excluded.connection_id,
      create_time = coalesce(excluded.create_time, a.create_time),
      update_time = coalesce(excluded.update_time, a.update_time),
      delete_time = coalesce(excluded.delete_time, a.delete_time),
      work = excluded.work, priority = excluded.priority,
      turn = case when a.work = 'fetch' and excluded.work = 'fetch' and a.priority = ${priorities.live}
        then least(a.turn, excluded.turn) else excluded.turn end,
      version = a.version + 1, failures = 0, crashes = 0, error = null,
      streams_for = case when excluded.work = 'delete' then null else a.streams_for end,
      run_at = case when a.leased then a.run_at else now() end
    where case
      when excluded.work = 'delete'
        then excluded.delete_time >= ${alive} and excluded.delete_time > coalesce(a.delete_time, -1)
      else $5::bigint > coalesce(a.delete_time, -1) and ($5::bigint > ${alive} or ($5::bigint = ${alive}
        and (excluded.create_time is distinct from a.create_time or $4 <> 'create')
        and (excluded.update_time is distinct from a.update_time or $4 <> 'update')))
      end
    returning a.object_id`,
};

/** Notes an event, and the work that follows from it; false where it is older than what is known, or came before. */
export async function noteEvent(database: Queryable, event: ActivityEvent): Promise<boolean> {
  const { user_id, object_id, connection_id, aspect_type, event_time } = event;
  const values = [user_id, object_id, connection_id, aspect_type, event_time];
  return (await database.query(statement, values)).length > 0;
}
