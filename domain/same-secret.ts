import { createHash, timingSafeEqual } from 'node:crypto';

/** Whether two secrets are equal. Digests are compared, because comparing the values would reveal the length. */
export function isSameSecret(given: string, expected: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}
