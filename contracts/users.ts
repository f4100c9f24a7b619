import { z } from 'zod';
import { action, contract } from '../domain/contract.ts';
import { limitUpTo } from '../domain/page.ts';
import { TimeParameter } from '../domain/time.ts';
import { Flag, SortOrder, Text, Timestamp, UserId } from '../domain/wire.ts';
import { ProviderName } from '../providers/all.ts';

const Name = Text.trim().max(100, 'must be at most 100 characters').nullable();
const Email = z.email('must be a valid e-mail address').max(320).nullable();
const Scope = z.array(Text.min(1).max(100)).max(100);
const ExternalUserId = Text.trim().min(1).max(255).nullable();

const UserFields = z.object({
  first_name: Name.optional().meta({ description: 'At most 100 characters.', example: 'Ada' }),
  last_name: Name.optional().meta({ description: 'At most 100 characters.', example: 'Jones' }),
  email: Email.optional().meta({
    description: 'An e-mail address. Several users may share it.',
    example: 'ada@example.com',
  }),
  external_user_id: ExternalUserId.optional().describe(
    "The user's id in your own system. It is unique among users.",
  ),
});

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
const TokenVersion = { connection_id: z.uuid(), version: z.int() };
const Ciphertext = z.string().min(1).max(16_384);

const readers = ['api-key', 'developer', 'sdk'] as const;
const writers = ['api-key', 'developer'] as const;

/** People and their links to providers. */
export const users = contract('users', {
  create: action({
    summary: 'Create a user',
    params: UserFields.meta({ id: 'UserFields' }),
    returns: User,
    http: {
      method: 'POST',
      path: '/users',
      access: writers,
      status: 201,
      tag: 'Users',
      idempotencyKey: true,
      audit: 'user.created',
    },
  }),
  list: action({
    summary: 'List users, page by page',
    description:
      '`search` finds a literal text in names, e-mail address and external id, ignoring case. Names and addresses are sorted ignoring case, then by id. Users without a value come last (ascending) or first (descending). Pages are counted from the start of the list. While users are added, the order oldest first neither repeats nor omits a user.',
    params: z.object({
      page: z.coerce
        .number()
        .pipe(z.int().min(1).max(1_000_000))
        .default(1)
        .describe('Page number, starting with 1.'),
      limit: limitUpTo(100, 20),
      sort_by: z
        .enum(['created_at', 'email', 'first_name', 'last_name'])
        .default('created_at')
        .describe('The field that the list is sorted by.'),
      sort_order: SortOrder.default('desc'),
      search: Text.max(200)
        .optional()
        .describe(
          'Only users with this text in a name, the e-mail address or the external id, ignoring case.',
        ),
      email: Text.max(320).optional().describe('Only users with this e-mail address.'),
      external_user_id: Text.max(255).optional().describe('Only the user with this external id.'),
    }),
    returns: UserPage,
    http: { method: 'GET', path: '/users', access: writers, tag: 'Users', audit: 'user.read' },
    idempotent: true,
  }),
  get: action({
    summary: 'Get one user',
    params: z.object({ user_id: UserId }),
    returns: User,
    http: { method: 'GET', path: '/users/:user_id', access: readers, tag: 'Users' },
    idempotent: true,
  }),
  update: action({
    summary: 'Update a user; omitted fields are unchanged',
    params: UserFields.extend({ user_id: UserId }).meta({ id: 'UserFields' }),
    returns: User,
    http: { method: 'PATCH', path: '/users/:user_id', access: writers, tag: 'Users', audit: 'user.updated' },
  }),
  remove: action({
    summary: 'Delete a user and all their data',
    description: 'The user is deleted when the response arrives. Their data is erased in the background.',
    params: z.object({ user_id: UserId }),
    returns: User,
    http: { method: 'DELETE', path: '/users/:user_id', access: writers, tag: 'Users', audit: 'user.deleted' },
    timeoutMs: 10_000,
  }),
  connections: action({
    summary: "List a user's connections to providers",
    params: z.object({ user_id: UserId }),
    returns: z.array(Connection),
    http: { method: 'GET', path: '/users/:user_id/connections', access: readers, tag: 'Connections' },
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
      access: writers,
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
      access: writers,
      tag: 'Connections',
      audit: 'connection.revoked',
    },
  }),
  /**
   * A link that its owner has just consented to: made, revived, or brought up to date. Tokens are ciphertext bound to
   * `connection_id`, which is the user's own where there is one. @throws CONNECTION_EXISTS (409) where it is another
   */
  link: action({
    summary: "Link an account with its owner's consent",
    params: z.object({
      connection_id: z.uuid(),
      user_id: UserId,
      provider: ProviderName,
      provider_user_id: Text.min(1).max(255),
      access_token: Ciphertext,
      refresh_token: Ciphertext.nullable(),
      expires_at: TimeParameter.nullable(),
      scope: Scope,
    }),
    returns: Connection,
    idempotent: true,
    timeoutMs: 15_000,
  }),
  /** `status_reason` is the code of why a connection expired. */
  connection: action({
    summary: "One of a user's connections",
    params: z.object({ user_id: UserId, provider: ProviderName }),
    returns: Connection.extend({ status_reason: z.string().nullable() }),
    idempotent: true,
  }),
  /**
   * Active connections of provider accounts, for the ingest services; several users may share an account. With `hold`,
   * `delivery` is kept for accounts whose ending is unconfirmed: it is replayed if the ending turns out to be untrue.
   * Items of accounts whose data was erased are taken out of it.
   */
  resolve: action({
    summary: 'Find the users behind provider accounts',
    params: z.object({
      provider: ProviderName,
      provider_user_ids: z.array(Text.max(255)).max(1000),
      delivery: z
        .object({ id: z.uuid(), authenticated: z.boolean(), hold: z.boolean().default(true) })
        .optional(),
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
  /**
   * The provider reported that the owner of an account ended our access. Authenticated, it is final. Otherwise the
   * connection is revoked and keeps its tokens until a read at the provider confirms or contradicts the report
   * (`revoked`), or, where too many such reports came, nothing changes before that read (`checked_first`).
   * `outdated`: the provider has confirmed our access since the report came. Nothing is revoked at the provider.
   */
  endByEvent: action({
    summary: 'End a connection as its provider reported',
    params: z.object({
      connection_id: z.uuid(),
      user_id: UserId,
      authenticated: z.boolean(),
      received_ms: z.int(),
    }),
    returns: z.object({ outcome: z.enum(['revoked', 'checked_first', 'outdated', 'gone']) }),
  }),
  /** A delivery stored data of these connections: `last_synced_at` becomes now. */
  synced: action({
    summary: 'Note that connections received data',
    params: z.object({ connection_ids: z.array(z.uuid()).max(1000) }),
    returns: z.object({ updated: z.int() }),
    idempotent: true,
  }),
  /**
   * The owners of accounts changed what we may read; an older change never overwrites a newer one. Changes that nobody
   * authenticated are followed by a read of the permissions at the provider, which decides.
   */
  changeScopes: action({
    summary: 'Change what connections may read',
    params: z.object({
      changes: z.array(z.object({ connection_id: z.uuid(), scope: Scope, changed_ms: z.int() })).max(1000),
      authenticated: z.boolean().default(true),
    }),
    returns: z.object({ updated: z.int() }),
    idempotent: true,
  }),
  /** The owner of an account changed settings of their privacy; an older change never overwrites a newer one. */
  changePrivacy: action({
    summary: 'Keep what the owner of an account said of their privacy',
    params: z.object({
      connection_id: z.uuid(),
      privacy: z.record(Text.max(100), Text.max(500)),
      changed_ms: z.int(),
    }),
    returns: z.object({ updated: z.boolean() }),
    idempotent: true,
  }),
  /** A connection's tokens as ciphertext bound to its id; `version` changes with every change of them. */
  tokens: action({
    summary: "Hand over a connection's encrypted tokens",
    params: z.object({ user_id: UserId, provider: ProviderName }),
    returns: StoredTokens,
    idempotent: true,
  }),
  /** The right to refresh tokens of this version, for `lease_ms`: one holder at a time, whatever process it is in. */
  leaseRefresh: action({
    summary: 'Lease the refresh of a connection',
    params: z.object({ ...TokenVersion, lease_ms: z.int().min(1).max(300_000) }),
    returns: z.object({ leased: z.boolean() }),
  }),
  releaseRefresh: action({
    summary: 'Give the lease back: the refresh failed for now',
    params: z.object(TokenVersion),
    returns: z.object({ released: z.boolean() }),
    idempotent: true,
  }),
  /** Replaces tokens, if they are still of this version; a refresh token of null keeps the one that is there. */
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
  /** The provider refused tokens of this version for good: the connection is expired, they are erased. */
  expire: action({
    summary: 'Expire a connection whose tokens are dead',
    params: z.object({ ...TokenVersion, reason: Text.min(1).max(100) }),
    returns: z.object({ expired: z.boolean() }),
    idempotent: true,
  }),
});

export type User = z.infer<typeof User>;
export type UserPage = z.infer<typeof UserPage>;
export type Connection = z.infer<typeof Connection>;
export type StoredTokens = z.infer<typeof StoredTokens>;
