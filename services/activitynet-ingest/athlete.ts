import type { LinkedUser } from '../../mixins/inbox/linked-users.ts';
import type { Call } from '../../runtime/environment.ts';
import type { ProviderEvent } from './read-event.ts';

/** Whether the account holder withdraws the access that they granted. */
function isDeauthorization({ object_type, aspect_type, updates }: ProviderEvent): boolean {
  return object_type === 'athlete' && (aspect_type === 'delete' || updates.authorized === 'false');
}

/**
 * Applies an event of an account to one linked user and returns a sentence that describes the result. An event from
 * before the account was linked is ignored. An older change of privacy never overwrites a newer one.
 */
export async function workAthlete(call: Call, event: ProviderEvent, linkedUser: LinkedUser): Promise<string> {
  if (event.event_time < Math.floor(linkedUser.connectedMs / 1000)) return 'it is from before the connection';
  const { connection_id, user_id } = linkedUser;
  if (isDeauthorization(event)) {
    const { revoked } = await call('users.endByEvent', { connection_id, user_id });
    return revoked ? 'the connection is revoked' : 'the connection has ended before';
  }
  const { authorized: _, ...privacy } = event.updates;
  if (Object.keys(privacy).length === 0) return 'nothing follows from it';
  await call('users.changePrivacy', { connection_id, privacy, changed_ms: event.event_time * 1000 });
  return 'the privacy settings are kept';
}
