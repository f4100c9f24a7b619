import { z } from 'zod';
import { action, Nothing } from '../../domain/contract.ts';
import { Email } from '../fields.ts';
import { Developer, DeveloperId, hashingTimeoutMs } from './schemas.ts';

/** A new password. */
export const Password = z.string().min(10, 'must have at least 10 characters').max(1024);

/** What a new password has to be, for the documentation. */
export const passwordRules =
  'A password has at least 10 characters. Common passwords are rejected, also with digits or symbols around them. Repetitions, sequences, and passwords that contain the e-mail address or the part of it before the @ are rejected too.';

/** Developer accounts. */
export const developerActions = {
  me: action({
    summary: 'Get the current developer',
    params: Nothing,
    returns: Developer,
    http: { method: 'GET', path: '/auth/me', access: 'account', tag: 'Accounts' },
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
      access: 'account',
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
        is_owner: z
          .boolean()
          .default(true)
          .describe('`false`: an account without rights until it gets a role in a project.'),
      })
      .meta({ id: 'CreateDeveloperRequest' }),
    returns: Developer,
    http: {
      method: 'POST',
      path: '/developers',
      access: 'accounts',
      status: 201,
      tag: 'Accounts',
      idempotencyKey: true,
      audit: 'developer.created',
    },
    timeoutMs: hashingTimeoutMs,
  }),
  confirmDeveloper: action({
    summary: 'Confirm that the e-mail address of an account belongs to its holder',
    description:
      'Ask the holder of the address first: the account keeps its password and second factors. Delete an account that the holder does not know.',
    params: z.object({ developer_id: DeveloperId }),
    returns: Developer,
    http: {
      method: 'POST',
      path: '/developers/:developer_id/confirm',
      access: 'accounts',
      tag: 'Accounts',
      bodyOptional: true,
      audit: 'developer.confirmed',
    },
    idempotent: true,
  }),
  listDevelopers: action({
    summary: 'List developer accounts',
    params: Nothing,
    returns: z.array(Developer),
    http: { method: 'GET', path: '/developers', access: 'accounts', tag: 'Accounts' },
  }),
  removeDeveloper: action({
    summary: 'Delete a developer account and keep its API keys',
    params: z.object({ developer_id: DeveloperId }),
    returns: Developer,
    http: {
      method: 'DELETE',
      path: '/developers/:developer_id',
      access: 'accounts',
      tag: 'Accounts',
      audit: 'developer.deleted',
    },
  }),
};
