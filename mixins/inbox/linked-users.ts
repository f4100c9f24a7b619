import type { ProviderName } from '../../providers/all.ts';
import type { Call } from '../../runtime/environment.ts';
import type { Lease } from './delivery.ts';

/** One of our users who is linked to an account of the provider. */
export interface LinkedUser {
  readonly connection_id: string;
  readonly user_id: string;
  readonly connectedMs: number;
}

/** LinkedUsers by the provider's user id. Several users may share an account. */
export type LinkedUsers = ReadonlyMap<string, readonly LinkedUser[]>;

// The maximum of the contract.
const idsPerCall = 1000;
const longestId = 255;
/** Tolerance in ms: both times come from the database, one truncated to milliseconds and one rounded. */
const roundingMs = 2;

/** The facts of a delivery that decide which connections it concerns. */
export interface Arrival {
  readonly deliveryId: string;
  readonly receivedMs: number;
  /**
   * Excludes connections that were made later: data from before a user linked the account does not belong to that user.
   */
  readonly connectedBy: number | null;
}

/** A retried delivery concerns only connections that existed when it arrived. */
export function arrivalOf({ id, isRetry, received_ms }: Lease): Arrival {
  return { deliveryId: id, receivedMs: received_ms, connectedBy: isRetry ? received_ms : null };
}

/** Finds the users linked to provider accounts. */
export async function findLinkedUsers(
  call: Call,
  provider: ProviderName,
  providerUserIds: Iterable<string>,
  { connectedBy, deliveryId: delivery_id }: Arrival,
): Promise<LinkedUsers> {
  const known = [...new Set(providerUserIds)].filter((id) => id.length <= longestId && !id.includes('\0'));
  const linkedUsers = new Map<string, LinkedUser[]>();
  for (let from = 0; from < known.length; from += idsPerCall) {
    const provider_user_ids = known.slice(from, from + idsPerCall);
    const rows = await call('users.resolve', { provider, provider_user_ids, delivery_id });
    for (const { provider_user_id, connected_at, connection_id, user_id } of rows) {
      const connectedMs = Date.parse(connected_at);
      if (connectedBy !== null && connectedMs > connectedBy + roundingMs) continue;
      const shared = linkedUsers.get(provider_user_id) ?? [];
      linkedUsers.set(provider_user_id, [...shared, { connection_id, user_id, connectedMs }]);
    }
  }
  return linkedUsers;
}
