import { z } from 'zod';
import type { Webhooks } from '../../../domain/provider/provider.ts';
import type { Database, Queryable } from '../../../mixins/database/database.ts';
import { UnreadableBody } from '../../../mixins/inbox/body-cipher.ts';
import {
  type BodyKeys,
  ownBody,
  readKeptBody,
  readKeptEntry,
  sealedEntries,
} from '../../../mixins/inbox/sealed-bodies.ts';
import { enqueue, type JobKind, type JobOutcome } from '../../../mixins/jobs/job-queue.ts';
import { type JobHandler, jobHandler, workInParts } from '../../../mixins/jobs/jobs.ts';
import { isProviderName, providers } from '../../../providers/all.ts';
import type { Held } from '../../../runtime/jobs/job-worker.ts';
import { isEventOf, mentions } from '../rules/mentions.ts';
import {
  bytesPerPiece,
  type IdleRow,
  isErased,
  lockIdle,
  selectNamed,
  selectPiece,
} from '../tables/deliveries.ts';
import {
  claimErasures,
  type ErasedAccount,
  type ErasureRow,
  emptyDelivery,
  insertErasures,
  insertLateErasures,
  moveErasures,
  nextErasureMs,
  passErasures,
  waitOn,
} from '../tables/erasures.ts';
import { fetchedEntries } from '../tables/sealed-bodies.ts';

/**
 * Raw deliveries contain data of erased users' accounts. Each account to erase is a row. The bodies are searched in the
 * order of their ids in bounded batches; each batch is one transaction that also stores the cursor, so a process that dies
 * leaves no batch half done. A delivery that mentions the account is emptied, also if it has items of other users:
 * therefore once it has ended, so that no attempt loses their data.
 */
interface ErasurePace {
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

/** Stores accounts whose deliveries, received until an instant, are emptied. */
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

/** Stores accounts whose delivery, received after their erasure, is emptied. */
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

// Retries the deliveries that had not ended when their batch was searched.
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

/** Empties a delivery that mentions an account. False if it has not ended, or is being answered. */
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
  if (await hasDataOf(accounts, { transaction, keys, id, idle })) await emptyDelivery(transaction, id);
  return true;
}

interface KeptDelivery {
  readonly transaction: Queryable;
  readonly keys: BodyKeys;
  readonly id: string;
  readonly idle: IdleRow;
}

// Null: the provider is none of PROVIDERS any more.
function bodyOf(provider: string): Webhooks['body'] | null {
  return isProviderName(provider) ? providers[provider].webhooks.body : null;
}

// The data that was fetched for one account may contain items of another one.
async function hasDataOf(
  accounts: readonly string[],
  { transaction, keys, id, idle }: KeptDelivery,
): Promise<boolean> {
  const body = bodyOf(idle.provider);
  if (body?.form === 'one-account') return accounts.includes(idle.headers[body.accountHeader] ?? '');
  const bytes = await readKeptBody(transaction, keys, { ...idle, id });
  const isTheirs =
    body?.form === 'single-event' ? isEventOf(body, bytes, accounts) : mentions(bytes, accounts);
  if (await isTheirs) return true;
  const entries = idle.is_sealed
    ? await sealedEntries(transaction, id)
    : await fetchedEntries(transaction, id);
  for (const entry of entries.filter((entry) => entry !== ownBody)) {
    const fetched = await readKeptEntry(transaction, keys, { id, is_sealed: idle.is_sealed }, entry);
    if (fetched !== null && (await mentions(fetched, accounts))) return true;
  }
  return false;
}
