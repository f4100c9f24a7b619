import { z } from 'zod';
import { action, Nothing } from '../../domain/contract.ts';
import { hashingTimeoutMs } from './schemas.ts';

/** Whether an authenticator is set up. */
export const Totp = z
  .object({
    enabled: z.boolean(),
    recovery_codes: z.int().describe('The number of recovery codes that are left.'),
  })
  .meta({ id: 'Totp', description: 'Whether an authenticator is set up.' });

/** The secret of an authenticator, which no later response contains. */
export const NewTotp = z
  .object({
    secret: z.string().describe('The secret in base32, to type into an authenticator.'),
    otpauth_url: z.string().describe('The same as a URL, which authenticators read from a QR code.'),
  })
  .meta({ id: 'NewTotp', description: 'The secret of an authenticator, which no later response contains.' });

/** Codes that stand in for the authenticator, each once. */
export const RecoveryCodes = z.object({ recovery_codes: z.array(z.string()) }).meta({
  id: 'RecoveryCodes',
  description: 'Codes that stand in for the authenticator, each once. No later response contains them.',
});

/** A code of an authenticator, or a recovery code. */
export const Code = z
  .string()
  .max(100)
  .meta({ description: 'The current code of the authenticator, or a recovery code.', example: '000000' });

/** What proves that a caller may change the factors of the account. */
export const proofFields = {
  password: z
    .string()
    .max(1024)
    .optional()
    .meta({ description: 'The password of the account.', example: 'correct horse battery staple' }),
  code: Code.optional(),
};
/** Whether a body has one of the two. */
export const hasProof = ({ password, code }: z.infer<z.ZodObject<typeof proofFields>>) =>
  (password ?? code) !== undefined;
/** The problem of a body without them. */
export const proofMissing = { path: ['code'], error: 'or the password is required' };
/** The password of the account, or a code. */
export const AccountProof = z.object(proofFields).refine(hasProof, proofMissing).meta({ id: 'AccountProof' });

const tag = 'Accounts';
const path = '/auth/totp';

/** The second factor of the caller's account: an authenticator with codes that change with time (TOTP). */
export const secondFactorActions = {
  showTotp: action({
    summary: 'Get whether you have an authenticator',
    params: Nothing,
    returns: Totp,
    http: { method: 'GET', path, access: 'account', tag },
  }),
  beginTotp: action({
    summary: 'Begin to set up an authenticator; only this response contains the secret',
    description: 'It has no effect until `POST /auth/totp/confirm`, within an hour.',
    params: Nothing,
    returns: NewTotp,
    http: {
      method: 'POST',
      path,
      access: 'account',
      tag,
      bodyOptional: true,
      audit: { none: 'A secret has no effect until it is confirmed.' },
      failures: ['SECOND_FACTOR_EXISTS'],
    },
  }),
  confirmTotp: action({
    summary: 'Turn the authenticator on with a code; only this response contains the recovery codes',
    description: 'From now on a log-in needs a `code`. Your other sessions continue.',
    params: z.object({ code: Code }).meta({ id: 'ConfirmTotpRequest' }),
    returns: RecoveryCodes,
    http: {
      method: 'POST',
      path: '/auth/totp/confirm',
      access: 'account',
      tag,
      audit: 'second_factor.enabled',
      failures: ['SECOND_FACTOR_EXISTS', 'SECOND_FACTOR_NOT_FOUND'],
    },
  }),
  removeTotp: action({
    summary: 'Turn the authenticator off, with the password or a code in the body',
    params: AccountProof,
    returns: Nothing,
    http: {
      method: 'DELETE',
      path,
      access: 'account',
      tag,
      bodyOfDelete: true,
      audit: 'second_factor.disabled',
      failures: ['SECOND_FACTOR_NOT_FOUND'],
    },
    timeoutMs: hashingTimeoutMs,
  }),
};

export type Totp = z.infer<typeof Totp>;
export type NewTotp = z.infer<typeof NewTotp>;
export type RecoveryCodes = z.infer<typeof RecoveryCodes>;
