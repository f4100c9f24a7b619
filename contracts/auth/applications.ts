import { z } from 'zod';
import { action, Nothing } from '../../domain/contract.ts';
import { UserId } from '../../domain/wire.ts';
import { Title } from '../fields.ts';
import { AppId, Application, AppSecret, hashingTimeoutMs, NewApplication, Tokens } from './schemas.ts';

/** Applications, and the tokens that they obtain for users. */
export const applicationActions = {
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
      access: 'credentials',
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
    http: { method: 'GET', path: '/applications', access: 'credentials', tag: 'Applications' },
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
      access: 'credentials',
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
      access: 'credentials',
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
      access: 'credentials',
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
      access: 'tokens.issue',
      orPublic: true,
      tag: 'Tokens',
      bodyOptional: true,
      countFailures: true,
      audit: 'token.issued',
    },
    timeoutMs: hashingTimeoutMs,
  }),
};
