import { z } from 'zod';
import { action } from '../../domain/contract.ts';
import { TimeParameter } from '../../domain/time/time.ts';
import { Flag, Text, UserId } from '../../domain/wire.ts';
import { ProviderName } from '../../providers/all.ts';
import { Ciphertext, Scope } from '../fields.ts';
import { Connection } from './schemas.ts';

/** Connections of users to providers. */
export const connectionActions = {
  connections: action({
    summary: "List a user's connections to providers",
    params: z.object({ user_id: UserId }),
    returns: z.array(Connection),
    http: { method: 'GET', path: '/users/:user_id/connections', access: 'users.read', tag: 'Connections' },
    idempotent: true,
  }),
  connect: action({
    summary: 'Import an existing connection',
    description:
      'Returns 409 if the user has an active connection to the provider. A revoked or expired connection becomes active again under its id.',
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
