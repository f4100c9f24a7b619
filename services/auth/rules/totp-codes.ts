import { randomBytes } from 'node:crypto';
import { Secret, TOTP } from 'otpauth';

/** Codes of an authenticator (RFC 6238) and recovery codes. Times are passed in. */

const periodSeconds = 30;
/** Steps before and after the current one whose codes are accepted, for clocks that differ. */
const skewSteps = 1;
const secretBytes = 20;
const issuer = 'Pulsebus';

/** A new secret in base32. */
export const newTotpSecret = () => new Secret({ size: secretBytes }).base32;

const totpOf = (secret: string, label = '') =>
  new TOTP({
    issuer,
    label,
    algorithm: 'SHA1',
    digits: 6,
    period: periodSeconds,
    secret: Secret.fromBase32(secret),
  });

/** The URL that an authenticator reads from a picture. */
export const otpauthUrlOf = (secret: string, email: string) => totpOf(secret, email).toString();

/** The time step of a code; null if it is of none that is accepted now. */
export function stepOf(secret: string, code: string, nowMs: number): number | null {
  const delta = totpOf(secret).validate({ token: code, timestamp: nowMs, window: skewSteps });
  return delta === null ? null : Math.floor(nowMs / 1000 / periodSeconds) + delta;
}

const recoveryCodes = 10;
const groups = 4;
const groupLength = 4;
// 32 letters and digits without those that look alike.
const alphabet = 'abcdefghijkmnpqrstuvwxyz23456789';

/** Ten codes of 80 bits, in groups. */
export const newRecoveryCodes = (): string[] => Array.from({ length: recoveryCodes }, newRecoveryCode);

function newRecoveryCode(): string {
  const letters = Array.from(randomBytes(groups * groupLength), (byte) => alphabet[byte % alphabet.length]);
  const group = (index: number) => letters.slice(index * groupLength, (index + 1) * groupLength).join('');
  return Array.from({ length: groups }, (_, index) => group(index)).join('-');
}

/** A code as it is compared: without spaces, hyphens and capital letters. */
export const plainCode = (code: string) => code.replaceAll(/[\s-]/g, '').toLowerCase();

/** Whether a plain code has the form of an authenticator's. */
export const isTotpCode = (code: string) => /^\d{6}$/.test(code);
