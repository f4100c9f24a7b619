import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Config } from '../../../config.ts';
import type { Meta } from '../../../runtime/environment.ts';
import { publicUrl } from '../../../runtime/provider-settings.ts';

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
export function sameHash(a: string, b: string): boolean {
  const left = Buffer.from(a);
  const right = Buffer.from(b);
  return left.length === right.length && timingSafeEqual(left, right);
}

/** What the address of the console follows from. */
export interface Linking {
  readonly config: Config;
  readonly meta: Meta;
}

/**
 * A new token of a link: 43 characters of base64url. Links contain it in the fragment, which browsers do not send to
 * servers.
 */
export const newLinkToken = () => randomBytes(32).toString('base64url');

/** The address of the console, which links of its pages begin with. */
export const linkBase = ({ config, meta }: Linking) => `${publicUrl(config, meta.gateway_url)}/console`;
