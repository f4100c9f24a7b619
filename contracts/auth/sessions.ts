import { z } from 'zod';
import { action, Nothing } from '../../domain/contract.ts';
import { CursorParameter, limitUpTo, pageOf } from '../../domain/page.ts';
import { TimeParameter } from '../../domain/time/time.ts';
import { Text, Timestamp, UserId } from '../../domain/wire.ts';
import { onUserErased } from '../lifecycle.ts';
import { Assertion, PasskeyOptions } from './passkeys.ts';
import {
  Admission,
  AppId,
  AppSecret,
  AuditActionName,
  AuditEntry,
  Developer,
  hashingTimeoutMs,
  LimitWindow,
  RefreshRequest,
  SecretHash,
  Tokens,
} from './schemas.ts';
import { Code } from './second-factor.ts';

/** The request is not counted in the window: uploads are limited by their bytes. */
const Uncounted = z.literal(true).optional();

/** The request only reads: without a primary it is admitted by the replica of DATABASE_READ_URL, if that is set. */
const ReadOnly = z.literal(true).optional();

/** The project that a developer names in the header X-Project. */
const Project = z.string().max(100).optional();

/** Admission of requests, the audit trail, and the erasure of a user. */
export const admissionActions = {
  audit: action({
    summary: 'List audit entries, newest first',
    description:
      'The audit trail records every change and every export of personal data. Filters can be combined: `user_id` (the user whose data it is), `actor` (in the form that entries have), `action`, and the times `start_time` (included) and `end_time` (excluded). An entry holds only ids, names of fields and counts, so it is kept when its user is erased.',
    params: z.object({
      user_id: UserId.optional().describe('Only entries about the data of this user.'),
      actor: Text.min(1)
        .max(200)
        .optional()
        .describe('Only entries of this actor, in the form that entries have (`admin:<id>`).'),
      action: AuditActionName.optional().describe('Only entries of this action.'),
      start_time: TimeParameter.optional().describe('Only entries at or after this time.'),
      end_time: TimeParameter.optional().describe('Only entries before this time.'),
      cursor: CursorParameter,
      limit: limitUpTo(100),
    }),
    returns: pageOf(AuditEntry).meta({ id: 'AuditPage' }),
    http: { method: 'GET', path: '/audit', access: 'audit', tag: 'Operations', userFilter: true },
  }),
  /**
   * Validates a credential and counts the request in its rate-limit window, with one SQL statement. An API key is passed
   * as the SHA-256 of its text in hex, as is the cookie of a console session; neither is ever sent over the bus.
   */
  admit: action({
    summary: 'Admit a credential and count the request',
    params: z.union([
      z.object({ api_key_hash: z.string().length(64), uncounted: Uncounted, read_only: ReadOnly }),
      z.object({ token: z.string().max(4096), project: Project, uncounted: Uncounted, read_only: ReadOnly }),
      z.object({ session_hash: SecretHash, project: Project, read_only: ReadOnly }),
    ]),
    returns: Admission,
    // A retry counts again: if a process dies during the call, the request may count twice, but it is never omitted.
    idempotent: true,
  }),
  /** For operators. `subject_id` is the id of an API key, a developer or a user; any other id is read as that of a user. */
  window: action({
    summary: 'Get what is left of a rate-limit window, without counting',
    params: z.object({ subject_id: z.uuid('must be a UUID') }),
    returns: LimitWindow,
    idempotent: true,
  }),
  /** Revokes all tokens and refresh tokens that read the user's data. */
  forgetUser: onUserErased('End all tokens of a user who is deleted'),
};

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
    timeoutMs: hashingTimeoutMs,
  }),
};

/** The time-out of actions that ask the identity provider: four requests of 5 s at most. */
const providerTimeoutMs = 25_000;

/**
 * Sessions of the console. The gateway makes their secrets and passes only the SHA-256 in hex, so that no secret is sent over
 * the bus.
 */
export const consoleSessionActions = {
  startSession: action({
    summary: 'Start a session of the console with a password',
    params: z.object({
      email: Text.max(320),
      password: z.string().max(1024),
      code: Code.optional(),
      session_hash: SecretHash,
    }),
    returns: Developer,
    timeoutMs: hashingTimeoutMs,
  }),
  startSessionByLink: action({
    summary: 'Start a session of the console with a sign-in link, which is valid once',
    params: z.object({ link_hash: SecretHash, session_hash: SecretHash }),
    returns: Developer,
  }),
  beginOidc: action({
    summary: 'Begin a sign-in with the provider of OIDC_ISSUER',
    params: z.object({ redirect_uri: z.url() }),
    returns: z.object({ url: z.string(), flow: z.string() }),
    timeoutMs: providerTimeoutMs,
  }),
  startSessionByOidc: action({
    summary: 'Start a session of the console at the end of a sign-in with the provider',
    params: z.object({
      query: z.string().max(8192),
      flow: z.string().max(4096).nullable(),
      session_hash: SecretHash,
    }),
    returns: Developer,
    timeoutMs: providerTimeoutMs,
  }),
  beginPasskeySignIn: action({
    summary: 'Begin a sign-in with a passkey',
    params: Nothing,
    returns: PasskeyOptions,
  }),
  startSessionByPasskey: action({
    summary: 'Start a session of the console with a passkey',
    params: z.object({
      credential: Assertion,
      challenge: z.string().max(100).nullable(),
      session_hash: SecretHash,
    }),
    returns: Developer,
  }),
  endSession: action({
    summary: 'End a session of the console',
    params: z.object({ session_hash: SecretHash }),
    returns: Nothing,
    idempotent: true,
  }),
  createSignInLink: action({
    summary: 'Create a link that signs a developer in once',
    params: z.object({ email: Text.max(320), link_hash: SecretHash }),
    returns: z.object({ expires_at: Timestamp }),
  }),
};
