import { Secret, TOTP } from 'otpauth';

/** The code of a secret `steps` steps of 30 s from now. */
export function codeOf(secret: string, steps = 0): string {
  return new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: Date.now() + steps * 30_000 });
}
