import type { Call } from '../../runtime/environment.ts';
import type { Owner } from './owners.ts';
import type { ProviderEvent } from './read-event.ts';

/** Whether the owner of the account takes back what they allowed. */
export function isDeauthorization({ object_type, aspect_type, updates }: ProviderEvent): boolean {
  return object_type === 'athlete' && (aspect_type === 'delete' || updates.authorized === 'false');
}

/** An event of an account, and what is known of the delivery that brought it. */
export interface AthleteEvent {
  readonly event: ProviderEvent;
  readonly authenticated: boolean;
  readonly received_ms: number;
}

/**
 * Works on an event of an account for one of our users, and says what followed. One from before the account was linked
 * says nothing of this link; an older change of privacy never overwrites a newer one.
 */
export async function workAthlete(call: Call, received: AthleteEvent, owner: Owner): Promise<string> {
  const { event } = received;
  if (event.event_time < Math.floor(owner.connectedMs / 1000)) return 'it is from before the connection';
  if (isDeauthorization(event)) return endings[await end(call, received, owner)];
  const { authorized: _, ...privacy } = event.updates;
  if (Object.keys(privacy).length === 0) return 'nothing follows from it';
  const { connection_id } = owner;
  await call('users.changePrivacy', { connection_id, privacy, changed_ms: event.event_time * 1000 });
  return 'the privacy settings are kept';
}

const endings = {
  revoked: 'the connection is revoked',
  checked_first: 'the provider is asked whether the connection has ended',
  outdated: 'the provider has confirmed the connection since',
  gone: 'the connection has ended before',
} as const;

async function end(call: Call, { authenticated, received_ms }: AthleteEvent, owner: Owner) {
  const { connection_id, user_id } = owner;
  const { outcome } = await call('users.endByEvent', { connection_id, user_id, authenticated, received_ms });
  return outcome;
}
