import { z } from 'zod';
import { action } from '../../domain/contract.ts';
import { TimeParameter } from '../../domain/time/time.ts';
import { Flag, Text, Timestamp, UserId } from '../../domain/wire.ts';
import { ProviderName } from '../../providers/all.ts';
import { Ciphertext, RegionChoice, Scope } from '../fields.ts';
import { Connection, StoredTokens } from './schemas.ts';

/** Connections of users to providers. */
export const connectionActions = {
  connections: action({
    summary: "List a user's connections to providers",
    params: z.object({ user_id: UserId }),
    returns: z.array(Connection),
    http: { method: 'GET', path: '/users/:user_id/connections', access: 'users.read', tag: 'Connections' },
  }),
  connect: action({
    summary: 'Import an existing connection',
    description:
      'Returns 409 if the user has an active connection to the provider. A revoked or expired connection becomes active again under its id. With a token, the data of the last 30 days is read at once, unless BACKFILL_ON_CONNECT is off; a backfill reads what is older.',
    params: z
      .object({
        user_id: UserId,
        provider: ProviderName,
        provider_user_id: Text.trim()
          .min(1)
          .max(255)
          .meta({ description: "The user's id at the provider.", example: 'account-1001' }),
        access_token: z
          .string()
          .min(1)
          .max(8192)
          .optional()
          .describe("The provider's access token. Without it, data is received but not requested."),
        refresh_token: z
          .string()
          .min(1)
          .max(8192)
          .optional()
          .describe(
            "The provider's refresh token. Without it, the connection expires with its access token.",
          ),
        expires_at: TimeParameter.optional().describe('The time at which the access token expires.'),
        scope: Scope.default([]).describe('The permissions that the user granted at the provider.'),
        region: RegionChoice,
      })
      .meta({ id: 'ImportConnectionRequest' }),
    returns: Connection,
    http: {
      method: 'POST',
      path: '/users/:user_id/connections',
      access: 'connections.write',
      status: 201,
      tag: 'Connections',
      idempotencyKey: true,
      audit: 'connection.created',
    },
  }),
  disconnect: action({
    summary: 'Revoke a connection and erase its tokens',
    description:
      'The access is revoked at the provider in the background, unless another user is connected to the same account. The data is kept. If `purge` is true, all data from this provider is hidden immediately and erased in the background; a later call with `purge` does so too.',
    params: z.object({
      user_id: UserId,
      provider: ProviderName,
      purge: Flag.describe('Also erases all data from this provider.'),
    }),
    returns: Connection,
    http: {
      method: 'DELETE',
      path: '/users/:user_id/connections/:provider',
      access: 'connections.write',
      tag: 'Connections',
      audit: 'connection.revoked',
    },
  }),
  /**
   * Creates, reactivates or updates a connection after the user's consent. Tokens are encrypted and bound to
   * `connection_id`, the id of the user's connection to the provider if there is one. @throws CONNECTION_EXISTS (409) if
   * the user's connection has another id, ACCOUNT_TAKEN (409) with `exclusive`
   */
  link: action({
    summary: "Connect an account after the user's consent",
    params: z.object({
      connection_id: z.uuid(),
      user_id: UserId,
      provider: ProviderName,
      provider_user_id: Text.min(1).max(255),
      access_token: Ciphertext,
      refresh_token: Ciphertext.nullable(),
      expires_at: TimeParameter.nullable(),
      scope: Scope,
      /** The client that the tokens were issued to; null: that of the installation. */
      provider_client_id: z.uuid().nullable().default(null),
      /** The region of the account. Null: the provider has none. */
      region: z.string().nullable().default(null),
      /** Refuse an account that is connected to another user. */
      exclusive: z.boolean().default(false),
    }),
    returns: Connection,
    idempotent: true,
    timeoutMs: 15_000,
  }),
  /** `status_reason` is the code of the reason for which the connection expired. */
  connection: action({
    summary: "Get one of a user's connections",
    params: z.object({ user_id: UserId, provider: ProviderName }),
    returns: Connection.extend({ status_reason: z.string().nullable() }),
    idempotent: true,
  }),
};

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

/** Look-up of accounts and changes that a provider reports, for the ingest services. */
export const providerEventActions = {
  /**
   * Returns the active connections of provider accounts; several users may share an account. Items of erased accounts are
   * removed from the delivery.
   */
  resolve: action({
    summary: 'Find the users behind provider accounts',
    params: z.object({
      provider: ProviderName,
      provider_user_ids: z.array(Text.max(255)).max(1000),
      delivery_id: z.uuid().optional(),
    }),
    returns: z.array(
      z.object({
        connection_id: z.string(),
        user_id: z.string(),
        provider_user_id: z.string(),
        connected_at: Timestamp,
      }),
    ),
    idempotent: true,
  }),
  /** Active connections of a provider with an id above `after`, in the order of their ids. */
  activeConnections: action({
    summary: 'List the active connections of a provider',
    params: z.object({
      provider: ProviderName,
      after: z.uuid().nullable(),
      limit: z.int().min(1).max(1000),
    }),
    returns: z.array(
      z.object({
        connection_id: z.string(),
        user_id: z.string(),
        connected_at: Timestamp,
        project_id: z.string(),
      }),
    ),
    idempotent: true,
  }),
  /**
   * The provider reported that a user ended our access to an account. Returns false if it had ended before. The provider's
   * own revocation is never called.
   */
  endByEvent: action({
    summary: 'End a connection as its provider reported',
    params: z.object({ connection_id: z.uuid(), user_id: UserId }),
    returns: z.object({ revoked: z.boolean() }),
  }),
  /** Sets `last_synced_at` of connections whose data a delivery stored. */
  synced: action({
    summary: 'Record that connections received data',
    params: z.object({ connection_ids: z.array(z.uuid()).max(1000) }),
    returns: z.object({ updated: z.int() }),
    idempotent: true,
  }),
  /** Users changed the permissions of accounts at the provider. An older change never overwrites a newer one. */
  changeScopes: action({
    summary: 'Change the permissions of connections',
    params: z.object({
      changes: z.array(z.object({ connection_id: z.uuid(), scope: Scope, changed_ms: z.int() })).max(1000),
    }),
    returns: z.object({ updated: z.int() }),
    idempotent: true,
  }),
  /** A user changed privacy settings at the provider. An older change never overwrites a newer one. */
  changePrivacy: action({
    summary: "Store a user's privacy settings at the provider",
    params: z.object({
      connection_id: z.uuid(),
      privacy: z.record(Text.max(100), Text.max(500)),
      changed_ms: z.int(),
    }),
    returns: z.object({ updated: z.boolean() }),
    idempotent: true,
  }),
};
