import { z } from 'zod';
import { action } from '../../domain/contract.ts';
import { TimeParameter } from '../../domain/time.ts';
import { Text, UserId } from '../../domain/wire.ts';
import { ProviderName } from '../../providers/all.ts';
import { Ciphertext } from '../fields.ts';
import { StoredTokens } from './schemas.ts';

const TokenVersion = { connection_id: z.uuid(), version: z.int() };

/** The tokens of connections, as ciphertext. */
export const tokenActions = {
  /** A connection's tokens as ciphertext bound to its id; `version` changes with every change of them. */
  tokens: action({
    summary: "Hand over a connection's encrypted tokens",
    params: z.object({ user_id: UserId, provider: ProviderName }),
    returns: StoredTokens,
    idempotent: true,
  }),
  /** The right to refresh tokens of this version, for `lease_ms`: one holder at a time, whatever process it is in. */
  leaseRefresh: action({
    summary: 'Lease the refresh of a connection',
    params: z.object({ ...TokenVersion, lease_ms: z.int().min(1).max(300_000) }),
    returns: z.object({ leased: z.boolean() }),
  }),
  releaseRefresh: action({
    summary: 'Give the lease back: the refresh failed for now',
    params: z.object(TokenVersion),
    returns: z.object({ released: z.boolean() }),
    idempotent: true,
  }),
  /** Replaces tokens, if they are still of this version; a refresh token of null keeps the one that is there. */
  storeTokens: action({
    summary: 'Store refreshed tokens',
    params: z.object({
      ...TokenVersion,
      access_token: Ciphertext,
      refresh_token: Ciphertext.nullable(),
      expires_at: TimeParameter.nullable(),
    }),
    returns: z.object({ stored: z.boolean() }),
    idempotent: true,
  }),
  /** The provider refused tokens of this version for good: the connection is expired, they are erased. */
  expire: action({
    summary: 'Expire a connection whose tokens are dead',
    params: z.object({ ...TokenVersion, reason: Text.min(1).max(100) }),
    returns: z.object({ expired: z.boolean() }),
    idempotent: true,
  }),
};
