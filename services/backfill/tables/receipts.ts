import type { Queryable } from '../../../mixins/database/database.ts';

/** The data of a delivery for a step, and the result that was reported to the ingest service. */
export interface Receipt {
  readonly position: number;
  readonly items: number;
  readonly saved: number;
  readonly completed: boolean;
  readonly chained: boolean;
}

const selectStatement = `
select position, items, saved, completed, chained from backfill.receipt
where run_id = $1 and delivery_id = $2 and type = $3`;

/** The receipt of a delivery for this type; null if it was not reported before. */
export async function selectReceipt(
  transaction: Queryable,
  runId: string,
  deliveryId: string,
  type: string,
): Promise<Receipt | null> {
  const [row] = await transaction.query<Receipt>(selectStatement, [runId, deliveryId, type]);
  return row ?? null;
}

const writeStatement = `
insert into backfill.receipt (run_id, delivery_id, type, position, items, saved, completed, chained)
values ($1, $2, $3, $4, $5, $6, $7, $8)
on conflict (run_id, delivery_id, type) do update set items = excluded.items, saved = excluded.saved`;

/** Stores the receipt of a delivery. */
export async function writeReceipt(
  transaction: Queryable,
  runId: string,
  deliveryId: string,
  type: string,
  { position, items, saved, completed, chained }: Receipt,
): Promise<void> {
  const values = [runId, deliveryId, type, position, items, saved, completed, chained];
  await transaction.query(writeStatement, values);
}
