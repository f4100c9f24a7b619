import { z } from 'zod';
import { ServiceError } from '../../../domain/errors.ts';
import type { Database, Queryable } from '../../../mixins/database/database.ts';
import type { Lease } from '../../../mixins/inbox/delivery.ts';
import { arrivalOf, findLinkedUsers, type LinkedUser } from '../../../mixins/inbox/linked-users.ts';
import { phone } from '../../../providers/phone/provider.ts';
import type { Call } from '../../../runtime/environment.ts';
import { deleteFence, holdFence, insertFence, selectFence } from '../tables/fences.ts';

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
  const existing = await selectFence(database, userId);
  const inserted = existing === null ? await insertFence(database, userId) : null;
  let allowed: T | null = null;
  try {
    allowed = await mayWrite();
  } finally {
    if (allowed === null && inserted !== null) await deleteFence(database, userId, inserted);
  }
  if (allowed === null) return null;
  return { allowed, write: fencedBy(database, userId, existing ?? inserted) };
}

function fencedBy(database: Database, userId: string, id: string | null): FencedWrite {
  return (work) =>
    database.transaction(async (transaction) => {
      if (!(await holdFence(transaction, userId, id))) throw new ServiceError('SERVICE_UNAVAILABLE');
      return work(transaction);
    });
}

/** The user of an upload, and how rows of the user are written. */
export interface ConnectedUser extends LinkedUser {
  readonly write: FencedWrite;
}

/** The user whom a delivery was uploaded for, if the connection is active. The gateway checked the credential. */
export async function connectedUser(
  lease: Lease,
  { database, call }: { readonly database: Database; readonly call: Call },
): Promise<ConnectedUser | null> {
  const account = z.uuid().safeParse(lease.headers[phone.webhooks.body.accountHeader]).data;
  if (account === undefined) return null;
  const user = await behindFence(database, account, async () => {
    const linked = await findLinkedUsers(call, 'phone', [account], arrivalOf(lease));
    return linked.get(account)?.find(({ user_id }) => user_id === account) ?? null;
  });
  return user === null ? null : { ...user.allowed, write: user.write };
}
