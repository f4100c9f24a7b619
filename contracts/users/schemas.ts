import { z } from 'zod';
import { Timestamp } from '../../domain/wire.ts';
import { ProviderName } from '../../providers/all.ts';

/** A person whose data is kept. */
export const User = z
  .object({
    id: z.string(),
    created_at: Timestamp,
    first_name: z.string().nullable(),
    last_name: z.string().nullable(),
    email: z.string().nullable(),
    external_user_id: z.string().nullable(),
  })
  .meta({ id: 'User', description: 'An end user whose data is stored.' });

/** The page-based envelope of the user list. */
export const UserPage = z
  .object({
    items: z.array(User),
    total: z.int(),
    page: z.int(),
    limit: z.int(),
    pages: z.int(),
  })
  .meta({ id: 'UserPage', description: 'A page of users with the number of all matching users.' });

/** The link between a user and an account at a provider; its tokens are never shown. */
export const Connection = z
  .object({
    id: z.string(),
    user_id: z.string(),
    provider: ProviderName,
    provider_user_id: z.string(),
    status: z.enum(['active', 'revoked', 'expired']).meta({ id: 'ConnectionState' }),
    scope: z.array(z.string()),
    created_at: Timestamp,
    updated_at: Timestamp,
    last_synced_at: Timestamp.nullable(),
    /** What the owner of the account said of their privacy there, by the provider's names; null while they said nothing. */
    privacy: z.record(z.string(), z.string()).nullable(),
  })
  .meta({
    id: 'Connection',
    description: 'The connection between a user and an account at a provider. Its tokens are never returned.',
  });

/** What a service needs to act for a user at a provider; both tokens are ciphertext. */
export const StoredTokens = z.object({
  connection_id: z.string(),
  status: Connection.shape.status,
  connected_at: Timestamp,
  version: z.int(),
  access_token: z.string().nullable(),
  refresh_token: z.string().nullable(),
  expires_at: Timestamp.nullable(),
  /** The connection is revoked by an event that nobody authenticated: the provider has not confirmed it yet. */
  ending_unconfirmed: z.boolean(),
});
export type User = z.infer<typeof User>;
export type UserPage = z.infer<typeof UserPage>;
export type Connection = z.infer<typeof Connection>;
export type StoredTokens = z.infer<typeof StoredTokens>;
