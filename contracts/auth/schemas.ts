import { z } from 'zod';
import { roles } from '../../domain/access.ts';
import { auditActions } from '../../domain/audit.ts';
import { Text, Timestamp } from '../../domain/wire.ts';
import { KeyScope } from '../fields.ts';
import { EndpointOfKey } from '../webhooks/schemas.ts';

/** A pair of tokens. */
export const RefreshRequest = z
  .object({
    refresh_token: z
      .string()
      .min(1)
      .max(200)
      .meta({ description: 'The `refresh_token` of the latest response.', example: 'rt-00000000' }),
  })
  .meta({ id: 'RefreshRequest' });

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

/** A developer account: it manages API keys, applications and other accounts. */
export const Developer = z
  .object({
    id: z.string(),
    email: z.string(),
    created_at: Timestamp,
    is_owner: z.boolean().describe('Whether the account owns the installation: it has every permission.'),
    is_confirmed: z
      .boolean()
      .describe(
        'Whether a link by e-mail, the identity provider or an owner confirmed the address. An account without it joins no further project.',
      ),
  })
  .meta({ id: 'Developer', description: 'An account of a person who develops or operates.' });

const keyLimits = {
  scopes: z.array(KeyScope).nullable().describe('What the key may do; several add up. Null: everything.'),
  expires_at: Timestamp.nullable().describe('When it ends by itself. Null: never.'),
  addresses: z
    .array(z.string())
    .nullable()
    .describe('The addresses and ranges that it may be used from. Null: any.'),
};

/** An API key without its value. */
export const ApiKey = z
  .object({
    id: z.string(),
    name: z.string(),
    created_by: z.string(),
    created_at: Timestamp,
    last_used_at: Timestamp.nullable(),
    former_ids: z.array(z.string()),
    ...keyLimits,
  })
  .meta({
    id: 'ApiKey',
    description: 'An API key without its value. `former_ids` are the ids that it had before rotations.',
  });

/** A deleted key with the webhook endpoints whose address it set. */
export const DeletedApiKey = ApiKey.extend({ webhook_endpoints: z.array(EndpointOfKey).nullable() }).meta({
  id: 'DeletedApiKey',
  description:
    'A deleted API key with the webhook endpoints whose `url` it set. Null if they could not be reached: they are disabled as soon as they can be.',
});

/** An API key with its value, which is returned by its creation and by its rotation only. */
export const NewApiKey = ApiKey.extend({ key: z.string() }).meta({
  id: 'NewApiKey',
  description: 'An API key with its value, which no later response contains.',
});

/** A mobile or web application that obtains tokens for its users. */
export const Application = z
  .object({
    id: z.string(),
    app_id: z.string(),
    name: z.string(),
    created_at: Timestamp,
  })
  .meta({ id: 'Application', description: 'A mobile or web application that obtains tokens for its users.' });

/** An application with its secret, which is returned by its creation and by its rotation only. */
export const NewApplication = Application.extend({ app_secret: z.string() }).meta({
  id: 'NewApplication',
  description: 'An application with its secret, which no later response contains.',
});

/** The name of an action of the audit trail. */
export const AuditActionName = z.enum(Object.keys(auditActions)).meta({ id: 'AuditAction' });

/**
 * A change, or an export of personal data. `actor` is `admin:{developer_id}`, `api_key:{key_id}`, `app:{app_id}`,
 * `user:{user_id}`, `webhook:{provider}`, `consent:{provider}` (the user, on the consent page) or `system:{service}`.
 * It is null if the request had no credential. `details` contains ids, names of fields and counts.
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

/** The holder of a credential. */
export const Caller = z.object({
  kind: z.enum(['api-key', 'developer', 'sdk']),
  /** The id of the key, the developer or the token family. It is not secret; logs and audit entries contain it. */
  id: z.string(),
  developer_id: z.string().nullable(),
  user_id: z.string().nullable(),
  /** The project of the request; null for a developer who named none that exists, or none of several. */
  project_id: z.string().nullable(),
  /** The project requires a second factor, which the session of the developer lacks. */
  lacks_second_factor: z.literal(true).optional(),
  /** The role of a developer in the project. */
  role: z.enum(['owner', ...roles]).nullable(),
  /** The scopes of an API key or of the token of an embedded page; null for all. */
  scopes: z.array(KeyScope).nullable(),
});

/** The answer of `auth.admit`. `caller` is null if the credential is invalid; `reset` is in Unix seconds. */
export const Admission = z.object({
  caller: Caller.nullable(),
  /** The address ranges that an API key may be used from; null for any. */
  addresses: z.array(z.string()).nullable(),
  allowed: z.boolean(),
  limit: z.int(),
  remaining: z.int(),
  reset: z.int(),
});

/** The current rate-limit window (a minute) of a key, a developer or a user; `reset_at` is null if there is none. */
export const LimitWindow = z.object({
  kind: Caller.shape.kind,
  limit: z.int(),
  used: z.int(),
  remaining: z.int(),
  reset_at: Timestamp.nullable(),
});
/** The id of an account in a path. */
export const DeveloperId = z
  .uuid('must be a UUID')
  .describe('The `id` of a developer account, from `GET /developers`.');

/** The SHA-256 of a secret, in hex. */
export const SecretHash = z.string().regex(/^[0-9a-f]{64}$/);
/** The id of an API key, or the key itself. */
export const KeyId = z.string().min(1).max(100).describe('The `id` of an API key, or the key itself.');

/** The public id of an application. */
export const AppId = Text.min(1).max(100).describe('The `app_id` of an application.');

/** The secret of an application. */
export const AppSecret = z.string().max(200).describe('The `app_secret` of the application.');

/** The time-out of actions that hash a password: two are hashed at a time, 0.1 s each, so 100 at once take 6 s. */
export const hashingTimeoutMs = 20_000;

export type Tokens = z.infer<typeof Tokens>;
export type AuditEntry = z.infer<typeof AuditEntry>;
export type Developer = z.infer<typeof Developer>;
export type ApiKey = z.infer<typeof ApiKey>;
export type DeletedApiKey = z.infer<typeof DeletedApiKey>;
export type NewApiKey = z.infer<typeof NewApiKey>;
export type Application = z.infer<typeof Application>;
export type NewApplication = z.infer<typeof NewApplication>;
export type Caller = z.infer<typeof Caller>;
export type Admission = z.infer<typeof Admission>;
export type LimitWindow = z.infer<typeof LimitWindow>;
