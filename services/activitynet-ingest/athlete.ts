import { isError } from '../../domain/errors.ts';
import type { Database } from '../../mixins/database.ts';
import type { Call } from '../../mixins/environment.ts';
import type { Owner } from './owners.ts';
import { dropConnection } from './queries/drop-work.ts';
import type { ProviderEvent } from './read-event.ts';

/** Whether the owner of the account takes back what they allowed. */
export function isDeauthorization({ object_type, aspect_type, updates }: ProviderEvent): boolean {
  return object_type === 'athlete' && (aspect_type === 'delete' || updates.authorized === 'false');
}

/**
 * Works on an event of an account for one of our users, and says what followed. One from before the account was linked
 * says nothing of this link; an older change of privacy never overwrites a newer one.
 */
export async function workAthlete(
  { call, database }: { readonly call: Call; readonly database: Database },
  event: ProviderEvent,
  owner: Owner,
): Promise<string> {
  if (event.event_time < Math.floor(owner.connectedMs / 1000)) return 'it is from before the connection';
  if (isDeauthorization(event)) {
    await revoke(call, owner);
    await dropConnection(database, owner.connection_id);
    return 'the connection is revoked';
  }
  const { authorized: _, ...privacy } = event.updates;
  if (Object.keys(privacy).length === 0) return 'nothing follows from it';
  const { connection_id } = owner;
  await call('users.changePrivacy', { connection_id, privacy, changed_ms: event.event_time * 1000 });
  return 'the privacy settings are kept';
}

async function revoke(call: Call, { user_id }: Owner): Promise<void> {
  try {
    await call('users.disconnect', { user_id, provider: 'activitynet' });
  } catch (error) {
    const isGone = isError(error, 'CONNECTION_NOT_FOUND') || isError(error, 'USER_NOT_FOUND');
    if (!isGone) throw error;
  }
}
