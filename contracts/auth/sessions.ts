import { z } from 'zod';
import { action, Nothing } from '../../domain/contract.ts';
import { Text, UserId } from '../../domain/wire.ts';
import { AppId, AppSecret, hashingTimeoutMs, RefreshRequest, Tokens } from './schemas.ts';
import { Code } from './second-factor.ts';

/** Start, renewal and end of sessions. */
export const sessionActions = {
  login: action({
    summary: 'Log in as a developer',
    description:
      'Takes JSON `{email, password}`, or a form with `username` and `password`. An account with an authenticator needs a `code` too: without one the response to the right password is 401 with the code `SECOND_FACTOR_REQUIRED`. An account with passkeys and no authenticator signs in to the console only: the response is 401 with the code `PASSKEY_REQUIRED`.',
    params: z
      .object({
        email: Text.max(320)
          .optional()
          .meta({ description: 'The e-mail address of the account.', example: 'developer@example.com' }),
        username: Text.max(320).optional().describe('Synonym of `email`, as OAuth forms name it.'),
        password: z.string().max(1024).meta({
          description: 'The password. `npm start` prints the password of the first account.',
          example: 'correct horse battery staple',
        }),
        code: Code.optional(),
      })
      .refine(({ email, username }) => (email ?? username) !== undefined, {
        path: ['email'],
        error: 'is required',
      })
      .meta({ id: 'LoginRequest' }),
    returns: Tokens,
    http: {
      method: 'POST',
      path: '/auth/login',
      access: 'public',
      tag: 'Accounts',
      form: true,
      countFailures: true,
      audit: 'developer.logged_in',
      failures: ['SECOND_FACTOR_REQUIRED', 'PASSKEY_REQUIRED'],
    },
    timeoutMs: hashingTimeoutMs,
  }),
  refresh: action({
    summary: 'Exchange a refresh token for new tokens',
    description:
      'A refresh token is valid once. A second use revokes all tokens of the same session, unless the same client (network address and User-Agent) repeats its request within 10 seconds: such a request is 401 and ends nothing.',
    params: RefreshRequest,
    returns: Tokens,
    http: {
      method: 'POST',
      path: '/auth/refresh',
      access: 'public',
      tag: 'Tokens',
      countFailures: true,
      audit: { none: 'The tokens belong to a family that has an entry of its start.' },
    },
  }),
  /** For a service that checked a code which a user was given. Without a developer the family belongs to the user alone. */
  issueForCode: action({
    summary: 'Issue tokens of a user who entered a valid code',
    params: z.object({ user_id: UserId, developer_id: z.uuid().nullable() }),
    returns: Tokens,
  }),
  revoke: action({
    summary: 'End a session: revoke a token and all tokens of the same session',
    description:
      'Implements RFC 7009 for JSON and form bodies. `token` is an access token or a refresh token; its holder may revoke it. A session consists of all tokens that derive from one log-in or from one issued token. They are invalid when the response arrives. An unknown or expired token returns 200 too. An application that authenticates (`app_id` and `app_secret`, or `client_id` and `client_secret`) can revoke tokens that it obtained; the tokens of others return 403.',
    params: z
      .object({
        token: z
          .string()
          .min(1)
          .max(4096)
          .meta({ description: 'An access token or a refresh token.', example: 'rt-00000000' }),
        token_type_hint: z.string().max(100).optional().describe('Accepted and ignored.'),
        app_id: AppId.optional(),
        app_secret: AppSecret.optional(),
        client_id: AppId.optional().describe('Synonym of `app_id`, as OAuth names it.'),
        client_secret: AppSecret.optional().describe('Synonym of `app_secret`, as OAuth names it.'),
      })
      .meta({ id: 'RevokeRequest' }),
    returns: Nothing,
    http: {
      method: 'POST',
      path: '/auth/revoke',
      access: 'public',
      tag: 'Tokens',
      form: true,
      audit: 'token.revoked',
    },
  }),
};
