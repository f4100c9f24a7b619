import { z } from 'zod';
import { action, contract } from '../domain/contract.ts';
import { BrowserAnswer, Text, Timestamp, UserId } from '../domain/wire.ts';
import { ProviderName } from '../providers/all.ts';
import { BackfillType } from './backfill.ts';
import { consentActions } from './connect/consents.ts';
import { ConnectReason, ConnectStatus } from './connect/schemas.ts';
import { sessionActions } from './connect/sessions.ts';
import { Ciphertext, RegionChoice } from './fields.ts';
import { Connection, StoredClient } from './users/schemas.ts';

/** A connection with the state that an application shows to its user. */
export const ConnectionStatus = Connection.extend({
  /** A sentence about why the connection does not work, or about its last error; null if there is none. */
  last_error: z.string().nullable(),
  /** The backfill of each data type; empty if none was started. */
  data_types: z.array(BackfillType),
}).meta({ id: 'ConnectionStatus' });

/** A pair of tokens, encrypted. */
const EncryptedTokens = z.object({
  access_token: Ciphertext,
  refresh_token: Ciphertext.nullable(),
  expires_at: Timestamp.nullable(),
});

// An invalid parameter that a provider appends to its redirect is ignored, so that it does not cause a 422.
const CallbackParameter = (most: number) => z.string().min(1).max(most).optional().catch(undefined);

/** The OAuth flow that connects a user to an account at a provider, and token revocation. */
export const connect = contract('connect', {
  authorize: action({
    summary: "Create a link to a provider's consent page",
    description:
      "Open `authorization_url` in the user's browser within 15 minutes; the link is valid once. Afterwards the browser is redirected to `redirect_uri`, which must be one of the configured addresses, with `status` (connected, denied, failed), `provider` and, unless connected, `reason`. Without `redirect_uri`, the browser shows a plain result page. Never give the link to another user: the account of whoever consents is connected to this user.",
    params: z.object({
      user_id: UserId,
      provider: ProviderName,
      redirect_uri: Text.min(1)
        .max(2048)
        .optional()
        .describe('The address that the browser is redirected to afterwards: one of CONNECT_REDIRECTS.'),
      region: RegionChoice,
    }),
    returns: z.object({ authorization_url: z.string(), state: z.string() }).meta({ id: 'AuthorizationLink' }),
    http: {
      method: 'GET',
      path: '/connect/:provider/authorize',
      access: 'connections.link',
      tag: 'Connections',
      audit: 'connection.authorization_started',
    },
    timeoutMs: 10_000,
    idempotent: false,
  }),
  callback: action({
    summary: 'Receive the browser after the consent page of a provider',
    params: z.object({
      provider: ProviderName,
      state: CallbackParameter(512).describe('The `state` of the link.'),
      code: CallbackParameter(4096).describe('The authorization code of the provider.'),
      error: CallbackParameter(512).describe('The error of the provider, if it issued no code.'),
      scope: CallbackParameter(4096).describe('The permissions that the user granted.'),
    }),
    returns: BrowserAnswer,
    http: {
      method: 'GET',
      path: '/connect/:provider/callback',
      access: 'public',
      tag: 'Connections',
      browser: true,
      audit: 'connection.created',
    },
    timeoutMs: 45_000,
    idempotent: false,
  }),
  result: action({
    summary: 'Show the result of a connection attempt',
    description: 'The result page of links without `redirect_uri`.',
    params: z.object({
      provider: ProviderName,
      status: ConnectStatus.meta({ description: 'The result of the attempt.', example: 'connected' }),
      reason: ConnectReason.optional().catch(undefined).describe('The reason why no connection was made.'),
    }),
    returns: BrowserAnswer,
    http: {
      method: 'GET',
      path: '/connect/:provider/result',
      access: 'public',
      tag: 'Connections',
      browser: true,
    },
  }),
  ...sessionActions,
  ...consentActions,
  status: action({
    summary: 'Get one connection with the state of its data types and its last error',
    params: z.object({ user_id: UserId, provider: ProviderName }),
    returns: ConnectionStatus,
    http: {
      method: 'GET',
      path: '/users/:user_id/connections/:provider',
      access: 'users.read',
      tag: 'Connections',
    },
  }),
  /**
   * Revokes our access at the provider. `done`: the provider confirmed it, or the access had already ended. Otherwise the
   * caller retries later, with `tokens` if they were refreshed.
   */
  revokeAccess: action({
    summary: 'Revoke our access to an account',
    params: EncryptedTokens.extend({
      connection_id: z.uuid(),
      provider: ProviderName,
      /** The client that the tokens were issued to; null: that of the installation. */
      client: StoredClient.nullable().default(null),
      provider_user_id: z.string(),
      region: z.string().nullable().default(null),
    }),
    returns: z.object({ done: z.boolean(), tokens: EncryptedTokens.nullable() }),
    timeoutMs: 20_000,
  }),
});

export type ConnectionStatus = z.infer<typeof ConnectionStatus>;
