import { z } from 'zod';
import type { Database, Queryable } from '../../mixins/database/database.ts';
import { bodyCipherOf, UnreadableBody } from '../../mixins/inbox/body-cipher.ts';
import {
  type BodyKeys,
  keepSealed,
  ownBody,
  readKeptBody,
  readKeptEntry,
  sealedEntries,
} from '../../mixins/inbox/sealed-bodies.ts';
import { enqueue, type JobKind, type JobOutcome } from '../../mixins/jobs/job-queue.ts';
import { type JobHandler, jobHandler, workInParts } from '../../mixins/jobs/jobs.ts';
import type { ProviderName } from '../../providers/all.ts';
import type { Held } from '../../runtime/jobs/job-worker.ts';
import { type Cut, isOfAccount, isOfOneAccount } from './cut.ts';
import { cutApart } from './cut-apart.ts';
import {
  claimErasures,
  type ErasedAccount,
  type ErasureRow,
  insertErasures,
  insertLateErasures,
  moveErasures,
  nextErasureMs,
  passErasures,
  waitOn,
} from './queries/erasures.ts';
import { lockIdle } from './queries/lock-idle.ts';
import { isErased } from './queries/replay-delivery.ts';
import { dropSealedEntry, resizeSealed } from './queries/sealed-bodies.ts';
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
  /** Decrypts the bodies that are kept encrypted. */
  readonly keys?: BodyKeys;
}

/** The pace in production. A sender waits at most 20 s for its answer, less than `graceSeconds`. */
const erasurePace: ErasurePace = { graceSeconds: 30, bytesPerPiece };

// After this time, deliveries that were received before an erasure are committed: a statement ends after 30 s (statement_timeout).
const startAfterSeconds = 35;

const waitSeconds = 5;
const waitingPerPiece = 50;
/** The delay if other transactions hold all erasures that are due. */
const leastDelayMs = 1000;

/** All erasures are one job with an empty key: erasures with the same cursor share a batch. */
const erasure: JobKind<unknown> = { name: 'deliveries.erasure', payload: z.unknown() };

/** Stores accounts whose items are erased from the deliveries that were received until an instant. */
export function requestErasure(
  database: Database,
  accounts: readonly ErasedAccount[],
  erasedAt: string,
): Promise<void> {
  return database.transaction(async (transaction) => {
    await insertErasures(transaction, accounts, erasedAt, startAfterSeconds);
    await enqueueErasure(transaction);
  });
}

/** Stores accounts whose items are erased from one delivery that was received after their erasure. */
export function requestLateErasure(
  database: Database,
  deliveryId: string,
  accounts: readonly string[],
): Promise<void> {
  return database.transaction(async (transaction) => {
    await insertLateErasures(transaction, deliveryId, accounts, startAfterSeconds);
    await enqueueErasure(transaction);
  });
}

const enqueueErasure = (transaction: Queryable) =>
  enqueue(transaction, erasure, { key: '', payload: {}, delayMs: startAfterSeconds * 1000 });

/** Erases requested accounts in one process at a time. */
export function erasureHandler(database: Database, keys: BodyKeys): JobHandler {
  return jobHandler(erasure, (_job, held) => eraseDue(database, held, { ...erasurePace, keys }));
}

/** Processes the batches that are due. The job is due again for the next erasure, and done without one. */
export async function eraseDue(
  database: Database,
  held: Held,
  pace: ErasurePace = erasurePace,
): Promise<JobOutcome> {
  const outcome = await workInParts(() => eraseOnePiece(database, pace), held);
  const nextMs = outcome.kind === 'done' ? await nextErasureMs(database) : null;
  return nextMs === null ? outcome : { kind: 'again', delayMs: Math.max(leastDelayMs, nextMs) };
}

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
    if (!(await eraseIfReadable(transaction, id, erasures, pace))) left.push(id);
  await moveErasures(transaction, erasures, last, left);
}

// Retries the deliveries that were being processed when their batch was searched.
async function workWaiting(transaction: Queryable, erasure: ErasureRow, pace: ErasurePace): Promise<void> {
  const left = erasure.waiting.slice(waitingPerPiece);
  for (const id of erasure.waiting.slice(0, waitingPerPiece))
    if (!(await eraseIfReadable(transaction, id, [erasure], pace))) left.push(id);
  await waitOn(transaction, erasure, left, waitSeconds);
}

// A body whose secret is missing waits until the secret is configured, or the body expires.
async function eraseIfReadable(...given: Parameters<typeof eraseFrom>): Promise<boolean> {
  try {
    return await eraseFrom(...given);
  } catch (error) {
    if (error instanceof UnreadableBody) return false;
    throw error;
  }
}

/** Removes accounts from one delivery. False if it is being processed or answered. */
async function eraseFrom(
  transaction: Queryable,
  id: string,
  erasures: readonly ErasureRow[],
  { graceSeconds, keys = {} }: ErasurePace,
): Promise<boolean> {
  const idle = await lockIdle(transaction, id, graceSeconds);
  if (idle === undefined) return (await isErased(transaction, id)) === undefined;
  const due = erasures.filter(({ until_us }) => until_us >= idle.received_us);
  const accounts = due.map(({ provider_user_id }) => provider_user_id);
  if (isOfAccount(idle.provider, idle.headers, accounts)) {
    await emptyDelivery(transaction, id);
    return true;
  }
  if (isOfOneAccount(idle.provider)) return true;
  const { provider, is_sealed } = idle;
  const body: KeptBody = { transaction, keys, id, provider, accounts, is_sealed };
  const bytes = await readKeptBody(transaction, keys, { ...idle, id });
  const cut = await cutApart({ provider, root: 'body', bytes, accounts });
  if (cut.kind === 'nothing') await emptyDelivery(transaction, id);
  else await keepRest(body, cut);
  for (const entry of await namedEntries(body)) await eraseFetched(body, entry);
  return true;
}

/** The bodies of a delivery, and the accounts that are removed from them. */
interface KeptBody {
  readonly transaction: Queryable;
  readonly keys: BodyKeys;
  readonly id: string;
  readonly provider: ProviderName;
  readonly accounts: readonly string[];
  readonly is_sealed: boolean;
}

async function keepRest({ transaction, keys, id, is_sealed }: KeptBody, cut: Cut): Promise<void> {
  if (cut.kind !== 'rest') return;
  const { body, entries } = cut;
  await replaceBody(transaction, id, is_sealed ? Buffer.alloc(0) : body, entries);
  if (!is_sealed) return;
  await keepSealed(transaction, bodyCipherOf(keys), { id, entry: ownBody, body });
  await resizeSealed(transaction, id, body.length);
  for (const entry of entries) await dropSealedEntry(transaction, id, entry);
}

// Encrypted bodies cannot be searched in the database.
async function namedEntries({ transaction, id, accounts, is_sealed }: KeptBody): Promise<string[]> {
  if (!is_sealed) return selectNamedProgress(transaction, id, accounts);
  return (await sealedEntries(transaction, id)).filter((entry) => entry !== ownBody);
}

// The data that was fetched for one account may contain items of another one.
async function eraseFetched(held: KeptBody, entry: string): Promise<void> {
  const { transaction, keys, id, provider, accounts, is_sealed } = held;
  const bytes = await readKeptEntry(transaction, keys, held, entry);
  if (bytes === null) return;
  const cut = await cutApart({ provider, root: 'list', bytes, accounts });
  if (cut.kind === 'nothing') {
    await deleteProgress(transaction, id, entry);
    await dropSealedEntry(transaction, id, entry);
  }
  if (cut.kind !== 'rest') return;
  if (is_sealed) await keepSealed(transaction, bodyCipherOf(keys), { id, entry, body: cut.body });
  else await replaceProgress(transaction, id, entry, cut.body);
}
