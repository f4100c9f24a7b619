import { ServiceError } from '../../domain/errors.ts';
import type { Database, Queryable } from '../../mixins/database/database.ts';
import { deleteFence, holdFence, insertFence, selectFence } from './queries/fence.ts';

/** Runs a transaction that writes a user's rows. @throws SERVICE_UNAVAILABLE (503) if the data was erased meanwhile */
export type FencedWrite = <T>(work: (transaction: Queryable) => Promise<T>) => Promise<T>;

/** Writes of a user's rows that fail once the fence of this moment is gone. */
export async function currentFence(database: Database, userId: string): Promise<FencedWrite> {
  return fencedBy(database, userId, await selectFence(database, userId));
}

/**
 * Asks whether the user's rows may be written, behind a fence. The fence comes first: an erasure that the answer does not
 * see deletes the fence afterwards. Null if the answer is null.
 */
export async function behindFence<T>(
  database: Database,
  userId: string,
  mayWrite: () => Promise<T | null>,
): Promise<{ readonly allowed: T; readonly write: FencedWrite } | null> {
  const known = await selectFence(database, userId);
  const made = known === null ? await insertFence(database, userId) : null;
  let allowed: T | null = null;
  try {
    allowed = await mayWrite();
  } finally {
    if (allowed === null && made !== null) await deleteFence(database, userId, made);
  }
  if (allowed === null) return null;
  return { allowed, write: fencedBy(database, userId, known ?? made) };
}

function fencedBy(database: Database, userId: string, id: string | null): FencedWrite {
  return (work) =>
    database.transaction(async (transaction) => {
      if (!(await holdFence(transaction, userId, id))) throw new ServiceError('SERVICE_UNAVAILABLE');
      return work(transaction);
    });
}
