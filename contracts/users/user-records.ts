import { z } from 'zod';
import { action } from '../../domain/contract.ts';
import { limitUpTo } from '../../domain/page.ts';
import { FlagOrAny, SortOrder, Text, UserId } from '../../domain/wire.ts';
import { ProviderName } from '../../providers/all.ts';
import { Email, Name, ProjectId, TimeZone } from '../fields.ts';
import { Connection, User, UserPage } from './schemas.ts';

const ExternalUserId = Text.trim().min(1).max(255).nullable();

const UserFields = z.object({
  first_name: Name.nullable().optional().meta({ description: 'At most 100 characters.', example: 'Ada' }),
  last_name: Name.nullable().optional().meta({ description: 'At most 100 characters.', example: 'Jones' }),
  email: Email.nullable().optional().meta({
    description: 'An e-mail address. Several users may share it.',
    example: 'ada@example.com',
  }),
  external_user_id: ExternalUserId.optional().describe(
    "The user's id in your own system. It is unique among users.",
  ),
  time_zone: TimeZone.nullable().optional().meta({
    description:
      'The IANA name of the time zone. It determines the local day of data that arrives later and states neither an offset nor a zone.',
    example: 'America/New_York',
  }),
});

/** The records of users. */
export const userActions = {
  create: action({
    summary: 'Create a user',
    params: UserFields.meta({ id: 'UserFields' }),
    returns: User,
    http: {
      method: 'POST',
      path: '/users',
      access: 'users.write',
      status: 201,
      tag: 'Users',
      idempotencyKey: true,
      audit: 'user.created',
    },
  }),
  list: action({
    summary: 'List users, page by page',
    description:
      '`search` finds a literal text in names, e-mail address and external id, ignoring case. Names and addresses are sorted ignoring case, then by id. Users without a value come last (ascending) or first (descending). Pages are counted from the start of the list. With `connected`, `provider` or `connection_status`, the list ends after 10,000 users: a `total` of 10,000 means 10,000 or more. With `search` alone, users are counted up to 1,000, or up to the first user after the page: such a `total` is a lower bound, and the list does not end there. While users are added, the order oldest first neither repeats nor omits a user.',
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
      connected: FlagOrAny.describe(
        '`true`: only users with an active connection; `false`: only users without one. Default: all users.',
      ),
      provider: ProviderName.optional().describe(
        'Only users with a connection to this provider, in any state.',
      ),
      connection_status: Connection.shape.status
        .optional()
        .describe('Only users with a connection in this state; with `provider`, a connection to it.'),
    }),
    returns: UserPage,
    http: { method: 'GET', path: '/users', access: 'users.list', tag: 'Users', audit: 'user.read' },
  }),
  get: action({
    summary: 'Get one user',
    params: z.object({ user_id: UserId }),
    returns: User,
    http: { method: 'GET', path: '/users/:user_id', access: 'users.read', tag: 'Users' },
  }),
  update: action({
    summary: 'Update a user; omitted fields are unchanged',
    params: UserFields.extend({ user_id: UserId }).meta({ id: 'UserFields' }),
    returns: User,
    http: {
      method: 'PATCH',
      path: '/users/:user_id',
      access: 'users.write',
      tag: 'Users',
      audit: 'user.updated',
    },
  }),
  remove: action({
    summary: 'Delete a user and all their data',
    description: 'The user is deleted when the response arrives. Their data is erased in the background.',
    params: z.object({ user_id: UserId }),
    returns: User,
    http: {
      method: 'DELETE',
      path: '/users/:user_id',
      access: 'users.write',
      tag: 'Users',
      audit: 'user.deleted',
    },
    timeoutMs: 10_000,
  }),
};

/** Counts for operators, and the project of a user. */
export const figureActions = {
  /** Null if there is no such user. A deleted user keeps the project. */
  projectOf: action({
    summary: 'Get the project of a user',
    params: z.object({ user_id: UserId }),
    returns: z.object({ project_id: z.string().nullable() }),
    idempotent: true,
    unchecked: true,
  }),
  /** In the order of their ids, without deleted users: at most `limit` after the id `after`. */
  inProject: action({
    summary: 'List the ids of the users of a project',
    params: z.object({
      project_id: ProjectId,
      after: UserId.nullable(),
      limit: z.int().min(1).max(1000),
    }),
    returns: z.object({ users: z.array(UserId) }),
    idempotent: true,
  }),
  /** With 0 users and revocations the project is closed and gets no users any more. */
  closeProject: action({
    summary: 'Close a project unless it has users or revocations',
    params: z.object({
      project_id: ProjectId,
      with_users: z.boolean().default(false).describe('Closes it in any case: its users are deleted next.'),
    }),
    returns: z.object({ users: z.int(), revocations: z.int() }),
    idempotent: true,
  }),
  /** Only of a closed project. Each user is erased like one that a request deletes. */
  removeSome: action({
    summary: 'Delete some users of a closed project',
    params: z.object({ project_id: ProjectId, limit: z.int().min(1).max(100) }),
    returns: z.object({ removed: z.int() }),
    timeoutMs: 60_000,
  }),
  /** Of a project whose users are erased. */
  forgetProject: action({
    summary: 'Delete the counts of a deleted project',
    params: z.object({ project_id: ProjectId }),
    returns: z.object({ deleted: z.int() }),
    idempotent: true,
  }),
  /**
   * `erasing`: deleted users of whom other services may still have data. `revocations`: waiting requests to providers that may
   * need the credentials of the project, for at most a day.
   */
  leftInProject: action({
    summary: 'Count the users of a project, and those that are being erased',
    params: z.object({ project_id: ProjectId }),
    returns: z.object({ users: z.int(), erasing: z.int(), revocations: z.int() }),
    idempotent: true,
  }),
  /** The exact numbers of users and connections, without counting rows. */
  figures: action({
    summary: 'Count users and connections',
    params: z.object({ project_id: ProjectId }),
    returns: z.object({
      users: z.int(),
      connections: z.array(
        z.object({ provider: ProviderName, status: Connection.shape.status, count: z.int() }),
      ),
    }),
    idempotent: true,
  }),
};
