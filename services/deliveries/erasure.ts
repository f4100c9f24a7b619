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
 * Raw deliveries contain data of erased users' accounts. Each account to erase is a row. The bodies are searched in the
 * order of their ids in bounded batches; each batch is one transaction that also stores the cursor, so a process that dies
 * leaves no batch half done. Items of other users are unchanged, byte for byte, and can be replayed.
 */
export interface ErasurePace {
  /** A delivery is not changed for this time after its end, because its answer may still be sent. */
  readonly graceSeconds: number;
  /** The maximum bytes of bodies per batch. */
  readonly bytesPerPiece: number;
}

/** The pace in production. A sender waits at most 20 s for its answer, less than `graceSeconds`. */
export const erasurePace: ErasurePace = { graceSeconds: 30, bytesPerPiece };

/** After this time, deliveries that were received before an erasure are committed: a statement ends after 30 s (statement_timeout). */
export const startAfterSeconds = 35;

const waitSeconds = 5;
const waitingPerPiece = 50;

/** Processes one bounded batch. False if none is due, or other processes hold them. */
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

/** Starts the erasure task; each round runs until no batch is due. Returns the function that stops it between two batches. */
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

// Retries the deliveries that were being processed when their batch was searched.
async function workWaiting(transaction: Queryable, erasure: ErasureRow, pace: ErasurePace): Promise<void> {
  const left = erasure.waiting.slice(waitingPerPiece);
  for (const id of erasure.waiting.slice(0, waitingPerPiece))
    if (!(await eraseFrom(transaction, id, [erasure], pace))) left.push(id);
  await waitOn(transaction, erasure, left, waitSeconds);
}

/** Removes accounts from one delivery. False if it is being processed or answered. */
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

// The data that was fetched for one account may contain items of another one.
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
