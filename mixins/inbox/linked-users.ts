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
  /** The sender is authenticated. */
  readonly authenticated: boolean;
}

/** A retried delivery concerns only connections that existed when it arrived. */
export function arrivalOf({ id, isRetry, received_ms, authenticated }: Lease): Arrival {
  return {
    deliveryId: id,
    receivedMs: received_ms,
    connectedBy: isRetry ? received_ms : null,
    authenticated,
  };
}

/**
 * Maximum number of unknown accounts that are looked up for an unauthenticated delivery. The provider sends no data of
 * accounts that never were connected, so a delivery with more is not the provider's.
 */
const mostUnknown = 10_000;

/**
 * Finds the users linked to provider accounts. `isKept`: the delivery is kept for users whose connection end is
 * unconfirmed.
 */
export async function findLinkedUsers(
  call: Call,
  provider: ProviderName,
  providerUserIds: Iterable<string>,
  arrival: Arrival,
  { isKept = false }: { readonly isKept?: boolean } = {},
): Promise<LinkedUsers> {
  const known = [...new Set(providerUserIds)].filter((id) => id.length <= longestId && !id.includes('\0'));
  const { connectedBy, authenticated, deliveryId } = arrival;
  const delivery = { id: deliveryId, authenticated, hold: isKept };
  const linkedUsers = new Map<string, LinkedUser[]>();
  const most = authenticated ? known.length : mostUnknown;
  for (let from = 0; from < known.length && from - linkedUsers.size < most; from += idsPerCall) {
    const provider_user_ids = known.slice(from, from + idsPerCall);
    const rows = await call('users.resolve', { provider, provider_user_ids, delivery });
    for (const { provider_user_id, connected_at, connection_id, user_id } of rows) {
      const connectedMs = Date.parse(connected_at);
      if (connectedBy !== null && connectedMs > connectedBy + roundingMs) continue;
      const shared = linkedUsers.get(provider_user_id) ?? [];
      linkedUsers.set(provider_user_id, [...shared, { connection_id, user_id, connectedMs }]);
    }
  }
  return linkedUsers;
}
