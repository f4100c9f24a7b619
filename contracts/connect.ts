import { z } from 'zod';
import { action, contract, readers } from '../domain/contract.ts';
import { BrowserAnswer, Text, Timestamp, UserId } from '../domain/wire.ts';
import { ProviderName } from '../providers/all.ts';
import { AccessAnswer, AccessQuestion } from './access-check.ts';
import { BackfillType } from './backfill.ts';
import { Ciphertext } from './fields.ts';
import { Connection } from './users/schemas.ts';

/** How a way to the consent page ended. */
export const ConnectStatus = z.enum(['connected', 'denied', 'failed']).meta({ id: 'ConnectStatus' });

/** Why it did not end in a connection. */
export const ConnectReason = z
  .enum([
    'access_denied',
    'permission_missing',
    'link_expired',
    'provider_refused',
    'provider_unavailable',
    'user_gone',
    'unavailable',
  ])
  .meta({ id: 'ConnectReason' });

/** A connection with what an application can tell its owner about it; sentences are for a person. */
export const ConnectionStatus = Connection.extend({
  /** Why it does not work, or what went wrong last; null while all is well. */
  last_error: z.string().nullable(),
  /** How far the history of each data type is; empty where none was asked for. */
  data_types: z.array(BackfillType),
}).meta({ id: 'ConnectionStatus' });

/** A refreshed token pair as ciphertext. */
const SealedTokens = z.object({
  access_token: Ciphertext,
  refresh_token: Ciphertext.nullable(),
  expires_at: Timestamp.nullable(),
});

// Whatever a provider appends to its redirect must not end in an error of ours: what is not usable is not there.
const Appended = (most: number) => z.string().min(1).max(most).optional().catch(undefined);

/** From a user to a connected account at a provider, and the end of it. */
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
    }),
    returns: z.object({ authorization_url: z.string(), state: z.string() }).meta({ id: 'AuthorizationLink' }),
    http: {
      method: 'GET',
      path: '/connect/:provider/authorize',
      access: readers,
      tag: 'Connections',
      audit: 'connection.authorization_started',
    },
    timeoutMs: 10_000,
  }),
  callback: action({
    summary: 'Receive the browser after the consent page of a provider',
    params: z.object({
      provider: ProviderName,
      state: Appended(512).describe('The `state` of the link.'),
      code: Appended(4096).describe('The authorization code of the provider.'),
      error: Appended(512).describe('The error of the provider, if it issued no code.'),
      scope: Appended(4096).describe('The permissions that the user granted.'),
    }),
    returns: BrowserAnswer,
    http: {
      method: 'GET',
      path: '/connect/:provider/callback',
      access: ['public'],
      tag: 'Connections',
      browser: true,
      audit: 'connection.created',
    },
    timeoutMs: 45_000,
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
      access: ['public'],
      tag: 'Connections',
      browser: true,
    },
    idempotent: true,
  }),
  status: action({
    summary: 'Get one connection with the state of its data types and its last error',
    params: z.object({ user_id: UserId, provider: ProviderName }),
    returns: ConnectionStatus,
    http: {
      method: 'GET',
      path: '/users/:user_id/connections/:provider',
      access: readers,
      tag: 'Connections',
    },
    idempotent: true,
  }),
  /** Asks the device maker about one connection, also about one whose ending is unconfirmed. */
  checkAccess: action({
    summary: 'Ask the provider whether our access to an account is good',
    params: AccessQuestion,
    returns: AccessAnswer,
    timeoutMs: 30_000,
  }),
  /**
   * Tells a provider that we give up our access. `done`: it knows, or there is no access any more. Otherwise later
   * once more, with `tokens` where they were refreshed on the way.
   */
  deauthorize: action({
    summary: 'Give up our access to an account',
    params: SealedTokens.extend({ connection_id: z.uuid(), provider: ProviderName }),
    returns: z.object({ done: z.boolean(), tokens: SealedTokens.nullable() }),
    timeoutMs: 20_000,
  }),
});

export type ConnectReason = z.infer<typeof ConnectReason>;
export type ConnectStatus = z.infer<typeof ConnectStatus>;
export type ConnectionStatus = z.infer<typeof ConnectionStatus>;
