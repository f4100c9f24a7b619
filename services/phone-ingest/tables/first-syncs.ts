import { randomUUID } from 'node:crypto';
import type { Queryable } from '../../../mixins/database/database.ts';

/** The start of a first upload. */
interface NewSync {
  readonly user_id: string;
  readonly connection_id: string;
  readonly at: Date;
  readonly start: Date;
  readonly end: Date;
  /** `shares`: how many types that the app tracks have this name. */
  readonly types: readonly { readonly type: string; readonly expected: number; readonly shares: number }[];
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
insert into phone.sync_type as held (user_id, type, expected, shares, started_at)
select $1, type, expected, shares, $3 from jsonb_to_recordset($2) t (type text, expected bigint, shares int)
on conflict (user_id, type) do update set expected = excluded.expected, shares = excluded.shares,
  ended_at = case when (select count(*) from jsonb_object_keys(held.ends)) >= excluded.shares then held.ended_at end`;

/** Begins a first upload. */
export async function beginSync(transaction: Queryable, sync: NewSync): Promise<void> {
  const { user_id, connection_id, start, end, at, types } = sync;
  const values = [user_id, randomUUID(), connection_id, start, end, at];
  if ((await transaction.query(begun, values)).length === 0) return;
  await transaction.query(older, [user_id, at]);
  await transaction.query(expected, [user_id, JSON.stringify(types), at]);
}

// Ends arrive in any order, and twice. The newest ones count, as many as tracked types share the name.
const ended = `
insert into phone.sync_type as held (user_id, type, sent, failed, started_at, ended_at, ends)
select $1, $2, $3, $4, $5, $5, jsonb_build_object($6::text, jsonb_build_object('sent', $3::bigint, 'failed', $4::boolean))
on conflict (user_id, type) do update set (ends, sent, failed, ended_at) = (
  select held.ends || excluded.ends, sum((end_value ->> 'sent')::bigint), bool_or((end_value ->> 'failed')::boolean),
    case when count(*) >= held.shares then greatest(held.ended_at, max(at)) end
  from (
    select value as end_value, split_part(key, ' ', 1)::timestamptz as at from jsonb_each(held.ends || excluded.ends)
    order by key desc limit held.shares) newest)`;

/** The end of a data type. `id` is the event's own: two types of one name may end at the same time with as many items. */
interface TypeEnd {
  readonly id: string;
  readonly type: string;
  readonly sent: number | null;
  readonly failed: boolean;
  readonly at: Date;
}

/** Marks a data type as sent. */
export async function endType(
  database: Queryable,
  userId: string,
  { id, type, sent, failed, at }: TypeEnd,
): Promise<void> {
  const items = sent === null ? null : Math.round(sent);
  await database.query(ended, [userId, type, items, failed, at, `${at.toISOString()} ${id}`]);
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
export async function stopSync(database: Queryable, connectionId: string): Promise<void> {
  const statement = `update phone.first_sync set state = 'stopped', finished_at = now()
    where connection_id = $1 and state = 'running'`;
  await database.query(statement, [connectionId]);
}

/** A first upload. */
interface SyncRow {
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
