import { z } from 'zod';
import { auditActions } from '../domain/audit.ts';
import { action, contract, Nothing } from '../domain/contract.ts';
import { CursorParameter, limitUpTo, pageOf } from '../domain/page.ts';
import { TimeParameter } from '../domain/time.ts';
import { Text, Timestamp, UserId } from '../domain/wire.ts';

const Title = Text.trim().min(1, 'must not be empty').max(100, 'must be at most 100 characters');
const Email = z.email('must be a valid e-mail address').max(320);
const Password = z.string().min(10, 'must have at least 10 characters').max(1024);
const developer = ['developer'] as const;
const passwordRules =
  'A password has at least 10 characters. Common passwords are rejected, also with digits or symbols around them. Repetitions, sequences, and passwords that contain the e-mail address or the part of it before the @ are rejected too.';

// Passwords are hashed two at a time, 0.1 s each: 100 log-ins at once take turns for 6 s.
const hashingTimeoutMs = 20_000;

/** Tokens as they are handed out. */
export const Tokens = z
  .object({
    access_token: z.string(),
    token_type: z.literal('bearer'),
    expires_in: z.int(),
    refresh_token: z.string(),
  })
  .meta({
    id: 'Tokens',
    description: 'A pair of tokens. `expires_in` is the lifetime of the access token in seconds.',
  });

/** An account that may manage keys, applications and other accounts. */
export const Developer = z.object({ id: z.string(), email: z.string(), created_at: Timestamp }).meta({
  id: 'Developer',
  description: 'An account that manages API keys, applications and other accounts.',
});

/** What is shown of an API key after its creation. */
export const ApiKey = z
  .object({
    id: z.string(),
    name: z.string(),
    created_by: z.string(),
    created_at: Timestamp,
    last_used_at: Timestamp.nullable(),
  })
  .meta({ id: 'ApiKey', description: 'An API key without its value.' });

/** An API key with its secret value, shown once: at creation and at rotation. */
export const NewApiKey = ApiKey.extend({ key: z.string() }).meta({
  id: 'NewApiKey',
  description: 'An API key with its value, which no later response contains.',
});

/** A mobile or web application that may obtain tokens for its users. */
export const Application = z
  .object({
    id: z.string(),
    app_id: z.string(),
    name: z.string(),
    created_at: Timestamp,
  })
  .meta({ id: 'Application', description: 'A mobile or web application that obtains tokens for its users.' });

/** An application with its secret, shown once. */
export const NewApplication = Application.extend({ app_secret: z.string() }).meta({
  id: 'NewApplication',
  description: 'An application with its secret, which no later response contains.',
});

/** The name of an action of the audit trail. */
export const AuditActionName = z.enum(Object.keys(auditActions)).meta({ id: 'AuditAction' });

/**
 * A change, or an export of personal data. `actor` is `admin:{developer_id}`, `api_key:{key_id}`, `app:{app_id}`,
 * `user:{user_id}`, `webhook:{provider}`, `consent:{provider}` (the owner of an account, on the consent page) or
 * `system:{service}`, and null where nobody was logged in. `details` holds ids, names of fields and counts.
 */
export const AuditEntry = z
  .object({
    id: z.string(),
    at: Timestamp,
    actor: z.string().nullable(),
    action: AuditActionName,
    subject_id: z.string().nullable(),
    subject_name: z.string().nullable(),
    user_id: z.string().nullable(),
    request_id: z.string().nullable(),
    details: z.record(z.string(), z.unknown()).nullable(),
  })
  .meta({ id: 'AuditEntry' });

/** Whose a credential is. */
export const Caller = z.object({
  kind: z.enum(['api-key', 'developer', 'sdk']),
  /** The key's, developer's or token family's id: for logs and the audit, no secret. */
  id: z.string(),
  developer_id: z.string().nullable(),
  user_id: z.string().nullable(),
});

/** What `auth.admit` found: null for the caller where the credential is not alive; `reset` in Unix seconds. */
export const Admission = z.object({
  caller: Caller.nullable(),
  allowed: z.boolean(),
  limit: z.int(),
  remaining: z.int(),
  reset: z.int(),
});

/** The running minute of a key, a developer or a user; `reset_at` is null where none runs. */
export const LimitWindow = z.object({
  kind: Caller.shape.kind,
  limit: z.int(),
  used: z.int(),
  remaining: z.int(),
  reset_at: Timestamp.nullable(),
});

/** A key's id, or the key itself. */
const KeyId = z.string().min(1).max(100).describe('The `id` of an API key, or the key itself.');
const AppId = Text.min(1).max(100).describe('The `app_id` of an application.');
const AppSecret = z.string().max(200).describe('The `app_secret` of the application.');

/** Developers, API keys, applications, tokens, and who may come in. */
export const auth = contract('auth', {
  login: action({
    summary: 'Log in as a developer',
    description: 'Takes JSON `{email, password}`, or a form with `username` and `password`.',
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
      access: ['public'],
      tag: 'Accounts',
      form: true,
      countFailures: true,
      audit: 'developer.logged_in',
    },
    timeoutMs: hashingTimeoutMs,
  }),
  refresh: action({
    summary: 'Exchange a refresh token for new tokens',
    description:
      'A refresh token is valid once. A second use more than 10 seconds after the first revokes all tokens of the same session.',
    params: z
      .object({
        refresh_token: z
          .string()
          .min(1)
          .max(200)
          .meta({ description: 'The `refresh_token` of the latest response.', example: 'rt-00000000' }),
      })
      .meta({ id: 'RefreshRequest' }),
    returns: Tokens,
    http: {
      method: 'POST',
      path: '/auth/refresh',
      access: ['public'],
      tag: 'Tokens',
      countFailures: true,
      audit: { none: 'The tokens belong to a family that has an entry of its start.' },
    },
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
      access: ['public'],
      tag: 'Tokens',
      form: true,
      audit: 'token.revoked',
    },
  }),
  me: action({
    summary: 'Get the current developer',
    params: Nothing,
    returns: Developer,
    http: { method: 'GET', path: '/auth/me', access: developer, tag: 'Accounts' },
    idempotent: true,
  }),
  changePassword: action({
    summary: 'Change your password and end all other sessions',
    description: passwordRules,
    params: z
      .object({
        current_password: z
          .string()
          .max(1024)
          .meta({ description: 'The current password.', example: 'correct horse battery staple' }),
        new_password: Password.meta({
          description: 'The new password.',
          example: 'purple lamps over quiet water',
        }),
      })
      .meta({ id: 'ChangePasswordRequest' }),
    returns: Developer,
    http: {
      method: 'POST',
      path: '/auth/change-password',
      access: developer,
      tag: 'Accounts',
      audit: 'developer.password_changed',
    },
    timeoutMs: hashingTimeoutMs,
  }),
  createDeveloper: action({
    summary: 'Create a developer account',
    description: passwordRules,
    params: z
      .object({
        email: Email.meta({
          description: 'The e-mail address that the developer logs in with.',
          example: 'grace@example.com',
        }),
        password: Password.meta({
          description: 'The initial password. The developer can change it.',
          example: 'purple lamps over quiet water',
        }),
      })
      .meta({ id: 'CreateDeveloperRequest' }),
    returns: Developer,
    http: {
      method: 'POST',
      path: '/developers',
      access: developer,
      status: 201,
      tag: 'Accounts',
      idempotencyKey: true,
      audit: 'developer.created',
    },
    timeoutMs: hashingTimeoutMs,
  }),
  listDevelopers: action({
    summary: 'List developer accounts',
    params: Nothing,
    returns: z.array(Developer),
    http: { method: 'GET', path: '/developers', access: developer, tag: 'Accounts' },
    idempotent: true,
  }),
  removeDeveloper: action({
    summary: 'Delete a developer account and keep its API keys',
    params: z.object({
      developer_id: z
        .uuid('must be a UUID')
        .describe('The `id` of a developer account, from `GET /developers`.'),
    }),
    returns: Developer,
    http: {
      method: 'DELETE',
      path: '/developers/:developer_id',
      access: developer,
      tag: 'Accounts',
      audit: 'developer.deleted',
    },
  }),
  createKey: action({
    summary: 'Create an API key; only this response contains the key',
    params: z
      .object({
        name: Title.default('Default').meta({
          description: 'A name that describes the use of the key.',
          example: 'My backend',
        }),
      })
      .meta({ id: 'CreateApiKeyRequest' }),
    returns: NewApiKey,
    http: {
      method: 'POST',
      path: '/api-keys',
      access: developer,
      status: 201,
      tag: 'API keys',
      bodyOptional: true,
      idempotencyKey: true,
      audit: 'api_key.created',
    },
  }),
  listKeys: action({
    summary: 'List API keys, without their values',
    params: Nothing,
    returns: z.array(ApiKey),
    http: { method: 'GET', path: '/api-keys', access: developer, tag: 'API keys' },
    idempotent: true,
  }),
  renameKey: action({
    summary: 'Rename an API key',
    params: z
      .object({
        key_id: KeyId,
        name: Title.meta({ description: 'The new name.', example: 'My other backend' }),
      })
      .meta({ id: 'RenameApiKeyRequest' }),
    returns: ApiKey,
    http: {
      method: 'PATCH',
      path: '/api-keys/:key_id',
      access: developer,
      tag: 'API keys',
      audit: 'api_key.renamed',
    },
  }),
  rotateKey: action({
    summary: 'Rotate an API key; the old key is invalid when the response arrives',
    params: z.object({ key_id: KeyId }),
    returns: NewApiKey,
    http: {
      method: 'POST',
      path: '/api-keys/:key_id/rotate',
      access: developer,
      status: 201,
      tag: 'API keys',
      bodyOptional: true,
      audit: 'api_key.rotated',
    },
  }),
  removeKey: action({
    summary: 'Delete an API key',
    params: z.object({ key_id: KeyId }),
    returns: ApiKey,
    http: {
      method: 'DELETE',
      path: '/api-keys/:key_id',
      access: developer,
      tag: 'API keys',
      audit: 'api_key.deleted',
    },
  }),
  createApplication: action({
    summary: 'Create an application; only this response contains its secret',
    params: z
      .object({
        name: Title.meta({ description: 'The name of the application.', example: 'My mobile app' }),
      })
      .meta({ id: 'CreateApplicationRequest' }),
    returns: NewApplication,
    http: {
      method: 'POST',
      path: '/applications',
      access: developer,
      status: 201,
      tag: 'Applications',
      idempotencyKey: true,
      audit: 'application.created',
    },
  }),
  listApplications: action({
    summary: 'List applications',
    params: Nothing,
    returns: z.array(Application),
    http: { method: 'GET', path: '/applications', access: developer, tag: 'Applications' },
    idempotent: true,
  }),
  renameApplication: action({
    summary: 'Rename an application',
    params: z
      .object({
        app_id: AppId,
        name: Title.meta({ description: 'The new name.', example: 'My web app' }),
      })
      .meta({ id: 'RenameApplicationRequest' }),
    returns: Application,
    http: {
      method: 'PATCH',
      path: '/applications/:app_id',
      access: developer,
      tag: 'Applications',
      audit: 'application.renamed',
    },
  }),
  removeApplication: action({
    summary: 'Delete an application and revoke the tokens that it obtained',
    params: z.object({ app_id: AppId }),
    returns: Application,
    http: {
      method: 'DELETE',
      path: '/applications/:app_id',
      access: developer,
      tag: 'Applications',
      audit: 'application.deleted',
    },
  }),
  rotateSecret: action({
    summary: "Rotate an application's secret and revoke the tokens that it obtained",
    params: z.object({ app_id: AppId }),
    returns: NewApplication,
    http: {
      method: 'POST',
      path: '/applications/:app_id/rotate-secret',
      access: developer,
      tag: 'Applications',
      bodyOptional: true,
      audit: 'application.secret_rotated',
    },
  }),
  issueToken: action({
    summary: "Issue a token that reads one user's data",
    description:
      "Takes an application's `app_id` and `app_secret` in the body, or a developer's token and no body.",
    params: z
      .object({
        user_id: UserId,
        app_id: AppId.optional(),
        app_secret: AppSecret.optional(),
      })
      .meta({ id: 'IssueTokenRequest' }),
    returns: Tokens,
    http: {
      method: 'POST',
      path: '/users/:user_id/token',
      access: ['public', 'developer'],
      tag: 'Tokens',
      bodyOptional: true,
      countFailures: true,
      audit: 'token.issued',
    },
  }),
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
    http: { method: 'GET', path: '/audit', access: developer, tag: 'Operations' },
    idempotent: true,
  }),
  /**
   * One call and one statement a request: is this credential alive, whose is it, what is left of its window.
   * An API key comes as the SHA-256 of its text, in hex; the key itself never crosses the bus.
   */
  admit: action({
    summary: 'Admit a credential and count the request',
    params: z.union([
      z.object({ api_key_hash: z.string().length(64) }),
      z.object({ token: z.string().max(4096) }),
    ]),
    returns: Admission,
    // Counted again when it is tried again: a request that met a dying process may count twice, never not at all.
    idempotent: true,
  }),
  /** For operators: `subject_id` is an API key's, a developer's or a user's id; any other is a user without a window. */
  window: action({
    summary: 'What is left of a window, without counting',
    params: z.object({ subject_id: z.uuid('must be a UUID') }),
    returns: LimitWindow,
    idempotent: true,
  }),
  /** Everything that can read this user's data ends: their tokens and refresh tokens. */
  forgetUser: action({
    summary: 'End all tokens of a user who is deleted',
    params: z.object({ user_id: UserId }),
    returns: z.object({ ended: z.int() }),
    idempotent: true,
    on: ['userErased'],
  }),
});

export type Tokens = z.infer<typeof Tokens>;
export type AuditEntry = z.infer<typeof AuditEntry>;
export type Developer = z.infer<typeof Developer>;
export type ApiKey = z.infer<typeof ApiKey>;
export type NewApiKey = z.infer<typeof NewApiKey>;
export type Application = z.infer<typeof Application>;
export type NewApplication = z.infer<typeof NewApplication>;
export type Caller = z.infer<typeof Caller>;
export type Admission = z.infer<typeof Admission>;
export type LimitWindow = z.infer<typeof LimitWindow>;
