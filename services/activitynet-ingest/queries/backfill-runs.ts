import { randomUUID } from 'node:crypto';
import type { Queryable, Statement } from '../../../mixins/database/database.ts';
import { priorities } from './note-event.ts';

/** A backfill run, with the number of its activities that wait and the time of the last fetch. */
export interface BackfillRow {
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

/** Values of a new run. */
export interface NewBackfill {
  readonly user_id: string;
  readonly connection_id: string;
  readonly connected_at: string;
  readonly start_ms: number;
  readonly end_ms: number;
}

const insert: Statement = {
  name: 'activitynet.insert_backfill',
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

/** Inserts a run. Returns false if the connection already has one in progress. */
export async function insertBackfill(database: Queryable, made: NewBackfill): Promise<boolean> {
  const { connection_id, user_id, connected_at, start_ms, end_ms } = made;
  const values = [randomUUID(), connection_id, user_id, connected_at, start_ms, end_ms];
  return (await database.query(insert, values)).length > 0;
}

// Jobs that check an unlisted activity belong to a reconciliation, and so does their read after the end of the run.
const isOwn = `a.work is not null and a.priority <> ${priorities.repair}`;

const select: Statement = {
  name: 'activitynet.select_backfill',
  text: `
    select h.id, h.user_id, h.connection_id, h.start_time, h.end_time, h.state, h.reason, h.pages, h.found, h.created_at,
      h.listed_at, h.finished_at,
      (select count(*)::int from activitynet.activity a where a.history_id = h.id and ${isOwn}) as waiting,
      (select least(max(a.fetched_at), h.finished_at) from activitynet.activity a where a.history_id = h.id)
        as last_fetched_at
    from activitynet.history h where h.connection_id = $1`,
};

/** The newest run of a connection, or undefined if it has none. */
export async function selectBackfill(
  database: Queryable,
  connectionId: string,
): Promise<BackfillRow | undefined> {
  const [row] = await database.query<BackfillRow>(select, [connectionId]);
  return row;
}

/** Cancels the run in progress of a connection and its waiting jobs. Returns false if there is none. */
export async function cancelBackfill(database: Queryable, connectionId: string): Promise<boolean> {
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

const close: Statement = {
  name: 'activitynet.close_backfill',
  text: `
    update activitynet.history h set state = 'done', finished_at = now()
    where h.id = $1 and h.state = 'fetching' and not exists (
      select from activitynet.activity a where a.history_id = h.id and ${isOwn})`,
};

/** Marks a run as done if all its activities are fetched. */
export async function finishBackfill(database: Queryable, id: string): Promise<void> {
  await database.query(close, [id]);
}
