import type { Backfill, StepStatus } from '../../../contracts/backfill.ts';
import type { BackfillRequest } from '../../../domain/provider/provider.ts';
import type { Range } from '../../../domain/time/time.ts';
import type { Queryable } from '../../../mixins/database/database.ts';
import { claimStatement, fencedWrites, type JobTable } from '../../../mixins/jobs/job-table.ts';
import type { ProviderName } from '../../../providers/all.ts';
import type { RequestedProvider } from '../rules/providers.ts';
import type { Reason } from '../rules/verdict.ts';

/** A new backfill. */
export interface NewRun {
  /** Default: a new one. */
  readonly id?: string;
  /** Requests of a lower lane are sent first. Default: 0. */
  readonly lane?: number;
  readonly connectionId: string;
  readonly connectedAt: string;
  readonly userId: string;
  readonly provider: ProviderName;
  readonly range: Range;
  readonly steps: readonly BackfillRequest[];
}

const deleteEnded = `delete from backfill.run where connection_id = $1 and state <> 'running'`;
const insertStatement = `
insert into backfill.run (id, lane, connection_id, connected_at, user_id, provider, start_time, end_time)
values (coalesce($7, gen_random_uuid()), $8, $1, $2, $3, $4, $5, $6)
on conflict (connection_id) do nothing returning id`;
const insertSteps = `
insert into backfill.step (run_id, position, type, start_time, end_time)
select $1, s.position, s.type, s.start_time, s.end_time
from unnest($2::text[], $3::timestamptz[], $4::timestamptz[]) with ordinality s(type, start_time, end_time, position)`;

/** Inserts a backfill in place of one that ended; false if one is running. */
export async function insertRun(transaction: Queryable, run: NewRun): Promise<boolean> {
  await transaction.query(deleteEnded, [run.connectionId]);
  const values = [
    run.connectionId,
    run.connectedAt,
    run.userId,
    run.provider,
    new Date(run.range.startMs),
    new Date(run.range.endMs),
    run.id ?? null,
    run.lane ?? 0,
  ];
  const [row] = await transaction.query<{ id: string }>(insertStatement, values);
  if (row === undefined) return false;
  const { steps } = run;
  await transaction.query(insertSteps, [
    row.id,
    steps.map(({ type }) => type),
    steps.map(({ startMs }) => new Date(startMs)),
    steps.map(({ endMs }) => new Date(endMs)),
  ]);
  return true;
}

/** Whether the newest backfill of its connection has an id. */
export async function isStarted(database: Queryable, id: string): Promise<boolean> {
  return (await database.query('select from backfill.run where id = $1', [id])).length > 0;
}

/** The row of a backfill for its status. */
export interface RunRow {
  readonly id: string;
  readonly user_id: string;
  readonly provider: ProviderName;
  readonly state: Backfill['status'];
  readonly reason: string | null;
  readonly start_time: Date;
  readonly end_time: Date;
  readonly created_at: Date;
  readonly finished_at: Date | null;
}

/** The aggregated steps of one type; `states` are the distinct states of the steps. */
export interface TypeRow {
  readonly type: string;
  readonly states: StepStatus[];
  readonly reason: string | null;
  readonly requests: number;
  readonly requests_done: number;
  readonly items: number;
  readonly saved: number;
  readonly requested_at: Date | null;
  readonly received_at: Date | null;
}

const runStatement = `
select id, user_id, provider, state, reason, start_time, end_time, created_at, finished_at
from backfill.run where connection_id = $1`;

// The reason of a failed step takes precedence over that of a skipped step. Among several, the latest is taken.
const typesStatement = `
select type, array_agg(distinct state) as states, count(*)::int as requests,
  (array_agg(reason order by state = 'failed' desc, position desc) filter (where reason is not null))[1] as reason,
  (count(*) filter (where state in ('received', 'skipped', 'failed')))::int as requests_done,
  sum(items)::int as items, sum(saved)::int as saved,
  min(requested_at) as requested_at, max(received_at) as received_at
from backfill.step where run_id = $1 group by type order by min(position)`;

/** The newest backfill of a connection with its types in order; null if there is none. */
export async function selectRun(
  database: Queryable,
  connectionId: string,
): Promise<{ run: RunRow; types: TypeRow[] } | null> {
  const [run] = await database.query<RunRow>(runStatement, [connectionId]);
  if (run === undefined) return null;
  return { run, types: await database.query<TypeRow>(typesStatement, [run.id]) };
}

/** A backfill that is leased to its caller; `attempt` fences off former holders. */
export interface RunLease {
  readonly id: string;
  readonly attempt: number;
  readonly connection_id: string;
  readonly user_id: string;
  readonly provider: RequestedProvider;
  readonly connected_at: Date;
}

const table: JobTable = {
  name: 'backfill',
  table: 'backfill.run',
  key: { id: 'uuid' },
  attempt: 'attempt',
  lease: 'asking = true',
  isLeased: 'asking',
};

const claim = claimStatement(table, {
  name: 'claim',
  parameters: 3,
  due: `
    select id from backfill.run
    where provider = any($3) and state = 'running' and run_at <= now()
    order by lane, run_at limit $1 for update skip locked`,
  returning: 'j.id, j.attempt, j.connection_id, j.user_id, j.provider, j.connected_at',
});

/** SQL that is true while a backfill is due. */
export const isRunDue = `exists (select from backfill.run where state = 'running' and run_at <= now())`;

/** Leases up to `limit` due backfills of providers, by lane, the longest waiting first. */
export function claimRuns(
  database: Queryable,
  providers: readonly RequestedProvider[],
  limit: number,
  leaseMs: number,
): Promise<RunLease[]> {
  return database.query<RunLease>(claim, [limit, leaseMs, providers]);
}

const { extend } = fencedWrites(table);

/** Extends the lease of a backfill. Returns false if it was lost. */
export function extendRun(database: Queryable, { id, attempt }: RunLease, leaseMs: number): Promise<boolean> {
  return extend(database, { key: [id], attempt }, leaseMs);
}

const releaseAt = `update backfill.run set asking = false, run_at = $2 where id = $1`;

const releaseIn = `update backfill.run set asking = false, run_at = now() + $2 * interval '1 ms' where id = $1`;

/** Releases the lease of a run and sets its due time: an instant or a delay. */
export async function releaseRun(
  transaction: Queryable,
  runId: string,
  due: Date | { readonly inMs: number },
): Promise<void> {
  if (due instanceof Date) await transaction.query(releaseAt, [runId, due]);
  else await transaction.query(releaseIn, [runId, Math.round(due.inMs)]);
}

/** A backfill that the received data may belong to. */
export interface ReceivingRun {
  readonly id: string;
  readonly connection_id: string;
  readonly is_running: boolean;
}

// The data of one request arrives in several notifications, some of them after the last step completed.
const receivingStatement = `
select id, connection_id, state = 'running' as is_running from backfill.run
where connection_id = any($1::uuid[]) and provider = $2
  and (state = 'running' or finished_at > now() - interval '1 day')`;

/** The backfills of connections that are running or ended within the last day. */
export function selectReceiving(
  database: Queryable,
  connectionIds: readonly string[],
  provider: ProviderName,
): Promise<ReceivingRun[]> {
  return database.query<ReceivingRun>({ name: 'backfill.receiving', text: receivingStatement }, [
    connectionIds,
    provider,
  ]);
}

/** As `selectReceiving`; the rows are locked in one order until the transaction ends. */
export function lockReceiving(
  transaction: Queryable,
  connectionIds: readonly string[],
  provider: ProviderName,
): Promise<ReceivingRun[]> {
  return transaction.query<ReceivingRun>(`${receivingStatement} order by id for update`, [
    connectionIds,
    provider,
  ]);
}

// A run that a worker has leased keeps its due time: the worker continues after the provider's answer.
const wakeStatement = `update backfill.run set run_at = case when asking then run_at else now() end where id = $1`;

const isLeft = `select exists (select from backfill.step where run_id = $1 and state in ('waiting', 'requested')) as left`;

/** Makes a run due at once; true if it has another request to send. */
export async function wakeRun(transaction: Queryable, runId: string): Promise<boolean> {
  await transaction.query(wakeStatement, [runId]);
  const [row] = await transaction.query<{ left: boolean }>(isLeft, [runId]);
  return row?.left ?? false;
}

// Ten years of 16 types take seven days even if no data arrives. The limit of 30 days ends a run that makes no progress.
const holdStatement = `
select created_at < now() - interval '30 days' as is_old
from backfill.run where id = $1 and attempt = $2 and state = 'running' for update`;

/** Locks a backfill for its holder; null if it ended or another process holds it. */
export async function holdRun(
  transaction: Queryable,
  { id, attempt }: Pick<RunLease, 'id' | 'attempt'>,
): Promise<{ readonly is_old: boolean } | null> {
  const [row] = await transaction.query<{ is_old: boolean }>(holdStatement, [id, attempt]);
  return row ?? null;
}

const endStatement = `
with ended as (
  update backfill.run set state = $2, reason = $3, finished_at = now(), asking = false
  where connection_id = $1 and state = 'running' returning id),
closed as (
  update backfill.step s set state = 'skipped', reason = 'ENDED', deadline = null
  from ended where s.run_id = ended.id and s.state in ('waiting', 'requested'))
select id from ended`;

/** Ends the backfill of a connection early; false if none is running. */
export async function endRun(
  database: Queryable,
  connectionId: string,
  state: 'cancelled' | 'stopped' | 'failed',
  reason: Reason | null,
): Promise<boolean> {
  return (await database.query(endStatement, [connectionId, state, reason])).length > 0;
}

const finishStatement = `
update backfill.run r set finished_at = now(), asking = false,
  state = case when s.all_failed then 'failed' else 'done' end,
  reason = case when s.all_failed then 'ALL_FAILED' end
from (select bool_and(state = 'failed') as all_failed from backfill.step where run_id = $1) s
where r.id = $1`;

/** Ends a backfill without open steps; its state is `failed` if every step failed. */
export async function finishRun(transaction: Queryable, runId: string): Promise<void> {
  await transaction.query(finishStatement, [runId]);
}

/** Deletes the backfills of a user with their steps and receipts. */
export async function deleteRuns(database: Queryable, userId: string): Promise<void> {
  await database.query('delete from backfill.run where user_id = $1', [userId]);
}
