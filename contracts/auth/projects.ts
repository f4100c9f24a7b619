import { z } from 'zod';
import { action, Nothing } from '../../domain/contract.ts';
import { repeated, Timestamp } from '../../domain/wire.ts';
import { LogoName, ProjectId, Role, Title } from '../fields.ts';
import { EndpointOfKey } from '../webhooks/schemas.ts';
import { DeveloperId } from './schemas.ts';

const Limit = z.int().min(1).max(1_000_000).nullable();
const name = Title.meta({ description: 'A name that people read.', example: 'Coaching app' });
const connectName = Title.nullable().optional().meta({
  description: 'The name that the connect page shows to users of the project. Null: CONNECT_NAME.',
  example: 'Coaching app',
});
const connectColour = z
  .string()
  .regex(/^#[0-9a-fA-F]{6}$/, 'must be a colour such as #1a6b52')
  .transform((colour) => colour.toLowerCase())
  .nullable()
  .optional()
  .meta({
    description:
      'The colour of the connect page for users of the project. If it has less than 4.5:1 to the background of a theme, its nearest shade that has is used. Null: CONNECT_COLOR.',
    example: '#1a6b52',
  });
/** The largest logo of a project. */
export const largestLogoBytes = 100_000;
const limits = {
  connect_name: connectName,
  connect_colour: connectColour,
  rate_limit_api_key: Limit.optional().meta({
    description: 'Requests a minute of each API key. Null: RATE_LIMIT_API_KEY of the installation.',
    example: 1000,
  }),
  rate_limit_sdk: Limit.optional().meta({
    description: 'Requests a minute of each user token. Null: RATE_LIMIT_SDK of the installation.',
    example: 100,
  }),
};

const require_second_factor = z
  .boolean()
  .optional()
  .describe(
    'Whether developers need a second factor to enter the project. Sessions without one get 403, API keys go on.',
  );

/** A project: users, keys, applications and webhook endpoints belong to one. */
export const Project = z
  .object({
    id: z.string(),
    name: z.string(),
    role: z.enum(['owner', ...Role.options]).meta({ id: 'ProjectRole', description: 'Your role in it.' }),
    connect_name: z.string().nullable(),
    connect_colour: z.string().nullable(),
    connect_logo: z
      .string()
      .nullable()
      .describe('The path of the logo on the connect page. Null: CONNECT_LOGO of the installation.'),
    rate_limit_api_key: z.int().nullable(),
    rate_limit_sdk: z.int().nullable(),
    require_second_factor: z.boolean().describe('Whether developers need a second factor to enter it.'),
    created_at: Timestamp,
    deleting_since: Timestamp.nullable().describe('Since when it is being deleted with its users.'),
  })
  .meta({ id: 'Project', description: 'A product or a stage: users, keys and endpoints belong to one.' });

/** A project, and the progress of its deletion. */
export const ProjectState = Project.extend({
  users_left: z
    .int()
    .nullable()
    .describe('Users that are not erased in every service. Null: the project is not being deleted.'),
}).meta({ id: 'ProjectState', description: 'A project, and the progress of its deletion.' });

/** A developer with a role in a project. */
export const Member = z
  .object({
    developer_id: z.string(),
    email: z.string(),
    is_confirmed: z.boolean().describe('Whether the e-mail address is known to belong to the developer.'),
    role: Role,
    created_at: Timestamp,
  })
  .meta({ id: 'Member', description: 'A developer with a role in a project.' });

/** A removed member, and the API keys of the project that the member made. */
export const RemovedMember = Member.extend({
  api_keys: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      is_kept: z.boolean(),
      webhook_endpoints: z
        .array(EndpointOfKey)
        .nullable()
        .describe(
          'Those whose `url` it set, which are disabled. Null if they are disabled later, and for a kept key.',
        ),
    }),
  ),
}).meta({
  id: 'RemovedMember',
  description: 'A removed member, and the API keys of the project that the member made: ended, or kept.',
});

const tag = 'Projects';

/** Projects and their members. The project of `/members` is that of the request: X-Project, otherwise your only one. */
export const projectActions = {
  listProjects: action({
    summary: 'List the projects that you may enter, with your role',
    params: Nothing,
    returns: z.array(Project),
    http: { method: 'GET', path: '/projects', access: 'account', tag },
  }),
  createProject: action({
    summary: 'Create a project',
    params: z.object({ id: ProjectId, name, ...limits }).meta({ id: 'CreateProjectRequest' }),
    returns: Project,
    http: {
      method: 'POST',
      path: '/projects',
      access: 'accounts',
      status: 201,
      tag,
      idempotencyKey: true,
      audit: 'project.created',
      failures: ['PROJECT_ID_TAKEN'],
    },
  }),
  updateProject: action({
    summary: 'Change the name, the limits or the second factor of a project; omitted fields are unchanged',
    params: z
      .object({ project_id: ProjectId, name: name.optional(), ...limits, require_second_factor })
      .meta({ id: 'UpdateProjectRequest' }),
    returns: Project,
    http: {
      method: 'PATCH',
      path: '/projects/:project_id',
      access: 'accounts',
      tag,
      audit: 'project.updated',
      failures: ['PROJECT_NOT_FOUND'],
    },
  }),
  putConnectLogo: action({
    summary: 'Set the logo that the connect page shows to users of a project',
    description:
      'The form of the image follows from its bytes: PNG, JPEG or WebP, at most 100,000 bytes. Links that were made before show the former logo for an hour.',
    params: z
      .object({
        project_id: ProjectId,
        image: z
          .base64('must be the image in base64')
          .min(1)
          .max(Math.ceil(largestLogoBytes / 3) * 4, 'must be at most 100,000 bytes')
          .meta({ description: 'The file in base64.', example: 'iVBORw0KGgo=' }),
      })
      .meta({ id: 'ConnectLogoRequest' }),
    returns: Project,
    http: {
      method: 'PUT',
      path: '/projects/:project_id/connect-logo',
      access: 'accounts',
      tag,
      audit: 'project.updated',
      failures: ['PROJECT_NOT_FOUND'],
    },
  }),
  removeConnectLogo: action({
    summary: 'Remove the logo of a project: the connect page shows that of the installation',
    params: z.object({ project_id: ProjectId }),
    returns: Project,
    http: {
      method: 'DELETE',
      path: '/projects/:project_id/connect-logo',
      access: 'accounts',
      tag,
      audit: 'project.updated',
      failures: ['PROJECT_NOT_FOUND'],
    },
  }),
  getProject: action({
    summary: 'Get a project, and how many users are left while it is deleted',
    params: z.object({ project_id: ProjectId }),
    returns: ProjectState,
    http: {
      method: 'GET',
      path: '/projects/:project_id',
      access: 'accounts',
      tag,
      failures: ['PROJECT_NOT_FOUND'],
    },
  }),
  removeProject: action({
    summary: 'Delete a project with its keys, applications, endpoints, members and retention rule',
    description:
      'With `users=delete`, the project is closed and its credentials are refused when the response arrives. Its users are erased in the background, one after the other, then the project; `GET /projects/{project_id}` returns the number of users that are left, and 404 at the end. The audit trail has an entry for each user, and one with the numbers of what was deleted.',
    params: z.object({
      project_id: ProjectId,
      users: z
        .enum(['keep', 'delete'])
        .default('keep')
        .describe(
          '`delete`: with its users. `keep`: 409 for a project that has users, or whose credentials are still needed to revoke access.',
        ),
    }),
    returns: Project,
    http: {
      method: 'DELETE',
      path: '/projects/:project_id',
      access: 'accounts',
      tag,
      audit: 'project.deleted',
      failures: ['PROJECT_NOT_FOUND', 'PROJECT_NOT_EMPTY', 'PROJECT_PERMANENT'],
    },
  }),
  /** The connect page asks on behalf of the product. Null takes the setting of the installation. */
  connectBrand: action({
    summary: 'Get the name, the colour and the logo that the connect page shows to users of a project',
    params: z.object({ project_id: ProjectId }),
    returns: z.object({
      connect_name: z.string().nullable(),
      connect_colour: z.string().nullable(),
      connect_logo: LogoName.nullable(),
    }),
    idempotent: true,
  }),
  /** The content in base64. Null: no project has this logo. */
  connectLogo: action({
    summary: 'Get a logo of the connect page by its name',
    params: z.object({ name: LogoName }),
    returns: z.object({ content: z.string().nullable() }),
    idempotent: true,
  }),
  /** A delivery holds data of the accounts of all projects. */
  isShared: action({
    summary: 'Whether the installation has other projects than `default`',
    params: Nothing,
    returns: z.object({ shared: z.boolean() }),
    idempotent: true,
  }),
  listMembers: action({
    summary: 'List the members of the project',
    params: Nothing,
    returns: z.array(Member),
    http: { method: 'GET', path: '/members', access: 'members', tag },
  }),
  addMember: action({
    summary: 'Give a developer a role in the project, or another one',
    params: z
      .object({
        email: z
          .string()
          .max(320)
          .meta({ description: 'The e-mail address of an account.', example: 'grace@example.com' }),
        role: Role.meta({ description: 'What the developer may do in the project.', example: 'support' }),
      })
      .meta({ id: 'AddMemberRequest' }),
    returns: Member,
    http: {
      method: 'POST',
      path: '/members',
      access: 'members',
      tag,
      audit: 'member.added',
      failures: ['ADDRESS_NOT_CONFIRMED', 'DEVELOPER_NOT_FOUND', 'OWNER_NEEDS_NO_ROLE'],
    },
  }),
  removeMember: action({
    summary: 'Remove a member from the project, and end the API keys that the member made',
    description:
      'The keys are those whose `created_by` is the member: made, or rotated last, by the member. They end as with `DELETE /api-keys/{key_id}`, unless `keep_keys` names them; the response and the audit trail list both. User tokens that the member made end too. Removing an API key that applications use ends their access: rotate or keep it.',
    params: z.object({
      developer_id: DeveloperId,
      keep_keys: repeated(z.uuid('must be the id of an API key'), 100)
        .default([])
        .describe('The ids of keys that stay.'),
    }),
    returns: RemovedMember,
    http: {
      method: 'DELETE',
      path: '/members/:developer_id',
      access: 'members',
      tag,
      audit: 'member.removed',
      failures: ['API_KEY_NOT_FOUND', 'MEMBER_NOT_FOUND'],
    },
  }),
};

export type Project = z.infer<typeof Project>;
export type ProjectState = z.infer<typeof ProjectState>;
export type Member = z.infer<typeof Member>;
export type RemovedMember = z.infer<typeof RemovedMember>;
