import type { Call } from '../../mixins/environment.ts';

/** One of our users behind a provider's account. */
export interface Recipient {
  readonly connection_id: string;
  readonly user_id: string;
}

/** Recipients by the provider's user id; several of our users may share an account. */
export type Recipients = ReadonlyMap<string, readonly Recipient[]>;

// As many as the contract takes in a call.
const idsPerCall = 1000;
const longestId = 255;
/** Both times are the database's, cut to milliseconds or rounded. */
const roundingMs = 2;

/**
 * Finds the users behind provider accounts. `connectedBy` leaves out connections made later: what a delivery
 * brought before a user linked the account is not theirs. The delivery is kept for users whose ending is unconfirmed.
 */
export async function findRecipients(
  call: Call,
  providerUserIds: Iterable<string>,
  connectedBy: number | null,
  held: { readonly delivery?: { readonly id: string; readonly authenticated: boolean } } = {},
): Promise<Recipients> {
  const known = [...new Set(providerUserIds)].filter((id) => id.length <= longestId && !id.includes('\0'));
  const recipients = new Map<string, Recipient[]>();
  for (let from = 0; from < known.length; from += idsPerCall) {
    const provider_user_ids = known.slice(from, from + idsPerCall);
    const rows = await call('users.resolve', { provider: 'devicemaker', provider_user_ids, ...held });
    for (const { provider_user_id, connected_at, connection_id, user_id } of rows) {
      if (connectedBy !== null && Date.parse(connected_at) > connectedBy + roundingMs) continue;
      const shared = recipients.get(provider_user_id) ?? [];
      recipients.set(provider_user_id, [...shared, { connection_id, user_id }]);
    }
  }
  return recipients;
}
