import { randomUUID } from 'node:crypto';
import type { Queryable, Statement } from '../../../mixins/database.ts';

/** A history run, with how many of the activities that it found are waiting and fetched. */
export interface HistoryRow {
  id: string;
  user_id: string;
  connection_id: string;
  start_time: Date;
  end_time: Date;
  state: 'listing' | 'fetching' | 'done' | 'cancelled' | 'stopped' | 'failed';
  reason: string | null;
  pages: number;
  found: number;
  created_at: Date;
  listed_at: Date | null;
  finished_at: Date | null;
  waiting: number;
  last_fetched_at: Date | null;
}

/** What a run is made of. */
export interface NewHistory {
  readonly user_id: string;
  readonly connection_id: string;
  readonly connected_at: string;
  readonly start_ms: number;
  readonly end_ms: number;
}

const insert: Statement = {
  name: 'activitynet.insert_history',
  text: `
    insert into activitynet.history as h (id, connection_id, user_id, connected_at, start_time, end_time)
    values ($1, $2, $3, $4, to_timestamp($5::float8 / 1000), to_timestamp($6::float8 / 1000))
    on conflict (connection_id) do update set id = excluded.id, user_id = excluded.user_id,
      connected_at = excluded.connected_at, start_time = excluded.start_time, end_time = excluded.end_time,
      state = 'listing', reason = null, pages = 0, found = 0, failures = 0, attempt = h.attempt + 1, run_at = now(),
      created_at = now(), listed_at = null, finished_at = null
    where h.state not in ('listing', 'fetching')
    returning id`,
};

/** Begins a run; false where one of the connection is under way. */
export async function insertHistory(database: Queryable, made: NewHistory): Promise<boolean> {
  const { connection_id, user_id, connected_at, start_ms, end_ms } = made;
  const values = [randomUUID(), connection_id, user_id, connected_at, start_ms, end_ms];
  return (await database.query(insert, values)).length > 0;
}

const select: Statement = {
  name: 'activitynet.select_history',
  text: `
    select h.id, h.user_id, h.connection_id, h.start_time, h.end_time, h.state, h.reason, h.pages, h.found, h.created_at,
      h.listed_at, h.finished_at,
      (select count(*)::int from activitynet.activity a where a.history_id = h.id and a.work is not null
        and a.authenticated) as waiting,
      (select max(a.fetched_at) from activitynet.activity a where a.history_id = h.id) as last_fetched_at
    from activitynet.history h where h.connection_id = $1`,
};

/** The newest run of a connection; undefined where there never was one. */
export async function selectHistory(
  database: Queryable,
  connectionId: string,
): Promise<HistoryRow | undefined> {
  const [row] = await database.query<HistoryRow>(select, [connectionId]);
  return row;
}

/** Cancels the run of a connection that is under way, and what waits for it; false where none is. */
export async function cancelHistory(database: Queryable, connectionId: string): Promise<boolean> {
  const cancelled = await database.query(
    `with cancelled as (
       update activitynet.history set state = 'cancelled', finished_at = now(), attempt = attempt + 1
       where connection_id = $1 and state in ('listing', 'fetching') returning id),
     dropped as (
       update activitynet.activity a set work = null, error = 'CANCELLED', version = version + 1
       from cancelled where a.history_id = cancelled.id and a.work = 'fetch' and a.priority = 10)
     select id from cancelled`,
    [connectionId],
  );
  return cancelled.length > 0;
}

// What a stranger's events ask for keeps no run open.
const close: Statement = {
  name: 'activitynet.close_history',
  text: `
    update activitynet.history h set state = 'done', finished_at = now()
    where h.id = $1 and h.state = 'fetching' and not exists (
      select from activitynet.activity a where a.history_id = h.id and a.work is not null and a.authenticated)`,
};

/** Ends a run whose activities are all fetched. */
export async function closeHistory(database: Queryable, id: string): Promise<void> {
  await database.query(close, [id]);
}
