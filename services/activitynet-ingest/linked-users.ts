import type { Call } from '../../runtime/environment.ts';

/** One of our users who is linked to an account of the provider. */
export interface LinkedUser {
  readonly connection_id: string;
  readonly user_id: string;
  readonly connectedMs: number;
}

/** Tolerance in ms: both times come from the database, one truncated to milliseconds and one rounded. */
const roundingMs = 2;

/**
 * The users linked to an account. Several users may share one. `connectedBy` excludes connections that were made later:
 * an event from before a user linked the account does not belong to that user. The delivery is kept for users whose
 * connection end is unconfirmed.
 */
export async function findLinkedUsers(
  call: Call,
  account: string,
  connectedBy: number | null,
  held: {
    readonly delivery?: { readonly id: string; readonly authenticated: boolean; readonly hold: boolean };
  } = {},
): Promise<LinkedUser[]> {
  const provider_user_ids = [account];
  const rows = await call('users.resolve', { provider: 'activitynet', provider_user_ids, ...held });
  const linkedUsers = rows.map(({ connection_id, user_id, connected_at }) => ({
    connection_id,
    user_id,
    connectedMs: Date.parse(connected_at),
  }));
  return linkedUsers.filter(
    ({ connectedMs }) => connectedBy === null || connectedMs <= connectedBy + roundingMs,
  );
}
