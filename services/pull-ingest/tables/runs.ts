import { randomUUID } from 'node:crypto';
import type { Span } from '../../../domain/provider/pulled-provider.ts';
import type { Queryable } from '../../../mixins/database/database.ts';
import { multirange, type ReadingLease } from './readings.ts';

/** The newest backfill of a connection. */
interface RunRow {
  readonly id: string;
  readonly user_id: string;
  readonly start_time: Date;
  readonly end_time: Date;
  readonly state: 'running' | 'done' | 'cancelled' | 'stopped';
  readonly reason: string | null;
  readonly created_at: Date;
  readonly finished_at: Date | null;
}

/** One type of a backfill. */
export interface RunTypeRow {
  readonly type: string;
  readonly status: 'waiting' | 'requested' | 'received' | 'skipped' | 'failed';
  readonly reason: string | null;
  readonly parts: number;
  readonly parts_done: number;
  readonly items: number;
  readonly saved: number;
  readonly skipped: Readonly<Record<string, number>>;
  readonly requested_at: Date | null;
  readonly received_at: Date | null;
}

/** A type of a new run and the number of its parts; 0 if it is not granted. */
export interface NewRunType {
  readonly type: string;
  readonly parts: number;
  readonly reason: string | null;
}

const insertRun = `
  insert into pull.run (connection_id, id, start_time, end_time)
  values ($1, $2, to_timestamp($3::float8 / 1000), to_timestamp($4::float8 / 1000))
  on conflict (connection_id) do update set id = excluded.id, start_time = excluded.start_time,
    end_time = excluded.end_time, state = 'running', reason = null, created_at = now(), finished_at = null
  where pull.run.state <> 'running' returning id`;

/** Inserts a run and makes its types due. Returns false if one is in progress. */
export async function insertBackfill(
  transaction: Queryable,
  connectionId: string,
  span: Span,
  types: readonly NewRunType[],
): Promise<boolean> {
  const values = [connectionId, randomUUID(), span.startMs, span.endMs];
  if ((await transaction.query(insertRun, values)).length === 0) return false;
  await transaction.query('delete from pull.run_type where connection_id = $1', [connectionId]);
  await transaction.query(
    `insert into pull.run_type (connection_id, type, parts, reason, status)
     select $1, t.type, t.parts, t.reason, case when t.parts = 0 then 'skipped' else 'waiting' end
     from unnest($2::text[], $3::int[], $4::text[]) t (type, parts, reason)`,
    [
      connectionId,
      types.map(({ type }) => type),
      types.map(({ parts }) => parts),
      types.map(({ reason }) => reason),
    ],
  );
  await transaction.query(
    `insert into pull.reading as r (connection_id, type, past, run_at)
     select $1, type, $3::tstzmultirange, now() from unnest($2::text[]) type
     on conflict (connection_id, type) do update set past = excluded.past,
       run_at = case when r.leased then r.run_at else coalesce(r.run_at, now()) end`,
    [connectionId, types.flatMap(({ type, parts }) => (parts === 0 ? [] : [type])), multirange([span])],
  );
  await finishBackfill(transaction, connectionId);
  return true;
}

/** The newest backfill of a connection. */
export async function selectBackfill(
  database: Queryable,
  connectionId: string,
): Promise<{ readonly run: RunRow; readonly types: readonly RunTypeRow[] } | undefined> {
  const [run] = await database.query<RunRow & { readonly connection_id: string }>(
    `select r.*, c.user_id from pull.run r join pull.connection c using (connection_id) where connection_id = $1`,
    [connectionId],
  );
  if (run === undefined) return undefined;
  const types = await database.query<RunTypeRow & { readonly connection_id: string }>(
    'select * from pull.run_type where connection_id = $1 order by type',
    [connectionId],
  );
  return { run, types };
}

/** What one part of a backfill brought. */
interface PartCounts {
  readonly items: number;
  readonly saved: number;
  /** Records that were not stored, by reason. */
  readonly skipped: Readonly<Record<string, number>>;
}

/** Counts a part. */
export async function countPart(
  database: Queryable,
  { connection_id, type }: Pick<ReadingLease, 'connection_id' | 'type'>,
  { items, saved, skipped }: PartCounts,
): Promise<void> {
  await database.query(
    `update pull.run_type set parts_done = least(parts, parts_done + 1), items = items + $3, saved = saved + $4,
       skipped = (
         select coalesce(jsonb_object_agg(reason, n), '{}') from (
           select key as reason, sum(value::int) as n from (
             select * from jsonb_each_text(skipped) union all select * from jsonb_each_text($5::jsonb)) parts
           group by key) sums),
       received_at = now(), requested_at = coalesce(requested_at, now()), status = 'requested'
     where connection_id = $1 and type = $2 and status in ('waiting', 'requested')`,
    [connection_id, type, items, saved, JSON.stringify(skipped)],
  );
}

/** Ends a type of a backfill: nothing is left of it, or it failed for good. */
export async function endType(
  database: Queryable,
  { connection_id, type }: Pick<ReadingLease, 'connection_id' | 'type'>,
  status: 'received' | 'skipped' | 'failed',
  reason: string | null = null,
): Promise<void> {
  await database.query(
    `update pull.run_type set status = $3, reason = $4, parts_done = case when $3 = 'received' then parts else parts_done end
     where connection_id = $1 and type = $2 and status in ('waiting', 'requested')`,
    [connection_id, type, status, reason],
  );
  await finishBackfill(database, connection_id);
}

async function finishBackfill(database: Queryable, connectionId: string): Promise<void> {
  await database.query(
    `update pull.run r set state = 'done', finished_at = now()
     where connection_id = $1 and state = 'running' and not exists (
       select from pull.run_type t where t.connection_id = $1 and t.status in ('waiting', 'requested'))`,
    [connectionId],
  );
}

/** Cancels the backfill in progress of a connection. Returns false if there is none. */
export async function cancelBackfill(transaction: Queryable, connectionId: string): Promise<boolean> {
  const cancelled = await transaction.query(
    `update pull.run set state = 'cancelled', finished_at = now()
     where connection_id = $1 and state = 'running' returning id`,
    [connectionId],
  );
  if (cancelled.length === 0) return false;
  await transaction.query("update pull.reading set past = '{}' where connection_id = $1", [connectionId]);
  await transaction.query(
    `update pull.run_type set status = 'skipped' where connection_id = $1 and status in ('waiting', 'requested')`,
    [connectionId],
  );
  return true;
}
