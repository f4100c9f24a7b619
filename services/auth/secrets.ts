import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** The SHA-256 of a text, in hex: how keys, secrets and refresh tokens are kept. They are random: no salt needed. */
export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** A new API key: `sk-` and 32 hex digits. */
export const newApiKey = () => `sk-${randomBytes(16).toString('hex')}`;

/** A new application's public id: `app_` and 32 hex digits. */
export const newAppId = () => `app_${randomBytes(16).toString('hex')}`;

/** A new application secret: `secret_` and 64 hex digits. */
export const newAppSecret = () => `secret_${randomBytes(32).toString('hex')}`;

/** A new refresh token: `rt-` and 43 characters. */
export const newRefreshToken = () => `rt-${randomBytes(32).toString('base64url')}`;

/** Whether two hashes of one length are the same, in a time that does not tell where they differ. */
export function sameHash(one: string, other: string): boolean {
  const [left, right] = [Buffer.from(one), Buffer.from(other)];
  return left.length === right.length && timingSafeEqual(left, right);
}
