import { z } from 'zod';
import type { JobKind } from '../../../mixins/jobs/job-queue.ts';
import { ProviderName } from '../../../providers/all.ts';
import { backoffMs } from '../../../runtime/jobs/backoff.ts';

const Empty = z.object({});

/** At most 16 s: a service that was unavailable finishes an erasure soon after it is back. */
const shortRetryMs = (failures: number) => backoffMs(Math.min(failures, 4));

/** Erases a deleted user in the other services. The key is the user's id. */
export const erasureKind: JobKind<object> = {
  name: 'users.erasure',
  payload: Empty,
  retryMs: shortRetryMs,
};

/** Erases the data of a connection in the other services. The key is the connection's id. */
export const purgeKind: JobKind<object> = { name: 'users.purge', payload: Empty, retryMs: shortRetryMs };

const TokenRevocation = z.object({
  connection_id: z.uuid(),
  provider: ProviderName,
  provider_user_id: z.string(),
  access_token: z.string(),
  refresh_token: z.string().nullable(),
  expires_at: z.string().nullable(),
  provider_client_id: z.uuid().nullable().default(null),
  region: z.string().nullable().default(null),
});
/** Encrypted tokens of an ended connection, kept for the request that ends our access at the provider. */
export type TokenRevocation = z.infer<typeof TokenRevocation>;

/**
 * Ends our access to an account. The key is the connection's id and the account: a connection may change its account
 * before our access to the former one has ended.
 */
export const tokenRevocationKind: JobKind<TokenRevocation> = {
  name: 'users.token_revocation',
  payload: TokenRevocation,
};
