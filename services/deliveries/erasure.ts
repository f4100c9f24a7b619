import type { Logger } from 'moleculer';
import type { Database, Queryable } from '../../mixins/database.ts';
import { readBody } from '../../mixins/inbox.ts';
import { readProgressBody } from '../../mixins/inbox-progress.ts';
import type { ProviderName } from '../../providers/all.ts';
import { startPeriodicTask } from '../../runtime/periodic-task.ts';
import type { Cut } from './cut.ts';
import { cutApart } from './cut-apart.ts';
import { claimErasures, type ErasureRow, moveErasures, passErasures, waitOn } from './queries/erasures.ts';
import { lockIdle } from './queries/lock-idle.ts';
import { isErased } from './queries/replay-delivery.ts';
import { bytesPerPiece, selectNamed, selectNamedProgress, selectPiece } from './queries/select-named.ts';
import { deleteProgress, emptyDelivery, replaceBody, replaceProgress } from './queries/update-erased.ts';

/**
 * Raw deliveries hold what erased people's accounts sent. Each account is a row; bodies are gone through by their
 * ids, piece by piece, each piece one transaction with the place that was reached: who dies leaves nothing half done.
 * Other people's items stay as they are, byte for byte, and can be replayed.
 */
export interface ErasurePace {
  /** So long after its end a delivery is left alone: its sender is being answered. */
  readonly graceSeconds: number;
  /** Bodies that a piece reads. */
  readonly bytesPerPiece: number;
}

/** The pace that runs: a sender waits 20 s at most, and reads its answer at once. */
export const erasurePace: ErasurePace = { graceSeconds: 30, bytesPerPiece };

/** A delivery that came before an erasure is committed by then: its statement ends after 30 s (statement_timeout). */
export const startAfterSeconds = 35;

const waitSeconds = 5;
const waitingPerPiece = 50;

/** Does one bounded piece of work. False: there is none, or others have it in hand. */
export function eraseOnePiece(database: Database, pace: ErasurePace = erasurePace): Promise<boolean> {
  return database.transaction(async (transaction) => {
    const erasures = await claimErasures(transaction);
    const [first] = erasures;
    if (first === undefined) return false;
    if (first.passed) await workWaiting(transaction, first, pace);
    else await workPiece(transaction, first, erasures, pace);
    return true;
  });
}

const everyMs = 5000;

/** Erases in rounds, each until nothing is due; returns what stops it, between two pieces. */
export function startErasing(database: Database, logger: Logger): () => Promise<void> {
  let isStopping = false;
  const work = async () => {
    while (!isStopping && (await eraseOnePiece(database))) logger.debug('deliveries.erased_piece');
  };
  const stop = startPeriodicTask({ name: 'deliveries.erasure', everyMs, work, logger });
  return () => {
    isStopping = true;
    return stop();
  };
}

async function workPiece(
  transaction: Queryable,
  { provider, place }: ErasureRow,
  erasures: readonly ErasureRow[],
  pace: ErasurePace,
): Promise<void> {
  const ids = await selectPiece(transaction, place, pace.bytesPerPiece);
  const last = ids.at(-1);
  if (last === undefined) return passErasures(transaction, erasures);
  const accounts = erasures.map(({ provider_user_id }) => provider_user_id);
  const until = erasures.at(-1)?.received_until ?? '-infinity';
  const left: string[] = [];
  for (const id of await selectNamed(transaction, ids, { provider, accounts, until }))
    if (!(await eraseFrom(transaction, id, erasures, pace))) left.push(id);
  await moveErasures(transaction, erasures, last, left);
}

// What was in work when the others were looked through: some of it may be over now.
async function workWaiting(transaction: Queryable, erasure: ErasureRow, pace: ErasurePace): Promise<void> {
  const left = erasure.waiting.slice(waitingPerPiece);
  for (const id of erasure.waiting.slice(0, waitingPerPiece))
    if (!(await eraseFrom(transaction, id, [erasure], pace))) left.push(id);
  await waitOn(transaction, erasure, left, waitSeconds);
}

/** Takes accounts out of one delivery. False: it is in work, or its sender is being answered. */
async function eraseFrom(
  transaction: Queryable,
  id: string,
  erasures: readonly ErasureRow[],
  { graceSeconds }: ErasurePace,
): Promise<boolean> {
  const idle = await lockIdle(transaction, id, graceSeconds);
  if (idle === undefined) return (await isErased(transaction, id)) === undefined;
  const due = erasures.filter(({ until_us }) => until_us >= idle.received_us);
  const accounts = due.map(({ provider_user_id }) => provider_user_id);
  const bytes = await readBody(transaction, { id, body_bytes: idle.body_bytes });
  const cut = await cutApart({ provider: idle.provider, root: 'body', bytes, accounts });
  if (cut.kind === 'nothing') await emptyDelivery(transaction, id);
  else await keepRest(transaction, id, cut);
  for (const entry of await selectNamedProgress(transaction, id, accounts))
    await eraseFetched(transaction, idle.provider, { id, entry, accounts });
  return true;
}

async function keepRest(transaction: Queryable, id: string, cut: Cut): Promise<void> {
  if (cut.kind === 'rest') await replaceBody(transaction, id, cut.body, cut.entries);
}

// What one account's callback was answered with may hold items of another one.
async function eraseFetched(
  transaction: Queryable,
  provider: ProviderName,
  {
    id,
    entry,
    accounts,
  }: { readonly id: string; readonly entry: string; readonly accounts: readonly string[] },
): Promise<void> {
  const bytes = await readProgressBody(transaction, id, entry);
  if (bytes === null) return;
  const cut = await cutApart({ provider, root: 'list', bytes, accounts });
  if (cut.kind === 'nothing') await deleteProgress(transaction, id, entry);
  if (cut.kind === 'rest') await replaceProgress(transaction, id, entry, cut.body);
}
