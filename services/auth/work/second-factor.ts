import type { AuthenticationResponseJSON } from '@simplewebauthn/server';
import { z } from 'zod';
import { type Assertion, type Attestation, algorithms } from '../../../contracts/auth/passkeys.ts';
import { fieldOf } from '../../../domain/error-code.ts';
import { ServiceError } from '../../../domain/errors.ts';
import { parseJson } from '../../../domain/json/json-bounds.ts';
import { recordAudit } from '../../../mixins/database/audit.ts';
import type { Queryable } from '../../../mixins/database/database.ts';
import type { Cipher } from '../../../mixins/provider-api/cipher.ts';
import type { AuditOrigin } from '../../../runtime/audit-origin.ts';
import { publicUrl } from '../../../runtime/provider-settings.ts';
import { type Linking, sha256 } from '../rules/secrets.ts';
import { isTotpCode, plainCode, stepOf } from '../rules/totp-codes.ts';
import { type AttemptWindow, chargeAttempt, refundAttempt } from '../tables/attempts.ts';
import { type Credential, deletePasskeys, type PasskeyRow, useChallenge } from '../tables/passkeys.ts';
import { deleteTotp, selectFactors, unmarkWithoutFactor, useRecoveryCode, useStep } from '../tables/totp.ts';
import { auditFailedLogIn, hourlyWindow, refuseFull } from './attempts.ts';

/** Dependencies of the check of a code. */
interface CodeChecking {
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
    // A check that was not made, because too many are waiting, does not count as failed.
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

/** Removes the authenticator of an account, also for an operator; false if there is none. */
export async function turnOff(on: Queryable, developerId: string): Promise<boolean> {
  const isDeleted = await deleteTotp(on, developerId);
  await unmarkWithoutFactor(on, developerId);
  return isDeleted;
}

/** Removes one passkey of an account, or all of them. */
export async function dropPasskeys(
  on: Queryable,
  origin: AuditOrigin,
  developerId: string,
  id: string | null = null,
): Promise<PasskeyRow[]> {
  const removed = await deletePasskeys(on, developerId, id);
  for (const { id: subjectId } of removed)
    await recordAudit(on, origin, { action: 'passkey.removed', subjectId });
  await unmarkWithoutFactor(on, developerId);
  return removed;
}

/** Removes the authenticator and the passkeys of an account. */
export async function disableSecondFactor(
  on: Queryable,
  origin: AuditOrigin,
  developerId: string,
): Promise<void> {
  await dropPasskeys(on, origin, developerId);
  if (await turnOff(on, developerId))
    await recordAudit(on, origin, { action: 'second_factor.disabled', subjectId: developerId });
}

const sentences = {
  challenge:
    'This request was begun elsewhere, is older than 5 minutes, or was answered before. Begin again.',
  origin: 'The passkey was used on a page that is not of this installation.',
  account: 'The passkey belongs to no account here, or to another one.',
  counter: 'The passkey was used elsewhere since: it may have been copied. Remove it.',
  verification: 'The device did not verify you. Set up its lock or the PIN of the key.',
  invalid: 'The answer of the passkey is not valid.',
} as const;

/** PASSKEY_REFUSED (403) with one sentence. */
export const passkeyRefused = (why: keyof typeof sentences, cause?: unknown) =>
  new ServiceError('PASSKEY_REFUSED', sentences[why], undefined, cause);

/** The host that passkeys are bound to, and the origin of the pages that may use them. */
export function relyingParty({ config, meta }: Linking): { readonly id: string; readonly origin: string } {
  const url = new URL(publicUrl(config, meta.gateway_url));
  // WebAuthn accepts no IP address. The pages of a gateway on this machine are also reachable as localhost.
  if (['127.0.0.1', '[::1]'].includes(url.hostname)) url.hostname = 'localhost';
  return { id: url.hostname, origin: url.origin };
}

/** What identifies an account toward a device: it is stored there with the passkey. */
export const userHandleOf = (developerId: string) => Buffer.from(developerId).toString('base64url');

const ClientData = z.object({ challenge: z.string() });

/** The challenge that a device signed, which is used up. @throws PASSKEY_REFUSED (403) */
export async function takeChallenge(
  database: Queryable,
  { response: { clientDataJSON } }: Attestation | Assertion,
  session: string | null,
): Promise<string> {
  let challenge: string;
  try {
    challenge = ClientData.parse(parseJson(Buffer.from(clientDataJSON, 'base64url').toString())).challenge;
  } catch (error) {
    throw passkeyRefused('invalid', error);
  }
  if (!(await useChallenge(database, sha256(challenge), session))) throw passkeyRefused('challenge');
  return challenge;
}

/** The new passkey of a device. @throws PASSKEY_REFUSED (403) */
export async function verifyAttestation(
  linking: Linking,
  { id, response }: Attestation,
  challenge: string,
): Promise<Credential> {
  const { transports = [], clientDataJSON, attestationObject } = response;
  const { verifyRegistrationResponse } = await import('@simplewebauthn/server');
  const { registrationInfo } = await checking(() =>
    verifyRegistrationResponse({
      response: { ...envelope(id), response: { clientDataJSON, attestationObject } },
      ...expectedOf(linking, challenge),
      supportedAlgorithmIDs: [...algorithms],
    }),
  );
  if (registrationInfo === undefined) throw passkeyRefused('invalid');
  return { ...registrationInfo.credential, transports };
}

/** The counter of an answer that proves a passkey and the presence of its holder. @throws PASSKEY_REFUSED (403) */
export async function verifyAssertion(
  linking: Linking,
  { id, response }: Assertion,
  { challenge, credential }: { readonly challenge: string; readonly credential: Credential },
): Promise<number> {
  const { clientDataJSON, authenticatorData, signature } = response;
  const { verifyAuthenticationResponse } = await import('@simplewebauthn/server');
  const { verified, authenticationInfo } = await checking(() =>
    verifyAuthenticationResponse({
      response: { ...envelope(id), response: { clientDataJSON, authenticatorData, signature } },
      ...expectedOf(linking, challenge),
      credential,
    }),
  );
  if (!verified) throw passkeyRefused('invalid');
  return authenticationInfo.newCounter;
}

const envelope = (id: string): Omit<AuthenticationResponseJSON, 'response'> => ({
  id,
  rawId: id,
  type: 'public-key',
  clientExtensionResults: {},
});

function expectedOf(linking: Linking, challenge: string) {
  const { id: expectedRPID, origin: expectedOrigin } = relyingParty(linking);
  return { expectedChallenge: challenge, expectedOrigin, expectedRPID, requireUserVerification: true };
}

// The library has no error codes. Its messages begin with these words, followed by quotes of the answer.
const reasons = [
  [/^Unexpected (\w+ response origin|RP ID hash)/, 'origin'],
  [/^Response counter value/, 'counter'],
  [/^User (verification|not present)/, 'verification'],
] as const;

async function checking<T>(verify: () => Promise<T>): Promise<T> {
  try {
    return await verify();
  } catch (error) {
    const message = String(fieldOf(error, 'message'));
    throw passkeyRefused(reasons.find(([words]) => words.test(message))?.[1] ?? 'invalid', error);
  }
}
