import { ServiceError } from '../../../domain/errors.ts';
import type { Queryable } from '../../../mixins/database/database.ts';
import type { Cipher } from '../../../mixins/provider-api/cipher.ts';
import type { AuditOrigin } from '../../../runtime/audit-origin.ts';
import { hourlyWindow, refuseFull } from '../log-in/attempts.ts';
import { auditFailedLogIn } from '../log-in/failed-log-in.ts';
import { chargeAttempt, refundAttempt } from '../queries/charge-attempt.ts';
import { selectFactors, useRecoveryCode, useStep } from '../queries/totp.ts';
import { sha256 } from '../tokens/secrets.ts';
import { isTotpCode, plainCode, stepOf } from './totp-codes.ts';

/** Dependencies of the check of a code. */
export interface CodeChecking {
  readonly database: Queryable;
  readonly cipher: Cipher;
  readonly origin: AuditOrigin;
}

/** What an encrypted secret is bound to. */
export const boundTo = (developerId: string) => `totp ${developerId}`;

/**
 * Failed codes of an account an hour. Only whoever has the password or a session reaches the check, so that nobody else can
 * use them up.
 */
const mostFailures = 20;

/**
 * Checks the second factor of a log-in with a password. False if the account has none.
 * @throws SECOND_FACTOR_REQUIRED (401) without a code, PASSKEY_REQUIRED (401) if it has passkeys only, UNAUTHENTICATED (401) for a wrong or used one, RATE_LIMITED (429)
 */
export async function checkSecondFactor(
  checking: CodeChecking,
  developerId: string,
  { code, address }: { readonly code: string | undefined; readonly address: string },
): Promise<boolean> {
  const { database } = checking;
  const { secret, hasPasskey } = await selectFactors(database, developerId);
  if (secret === null) {
    if (hasPasskey) throw new ServiceError('PASSKEY_REQUIRED');
    return false;
  }
  if (code === undefined || code === '') throw new ServiceError('SECOND_FACTOR_REQUIRED');
  const isAccepted = await countingCodes(database, developerId, () =>
    acceptCode(checking, developerId, { secret, code }),
  );
  if (isAccepted) return true;
  await auditFailedLogIn(database, checking.origin, { developerId, address });
  throw wrongCode();
}

/** Runs a check of a code or password of an account; a failed one is counted. @throws RATE_LIMITED (429) */
export async function countingCodes(
  database: Queryable,
  developerId: string,
  check: () => Promise<boolean>,
): Promise<boolean> {
  const window = hourlyWindow(`code:${developerId}`, mostFailures);
  const charged = await chargeAttempt(database, window);
  if (charged === null) throw await refuseFull(database, window, `${mostFailures} wrong codes an hour`);
  const isAccepted = await check();
  if (isAccepted) await refundAttempt(database, window, charged);
  return isAccepted;
}

/** Whether a code of the authenticator or a recovery code is accepted: each one once. */
export async function acceptCode(
  { database, cipher }: Pick<CodeChecking, 'database' | 'cipher'>,
  developerId: string,
  { secret, code }: { readonly secret: string; readonly code: string },
): Promise<boolean> {
  const plain = plainCode(code);
  if (!isTotpCode(plain)) return useRecoveryCode(database, developerId, sha256(plain));
  const step = stepOf(cipher.decrypt(secret, boundTo(developerId)), plain, Date.now());
  return step !== null && useStep(database, developerId, step);
}

/** The refusal of a code. */
const wrongCode = () =>
  new ServiceError('UNAUTHENTICATED', 'The code is not valid, or was used before. Wait for the next one.');
