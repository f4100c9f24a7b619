import { randomUUID } from 'node:crypto';
import type { Database, Queryable } from '../../../mixins/database.ts';

/** The start of a first upload. */
export interface NewSync {
  readonly user_id: string;
  readonly connection_id: string;
  readonly at: Date;
  readonly start: Date;
  readonly end: Date;
  readonly types: readonly { readonly type: string; readonly expected: number }[];
}

// A start that is older than the stored one is a repetition, as is an equal one.
const begun = `
insert into phone.first_sync as held (user_id, id, connection_id, state, start_time, end_time, created_at)
values ($1, $2, $3, 'running', $4, $5, $6)
on conflict (user_id) do update set id = excluded.id, connection_id = excluded.connection_id, state = 'running',
  start_time = excluded.start_time, end_time = excluded.end_time, created_at = excluded.created_at, finished_at = null
where excluded.created_at > held.created_at
returning id`;

// The end of a type may arrive before the start of the upload.
const older =
  'delete from phone.sync_type where user_id = $1 and started_at < $2 and coalesce(ended_at, started_at) < $2';
const expected = `
insert into phone.sync_type as held (user_id, type, expected, started_at)
select $1, type, expected, $3 from jsonb_to_recordset($2) t (type text, expected bigint)
on conflict (user_id, type) do update set expected = excluded.expected`;

/** Begins a first upload. */
export async function beginSync(database: Database, sync: NewSync): Promise<void> {
  await database.transaction(async (transaction) => {
    const { user_id, connection_id, start, end, at, types } = sync;
    const values = [user_id, randomUUID(), connection_id, start, end, at];
    if ((await transaction.query(begun, values)).length === 0) return;
    await transaction.query(older, [user_id, at]);
    await transaction.query(expected, [user_id, JSON.stringify(types), at]);
  });
}

const ended = `
insert into phone.sync_type as held (user_id, type, sent, failed, started_at, ended_at) values ($1, $2, $3, $4, $5, $5)
on conflict (user_id, type) do update set sent = excluded.sent, failed = excluded.failed, ended_at = excluded.ended_at
where held.ended_at is null or held.ended_at < excluded.ended_at`;

/** Marks a data type as sent. */
export async function endType(
  database: Queryable,
  userId: string,
  { type, sent, failed, at }: { type: string; sent: number | null; failed: boolean; at: Date },
): Promise<void> {
  await database.query(ended, [userId, type, sent === null ? null : Math.round(sent), failed, at]);
}

const finished = `
update phone.first_sync s set state = 'done', finished_at = now()
where user_id = $1 and state = 'running'
  and not exists (select from phone.sync_type t where t.user_id = $1 and t.ended_at is null)`;

/** Ends the first upload if all its types are sent. */
export async function finishSync(database: Queryable, userId: string): Promise<void> {
  await database.query(finished, [userId]);
}

/** Stops the first upload of a connection that ended. */
export async function stopSync(database: Queryable, connectionId: string): Promise<boolean> {
  const statement = `update phone.first_sync set state = 'stopped', finished_at = now()
    where connection_id = $1 and state = 'running' returning 1`;
  return (await database.query(statement, [connectionId])).length > 0;
}

/** A first upload. */
export interface SyncRow {
  id: string;
  state: 'running' | 'done' | 'stopped';
  start_time: Date;
  end_time: Date;
  created_at: Date;
  finished_at: Date | null;
}

/** A data type of a first upload. */
export interface SyncTypeRow {
  type: string;
  expected: number | null;
  sent: number | null;
  failed: boolean;
  started_at: Date;
  ended_at: Date | null;
}

/** The first upload of a user with its types. Null: the app reported none. */
export async function selectSync(
  database: Queryable,
  userId: string,
): Promise<{ sync: SyncRow; types: SyncTypeRow[] } | null> {
  const [sync] = await database.query<SyncRow>('select * from phone.first_sync where user_id = $1', [userId]);
  if (sync === undefined) return null;
  const types = await database.query<SyncTypeRow>(
    `select type, expected::float8 as expected, sent::float8 as sent, failed, started_at, ended_at
     from phone.sync_type where user_id = $1 order by type`,
    [userId],
  );
  return { sync, types };
}
