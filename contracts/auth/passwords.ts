import { z } from 'zod';
import { action, Nothing } from '../../domain/contract.ts';
import { Text } from '../../domain/wire.ts';
import { Password, passwordRules } from './developers.ts';
import { LinkToken } from './invitations.ts';
import { hashingTimeoutMs } from './schemas.ts';

const tag = 'Accounts';

/** A lost password: a link by e-mail sets a new one. */
export const passwordActions = {
  forgotPassword: action({
    summary: 'Request a link by e-mail that sets a new password',
    description:
      'The response is the same whether an account has the address, and where the installation sends no e-mail (SMTP_URL). The link serves once, within an hour. At most 5 e-mails an hour are sent to an account.',
    params: z
      .object({
        email: Text.min(1)
          .max(320)
          .meta({ description: 'The e-mail address of the account.', example: 'developer@example.com' }),
      })
      .meta({ id: 'ForgotPasswordRequest' }),
    returns: Nothing,
    http: {
      method: 'POST',
      path: '/auth/forgot-password',
      access: 'public',
      status: 202,
      tag,
      countFailures: true,
      audit: { none: 'A link changes nothing until it is used, which has an entry.' },
    },
  }),
  resetPassword: action({
    summary: 'Set a new password with a link, and end all sessions of the account',
    description: `It confirms the e-mail address. If that was not confirmed before, second factors of the account are removed: somebody else may have set them up. ${passwordRules}`,
    params: z
      .object({
        token: LinkToken,
        password: Password.meta({
          description: 'The new password.',
          example: 'purple lamps over quiet water',
        }),
      })
      .meta({ id: 'ResetPasswordRequest' }),
    returns: Nothing,
    http: {
      method: 'POST',
      path: '/auth/reset-password',
      access: 'public',
      tag,
      countFailures: true,
      audit: 'developer.password_changed',
      failures: ['RESET_LINK_NOT_FOUND'],
    },
    timeoutMs: hashingTimeoutMs,
  }),
};
