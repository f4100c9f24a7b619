import type { Received } from '../../contracts/backfill.ts';
import type { Database, Queryable } from '../../mixins/database.ts';
import type { ProviderName } from '../../providers/all.ts';
import {
  countReceived,
  lockReceiving,
  moveOn,
  type Receipt,
  type ReceivingRun,
  selectMatchingStep,
  selectReceipt,
  selectReceiving,
  writeReceipt,
} from './queries/note-received.ts';

/** What an ingest service tells of a delivery. */
export interface Arrival {
  readonly provider: ProviderName;
  readonly delivery_id: string;
  readonly received: readonly Received[];
}

/** Which requests a delivery answered, and whose next one it set off. */
export interface Progress {
  readonly chained: string[];
  readonly completed: { type: string; user_id: string }[];
}

/**
 * Notes what a delivery brought. Its items answer a request when they begin within its span, give or take a day:
 * a live push of today may do so too, a little early; what the request itself brings is counted all the same.
 */
export async function receive(database: Database, arrival: Arrival): Promise<Progress> {
  const ids = [...new Set(arrival.received.map(({ connection_id }) => connection_id))];
  const nothing: Progress = { chained: [], completed: [] };
  // Nearly every delivery is a live one of somebody whose history came long ago: one read by index, no lock.
  if (ids.length === 0 || (await selectReceiving(database, ids, arrival.provider)).length === 0)
    return nothing;
  return database.transaction(async (transaction) => {
    const runs = await lockReceiving(transaction, ids, arrival.provider);
    const byConnection = new Map(runs.map((run) => [run.connection_id, run]));
    const progress = nothing;
    for (const received of arrival.received) {
      const run = byConnection.get(received.connection_id);
      const receipt = run === undefined ? null : await note(transaction, run, arrival.delivery_id, received);
      if (receipt?.completed) progress.completed.push({ type: received.type, user_id: received.user_id });
      if (receipt?.chained) progress.chained.push(received.user_id);
    }
    return { ...progress, chained: [...new Set(progress.chained)] };
  });
}

async function note(
  transaction: Queryable,
  run: ReceivingRun,
  deliveryId: string,
  received: Received,
): Promise<Receipt | null> {
  const known = await selectReceipt(transaction, run.id, deliveryId, received.type);
  const receipt = known ?? (await firstReceipt(transaction, run, received));
  if (receipt === null) return null;
  // Told again of the same delivery, which may have got further meanwhile: only the rest is added.
  const items = Math.max(received.items, receipt.items);
  const saved = Math.max(received.saved, receipt.saved);
  const more = { items: items - receipt.items, saved: saved - receipt.saved };
  await countReceived(transaction, run.id, receipt.position, more);
  const chained = known === null && receipt.completed ? await moveOn(transaction, run.id) : receipt.chained;
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
