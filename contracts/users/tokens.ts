import { z } from 'zod';
import { action } from '../../domain/contract.ts';
import { TimeParameter } from '../../domain/time/time.ts';
import { Text, UserId } from '../../domain/wire.ts';
import { ProviderName } from '../../providers/all.ts';
import { Ciphertext } from '../fields.ts';
import { StoredTokens } from './schemas.ts';

const TokenVersion = { connection_id: z.uuid(), version: z.int() };

/** The tokens of connections, as ciphertext. */
export const tokenActions = {
  /** The tokens are encrypted and bound to the connection's id; `version` changes whenever they change. */
  tokens: action({
    summary: "Get a connection's encrypted tokens",
    params: z.object({ user_id: UserId, provider: ProviderName }),
    returns: StoredTokens,
    idempotent: true,
  }),
  /** A lease of `lease_ms` to refresh tokens of this version. One process holds it at a time. */
  leaseRefresh: action({
    summary: 'Lease the refresh of tokens',
    params: z.object({ ...TokenVersion, lease_ms: z.int().min(1).max(300_000) }),
    returns: z.object({ leased: z.boolean() }),
  }),
  releaseRefresh: action({
    summary: 'Release the lease after a refresh that failed temporarily',
    params: z.object(TokenVersion),
    returns: z.object({ released: z.boolean() }),
    idempotent: true,
  }),
  /** Replaces the tokens if they still have this version. A null refresh token keeps the stored one. */
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
  /** An access token of this version has worked, so the refresh token before it is erased. */
  confirmTokens: action({
    summary: 'Erase the previous refresh token',
    params: z.object(TokenVersion),
    returns: z.object({ confirmed: z.boolean() }),
    idempotent: true,
  }),
  /** The provider refused tokens of this version permanently: the connection expires and the tokens are erased. */
  expire: action({
    summary: 'Expire a connection whose tokens are invalid',
    params: z.object({ ...TokenVersion, reason: Text.min(1).max(100) }),
    returns: z.object({ expired: z.boolean() }),
    idempotent: true,
  }),
};
