import type { backfill, Received } from '../../../contracts/backfill.ts';
import type { ParamsOf } from '../../../domain/contract.ts';
import type { Database, Queryable } from '../../../mixins/database/database.ts';
import { type Receipt, selectReceipt, writeReceipt } from '../tables/receipts.ts';
import { lockReceiving, type ReceivingRun, selectReceiving, wakeRun } from '../tables/runs.ts';
import { countReceived, selectMatchingStep } from '../tables/steps.ts';

/** What an ingest service reports about a delivery. */
type ReceivedDelivery = ParamsOf<typeof backfill, 'received'>;

/** The requests that a delivery answered, and the users whose next request it triggered. */
interface Progress {
  readonly chained: string[];
  readonly completed: { type: string; user_id: string }[];
}

/**
 * Records the items of a delivery. They answer a request if they begin within its span, with a tolerance of a day. A live
 * push of the same day can therefore complete a request early; the data of the request itself is still counted.
 */
export async function receive(database: Database, delivery: ReceivedDelivery): Promise<Progress> {
  const ids = [...new Set(delivery.received.map(({ connection_id }) => connection_id))];
  const nothing: Progress = { chained: [], completed: [] };
  // Most deliveries are live and belong to no running backfill: one read by index, without a lock.
  if (ids.length === 0 || (await selectReceiving(database, ids, delivery.provider)).length === 0)
    return nothing;
  return database.transaction(async (transaction) => {
    const runs = await lockReceiving(transaction, ids, delivery.provider);
    const byConnection = new Map(runs.map((run) => [run.connection_id, run]));
    const progress = nothing;
    for (const received of delivery.received) {
      const run = byConnection.get(received.connection_id);
      const receipt =
        run === undefined ? null : await recordReceipt(transaction, run, delivery.delivery_id, received);
      if (receipt?.completed) progress.completed.push({ type: received.type, user_id: received.user_id });
      if (receipt?.chained) progress.chained.push(received.user_id);
    }
    return { ...progress, chained: [...new Set(progress.chained)] };
  });
}

async function recordReceipt(
  transaction: Queryable,
  run: ReceivingRun,
  deliveryId: string,
  received: Received,
): Promise<Receipt | null> {
  const earlier = await selectReceipt(transaction, run.id, deliveryId, received.type);
  const receipt = earlier ?? (await firstReceipt(transaction, run, received));
  if (receipt === null) return null;
  // A repeated report of the same delivery may contain more items: only the difference is added.
  const items = Math.max(received.items, receipt.items);
  const saved = Math.max(received.saved, receipt.saved);
  const more = { items: items - receipt.items, saved: saved - receipt.saved };
  await countReceived(transaction, run.id, receipt.position, more);
  const chained =
    earlier === null && receipt.completed ? await wakeRun(transaction, run.id) : receipt.chained;
  const written = { ...receipt, items, saved, chained };
  await writeReceipt(transaction, run.id, deliveryId, received.type, written);
  return written;
}

async function firstReceipt(
  transaction: Queryable,
  run: ReceivingRun,
  received: Received,
): Promise<Receipt | null> {
  const step = await selectMatchingStep(transaction, run.id, received);
  if (step === null) return null;
  const completed = run.is_running && step.is_open;
  return { position: step.position, items: 0, saved: 0, completed, chained: false };
}
