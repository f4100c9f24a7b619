import { ServiceError } from '../../../domain/errors.ts';
import type { Queryable } from '../../../mixins/database/database.ts';
import type { Cipher } from '../../../mixins/provider-api/cipher.ts';
import type { AuditOrigin } from '../../../runtime/audit-origin.ts';
import { hourlyWindow, refuseFull } from '../log-in/attempts.ts';
import { auditFailedLogIn } from '../log-in/failed-log-in.ts';
import { type AttemptWindow, chargeAttempt, refundAttempt } from '../queries/charge-attempt.ts';
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
 * Failed codes of an authenticator an hour, of an account. Only whoever has the password or a session reaches the check. A
 * recovery code of 80 bits cannot be guessed and is not limited by account, so that whoever has the password does not lock
 * the owner out.
 */
const mostFailures = 20;
/** Failed passwords and codes of a session an hour. Other sessions of the account are not limited by them. */
const mostOfSession = 20;

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
  if (await acceptCode(checking, developerId, { secret, code })) return true;
  await auditFailedLogIn(database, checking.origin, { developerId, address });
  throw wrongCode();
}

/** Runs a check in a session of an account; a failed one is counted for the session and audited. @throws RATE_LIMITED (429) */
export async function countingProofs(
  { database, origin }: Pick<CodeChecking, 'database' | 'origin'>,
  { id, developer_id }: { readonly id: string; readonly developer_id: string },
  check: () => Promise<boolean>,
): Promise<boolean> {
  const window = hourlyWindow(`session:${id}`, mostOfSession);
  const isProven = await counting(
    database,
    window,
    check,
    `${mostOfSession} wrong passwords or codes an hour`,
  );
  if (!isProven) await auditFailedLogIn(database, origin, { developerId: developer_id, address: '' });
  return isProven;
}

async function counting(
  database: Queryable,
  window: AttemptWindow,
  check: () => Promise<boolean>,
  sentence: string,
): Promise<boolean> {
  const charged = await chargeAttempt(database, window);
  if (charged === null) throw await refuseFull(database, window, sentence);
  let hasFailed = false;
  try {
    hasFailed = !(await check());
  } finally {
    // A check that was not made, because too many wait for one, has not failed.
    if (!hasFailed) await refundAttempt(database, window, charged);
  }
  return !hasFailed;
}

/** Whether a code of the authenticator or a recovery code is accepted: each one once. @throws RATE_LIMITED (429) */
export async function acceptCode(
  { database, cipher }: Pick<CodeChecking, 'database' | 'cipher'>,
  developerId: string,
  { secret, code }: { readonly secret: string; readonly code: string },
): Promise<boolean> {
  const plain = plainCode(code);
  if (!isTotpCode(plain)) return useRecoveryCode(database, developerId, sha256(plain));
  const check = async () => {
    const step = stepOf(cipher.decrypt(secret, boundTo(developerId)), plain, Date.now());
    return step !== null && useStep(database, developerId, step);
  };
  const sentence = `${mostFailures} wrong codes an hour, after which only a recovery code serves`;
  return counting(database, hourlyWindow(`code:${developerId}`, mostFailures), check, sentence);
}

/** The refusal of a code. */
const wrongCode = () =>
  new ServiceError('UNAUTHENTICATED', 'The code is not valid, or was used before. Wait for the next one.');
