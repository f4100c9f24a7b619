import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** The SHA-256 of a text, in hex. Keys, secrets and refresh tokens are stored so; they are random, so no salt is needed. */
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

/** Compares two hashes of equal length in constant time. */
export function sameHash(one: string, other: string): boolean {
  const [left, right] = [Buffer.from(one), Buffer.from(other)];
  return left.length === right.length && timingSafeEqual(left, right);
}
