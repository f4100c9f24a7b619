import { z } from 'zod';
import { Timestamp } from '../../domain/wire.ts';
import { ProviderName } from '../../providers/all.ts';

/** An end user whose data is stored. */
export const User = z
  .object({
    id: z.string(),
    created_at: Timestamp,
    first_name: z.string().nullable(),
    last_name: z.string().nullable(),
    email: z.string().nullable(),
    external_user_id: z.string().nullable(),
    time_zone: z
      .string()
      .nullable()
      .describe("The IANA name of the user's time zone. Null if it was never set."),
  })
  .meta({ id: 'User', description: 'An end user whose data is stored.' });

/** A page of the user list. */
export const UserPage = z
  .object({
    items: z.array(User),
    total: z.int(),
    page: z.int(),
    limit: z.int(),
    pages: z.int(),
  })
  .meta({ id: 'UserPage', description: 'A page of users with the number of all matching users.' });

/** The connection between a user and an account at a provider, without its tokens. */
export const Connection = z
  .object({
    id: z.string(),
    user_id: z.string(),
    provider: ProviderName,
    provider_user_id: z.string(),
    region: z
      .string()
      .nullable()
      .describe('The region of the account, at a provider that keeps accounts of its regions apart.'),
    status: z.enum(['active', 'revoked', 'expired']).meta({ id: 'ConnectionState' }),
    scope: z.array(z.string()),
    created_at: Timestamp,
    updated_at: Timestamp,
    last_synced_at: Timestamp.nullable(),
    access_expires_at: Timestamp.nullable().describe(
      'When the current access token expires. It is renewed before, unless the provider issued no refresh token. Null without a token.',
    ),
    /** The user's privacy settings at the provider, by its own names; null until the provider sends some. */
    privacy: z.record(z.string(), z.string()).nullable(),
  })
  .meta({
    id: 'Connection',
    description: 'The connection between a user and an account at a provider. Its tokens are never returned.',
  });

/** The OAuth client of a project at a provider. The secret is encrypted and bound to the id; null: it was replaced or removed. */
export const StoredClient = z.object({
  id: z.string(),
  client_id: z.string(),
  client_secret: z.string().nullable(),
});

/** The tokens of a connection, encrypted. */
export const StoredTokens = z.object({
  connection_id: z.string(),
  status: Connection.shape.status,
  connected_at: Timestamp,
  version: z.int(),
  access_token: z.string().nullable(),
  refresh_token: z.string().nullable(),
  /** The refresh token before it, until the access token has worked. */
  previous_refresh_token: z.string().nullable(),
  expires_at: Timestamp.nullable(),
  /** The client that they were issued to. Null: that of the installation. */
  client: StoredClient.nullable(),
  /** The region of the account, whose addresses alone they are sent to. */
  region: z.string().nullable(),
});
export type User = z.infer<typeof User>;
export type UserPage = z.infer<typeof UserPage>;
export type Connection = z.infer<typeof Connection>;
export type StoredClient = z.infer<typeof StoredClient>;
export type StoredTokens = z.infer<typeof StoredTokens>;
