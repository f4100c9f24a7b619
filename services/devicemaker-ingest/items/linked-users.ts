import type { Job } from '../../../mixins/inbox-worker.ts';
import type { Call } from '../../../runtime/environment.ts';

/** One of our users behind a provider's account. */
export interface LinkedUser {
  readonly connection_id: string;
  readonly user_id: string;
}

/** LinkedUsers by the provider's user id; several of our users may share an account. */
export type LinkedUsers = ReadonlyMap<string, readonly LinkedUser[]>;

// As many as the contract takes in a call.
const idsPerCall = 1000;
const longestId = 255;
/** Both times are the database's, cut to milliseconds or rounded. */
const roundingMs = 2;

/** A delivery: when it came, which connections it concerns, and whether its sender was authenticated. */
export interface Arrival {
  readonly deliveryId: string;
  readonly receivedMs: number;
  /** Leaves out connections made later: what came before a user linked the account is not theirs. */
  readonly connectedBy: number | null;
  /** The sender proved to be the provider. */
  readonly authenticated: boolean;
}

/** A delivery that is worked on again concerns connections of its own time only. */
export function arrivalOf({ id, isRetry, received_ms, authenticated }: Job): Arrival {
  return {
    deliveryId: id,
    receivedMs: received_ms,
    connectedBy: isRetry ? received_ms : null,
    authenticated,
  };
}

/**
 * So many accounts of an unauthenticated delivery may be unknown; the rest is not looked up. The provider sends
 * nothing of accounts that never were connected, so it is no provider's delivery.
 */
const mostUnknown = 10_000;

/**
 * Finds the users behind provider accounts. `isKept`: the delivery is kept for users whose ending is unconfirmed.
 */
export async function findLinkedUsers(
  call: Call,
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
    const rows = await call('users.resolve', { provider: 'devicemaker', provider_user_ids, delivery });
    for (const { provider_user_id, connected_at, connection_id, user_id } of rows) {
      if (connectedBy !== null && Date.parse(connected_at) > connectedBy + roundingMs) continue;
      const shared = linkedUsers.get(provider_user_id) ?? [];
      linkedUsers.set(provider_user_id, [...shared, { connection_id, user_id }]);
    }
  }
  return linkedUsers;
}
