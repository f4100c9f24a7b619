import type { Call } from '../../runtime/environment.ts';

/** One of our users behind an account of the provider. */
export interface Owner {
  readonly connection_id: string;
  readonly user_id: string;
  readonly connectedMs: number;
}

/** Both times are the database's, cut to milliseconds or rounded. */
const roundingMs = 2;

/**
 * The users behind an account; several may share one. `connectedBy` leaves out connections made later: what an event
 * told before a user linked the account is not theirs. The delivery is kept for users whose ending is unconfirmed.
 */
export async function findOwners(
  call: Call,
  account: string,
  connectedBy: number | null,
  held: {
    readonly delivery?: { readonly id: string; readonly authenticated: boolean; readonly hold: boolean };
  } = {},
): Promise<Owner[]> {
  const provider_user_ids = [account];
  const rows = await call('users.resolve', { provider: 'activitynet', provider_user_ids, ...held });
  const owners = rows.map(({ connection_id, user_id, connected_at }) => ({
    connection_id,
    user_id,
    connectedMs: Date.parse(connected_at),
  }));
  return owners.filter(({ connectedMs }) => connectedBy === null || connectedMs <= connectedBy + roundingMs);
}
