import type { Logger } from 'moleculer';
import { userNotFound } from '../../domain/errors.ts';
import type { Database } from '../../mixins/database.ts';
import type { AuditOrigin } from '../../runtime/audit-origin.ts';
import type { Call } from '../../runtime/environment.ts';
import { callOn } from '../../runtime/lifecycle.ts';
import type { AccountHashes } from './account-hashes.ts';
import { eraseAccounts } from './erase-accounts.ts';
import { claimErasures, markErased } from './queries/claim-erasures.ts';
import { deletePerson } from './queries/delete-person.ts';
import { selectErasedAccounts } from './queries/select-erased-accounts.ts';
import type { Person } from './users.entities.ts';

/** What erasing works with. */
export interface Erasing {
  readonly database: Database;
  readonly call: Call;
  readonly logger: Logger;
}

/** DELETE waits this long for the others; a longer erasure goes on behind its answer. */
const patience = { timeout: 4000, retries: 0 } as const;

/**
 * Deletes a person: gone when this returns. Samples are tombstoned and tokens ended before, too, if those services
 * answer; otherwise `resumeErasures` sees to it, also after this process died.
 * @throws USER_NOT_FOUND (404)
 */
export async function removePerson(
  erasing: Erasing & { readonly origin: AuditOrigin; readonly accountHashes: AccountHashes },
  id: string,
): Promise<Omit<Person, 'deletedAt'>> {
  const person = await deletePerson(erasing.database, erasing.origin, id, erasing.accountHashes);
  if (person === null) throw userNotFound(id);
  await eraseElsewhere(erasing, id);
  return person;
}

/** Takes up every deletion that is not finished: a service was away, or a process died in the middle. */
export async function resumeErasures(erasing: Erasing): Promise<void> {
  for (const id of await claimErasures(erasing.database)) await eraseElsewhere(erasing, id);
}

async function eraseElsewhere({ database, call, logger }: Erasing, user_id: string): Promise<void> {
  const [elsewhere, deliveries] = await Promise.all([
    callOn(call, { event: 'userErased', params: { user_id } }, patience),
    Promise.allSettled([eraseDeliveries(database, call, user_id)]),
  ]);
  const failed = [...elsewhere, ...deliveries].find((answer) => answer.status === 'rejected');
  if (failed === undefined) await markErased(database, user_id);
  else logger.warn('user.erasure_postponed', { user_id, type: typeOf(failed.reason) });
}

// What providers sent for an account, as it came, goes too.
async function eraseDeliveries(database: Database, call: Call, userId: string): Promise<void> {
  const accounts = await selectErasedAccounts(database, userId);
  const [first] = accounts;
  if (first === undefined) return;
  const told = accounts.map(({ provider, provider_user_id }) => ({ provider, provider_user_id }));
  await eraseAccounts(call, told, first.deleted_at, patience);
}

function typeOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null ? Reflect.get(error, 'type') : undefined;
}
