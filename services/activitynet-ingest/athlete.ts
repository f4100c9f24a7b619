import type { LinkedUser } from '../../mixins/inbox/linked-users.ts';
import type { Call } from '../../runtime/environment.ts';
import type { ProviderEvent } from './read-event.ts';

/** Whether the account holder withdraws the access that they granted. */
export function isDeauthorization({ object_type, aspect_type, updates }: ProviderEvent): boolean {
  return object_type === 'athlete' && (aspect_type === 'delete' || updates.authorized === 'false');
}

/** An event of an account, with the facts of the delivery that carried it. */
export interface AthleteEvent {
  readonly event: ProviderEvent;
  readonly authenticated: boolean;
  readonly received_ms: number;
}

/**
 * Applies an event of an account to one linked user and returns a sentence that describes the result. An event from
 * before the account was linked is ignored. An older change of privacy never overwrites a newer one.
 */
export async function workAthlete(
  call: Call,
  received: AthleteEvent,
  linkedUser: LinkedUser,
): Promise<string> {
  const { event } = received;
  if (event.event_time < Math.floor(linkedUser.connectedMs / 1000)) return 'it is from before the connection';
  if (isDeauthorization(event)) return endings[await end(call, received, linkedUser)];
  const { authorized: _, ...privacy } = event.updates;
  if (Object.keys(privacy).length === 0) return 'nothing follows from it';
  const { connection_id } = linkedUser;
  await call('users.changePrivacy', { connection_id, privacy, changed_ms: event.event_time * 1000 });
  return 'the privacy settings are kept';
}

const endings = {
  revoked: 'the connection is revoked',
  checked_first: 'the provider is asked whether the connection has ended',
  outdated: 'the provider has confirmed the connection since',
  gone: 'the connection has ended before',
} as const;

async function end(call: Call, { authenticated, received_ms }: AthleteEvent, linkedUser: LinkedUser) {
  const { connection_id, user_id } = linkedUser;
  const { outcome } = await call('users.endByEvent', { connection_id, user_id, authenticated, received_ms });
  return outcome;
}
