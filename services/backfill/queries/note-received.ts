import type { Received } from '../../../contracts/backfill.ts';
import type { Queryable } from '../../../mixins/database/database.ts';
import type { ProviderName } from '../../../providers/all.ts';

/** A backfill that the received data may belong to. */
export interface ReceivingRun {
  readonly id: string;
  readonly connection_id: string;
  readonly is_running: boolean;
}

// The data of one request arrives in several notifications, some of them after the last step completed.
const receiving = `
select id, connection_id, state = 'running' as is_running from backfill.run
where connection_id = any($1::uuid[]) and provider = $2
  and (state = 'running' or finished_at > now() - interval '1 day')`;

/** The backfills of connections that are running or ended within the last day. */
export function selectReceiving(
  database: Queryable,
  connectionIds: readonly string[],
  provider: ProviderName,
): Promise<ReceivingRun[]> {
  return database.query<ReceivingRun>({ name: 'backfill.receiving', text: receiving }, [
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
  return transaction.query<ReceivingRun>(`${receiving} order by id for update`, [connectionIds, provider]);
}

/** The data of a delivery for a step, and the result that was reported to the ingest service. */
export interface Receipt {
  readonly position: number;
  readonly items: number;
  readonly saved: number;
  readonly completed: boolean;
  readonly chained: boolean;
}

const known = `
select position, items, saved, completed, chained from backfill.receipt
where run_id = $1 and delivery_id = $2 and type = $3`;

/** The receipt of a delivery for this type; null if it was not reported before. */
export async function selectReceipt(
  transaction: Queryable,
  runId: string,
  deliveryId: string,
  type: string,
): Promise<Receipt | null> {
  const [row] = await transaction.query<Receipt>(known, [runId, deliveryId, type]);
  return row ?? null;
}

// A tolerance of a day: a night may begin before its span, and a record with a date only has its time set to noon.
const matching = `
select position, state in ('requested', 'waiting') as is_open from backfill.step
where run_id = $1 and type = $2 and attempts > 0
  and ($3::timestamptz is null or (start_time - interval '1 day' <= $4 and end_time + interval '1 day' > $3))
order by state = 'requested' desc, (start_time <= $4 and end_time > $3) desc, position desc limit 1`;

/** The requested step that items of these times belong to: preferably one that is pending, else the latest. */
export async function selectMatchingStep(
  transaction: Queryable,
  runId: string,
  { type, first_start_ms, last_start_ms }: Received,
): Promise<{ position: number; is_open: boolean } | null> {
  const from = first_start_ms ?? last_start_ms;
  const to = last_start_ms ?? first_start_ms;
  const values = [runId, type, from === null ? null : new Date(from), to === null ? null : new Date(to)];
  const [row] = await transaction.query<{ position: number; is_open: boolean }>(matching, values);
  return row ?? null;
}

const counted = `
update backfill.step set state = 'received', reason = null, deadline = null, items = items + $3, saved = saved + $4,
  received_at = coalesce(received_at, clock_timestamp())
where run_id = $1 and position = $2`;

/** Adds received items to a step and marks it as received, also after its deadline. */
export async function countReceived(
  transaction: Queryable,
  runId: string,
  position: number,
  more: { readonly items: number; readonly saved: number },
): Promise<void> {
  await transaction.query(counted, [runId, position, more.items, more.saved]);
}

const noted = `
insert into backfill.receipt (run_id, delivery_id, type, position, items, saved, completed, chained)
values ($1, $2, $3, $4, $5, $6, $7, $8)
on conflict (run_id, delivery_id, type) do update set items = excluded.items, saved = excluded.saved`;

/** Stores the receipt of a delivery. */
export async function writeReceipt(
  transaction: Queryable,
  runId: string,
  deliveryId: string,
  type: string,
  receipt: Receipt,
): Promise<void> {
  const { position, items, saved, completed, chained } = receipt;
  await transaction.query(noted, [runId, deliveryId, type, position, items, saved, completed, chained]);
}

// A worker that holds the run continues by itself after the provider's answer.
const moved = `update backfill.run set run_at = case when asking then run_at else now() end where id = $1`;
const left = `select exists (select from backfill.step where run_id = $1 and state in ('waiting', 'requested')) as left`;

/** Makes a run due at once; true if it has another request to send. */
export async function wakeRun(transaction: Queryable, runId: string): Promise<boolean> {
  await transaction.query(moved, [runId]);
  const [row] = await transaction.query<{ left: boolean }>(left, [runId]);
  return row?.left ?? false;
}
