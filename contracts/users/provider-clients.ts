import { z } from 'zod';
import { action } from '../../domain/contract.ts';
import { Text, Timestamp, UserId } from '../../domain/wire.ts';
import { ProviderName } from '../../providers/all.ts';
import { ProjectId } from '../fields.ts';
import { StoredClient } from './schemas.ts';

/** Which credentials a project uses at a provider. The client secret is never returned. */
export const ProviderCredentials = z
  .object({
    provider: ProviderName,
    source: z
      .enum(['installation', 'project'])
      .describe('Whose credentials the project uses: those of the settings, or its own.'),
    client_id: z.string().nullable().describe('Null: none is set, or the provider has none.'),
    updated_at: Timestamp.nullable().describe(
      'When the credentials of the project were set. Null for those of the settings.',
    ),
    refusal: z
      .string()
      .nullable()
      .describe('Why the project cannot have credentials of its own. Null: it can.'),
  })
  .meta({
    id: 'ProviderCredentials',
    description: 'Which credentials a project uses at a provider. The client secret is never returned.',
  });

const tag = 'Projects';
const ofProvider = { project_id: ProjectId, provider: ProviderName };

/** The OAuth clients of projects at providers. */
export const providerClientActions = {
  credentials: action({
    summary: 'List which credentials a project uses at each provider',
    params: z.object({ project_id: ProjectId }),
    returns: z.array(ProviderCredentials),
    http: {
      method: 'GET',
      path: '/projects/:project_id/providers',
      access: 'project.settings',
      projectInPath: true,
      tag,
      failures: ['PROJECT_NOT_FOUND'],
    },
  }),
  setCredentials: action({
    summary: 'Set the credentials of a project at a provider',
    description:
      'Users who connect from now on agree to this client. A new secret for the same client id concerns all its connections. With another client id, connections of the former client are read until their access token expires; then their users have to connect again.',
    params: z
      .object({
        ...ofProvider,
        client_id: Text.trim().min(1).max(255).meta({
          description: 'The client id that the provider issued to you.',
          example: 'client-of-staging',
        }),
        client_secret: z.string().min(1).max(1000).meta({
          description: 'The client secret. It is stored encrypted, and no response contains it.',
          example: 'secret-of-staging',
        }),
      })
      .meta({ id: 'ProviderCredentialsRequest' }),
    returns: ProviderCredentials,
    http: {
      method: 'PUT',
      path: '/projects/:project_id/providers/:provider',
      access: 'project.settings',
      projectInPath: true,
      tag,
      audit: 'provider.credentials_set',
      failures: ['PROJECT_NOT_FOUND', 'PROVIDER_CREDENTIALS_REFUSED'],
    },
  }),
  removeCredentials: action({
    summary: 'Remove the credentials of a project at a provider: it uses those of the installation',
    description:
      'Connections of the removed client are read until their access token expires; then their users have to connect again.',
    params: z.object(ofProvider),
    returns: ProviderCredentials,
    http: {
      method: 'DELETE',
      path: '/projects/:project_id/providers/:provider',
      access: 'project.settings',
      projectInPath: true,
      tag,
      audit: 'provider.credentials_removed',
      failures: ['PROJECT_NOT_FOUND', 'PROVIDER_CREDENTIALS_NOT_FOUND'],
    },
  }),
  /** The providers at which the project of a user has credentials of its own. */
  ownClients: action({
    summary: 'List the providers at which the project of a user has credentials',
    params: z.object({ user_id: UserId }),
    returns: z.object({ providers: z.array(ProviderName) }),
    idempotent: true,
  }),
  /** The client that a new connection of a user is made with. Null: that of the installation. */
  clientOfUser: action({
    summary: 'Get the encrypted credentials for a new connection of a user',
    params: z.object({ user_id: UserId, provider: ProviderName }),
    returns: z.object({ client: StoredClient.nullable() }),
    idempotent: true,
  }),
  client: action({
    summary: 'Get encrypted credentials by their id',
    params: z.object({ id: z.uuid() }),
    returns: z.object({ client: StoredClient.nullable() }),
    idempotent: true,
  }),
};

export type ProviderCredentials = z.infer<typeof ProviderCredentials>;
