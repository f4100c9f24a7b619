import { createHash, timingSafeEqual } from 'node:crypto';
import { ServiceError } from '../../domain/errors.ts';

/** What the provider asks when a subscription is made. */
export interface SubscriptionCheck {
  readonly 'hub.challenge': string;
  readonly 'hub.verify_token': string;
}

/** Echoes the challenge of whoever knows our token. @throws VERIFY_TOKEN_INVALID (403), also while none is set */
export function verifySubscription(
  check: SubscriptionCheck,
  expected: string | undefined,
): { 'hub.challenge': string } {
  if (expected === undefined || !same(check['hub.verify_token'], expected))
    throw new ServiceError('VERIFY_TOKEN_INVALID');
  return { 'hub.challenge': check['hub.challenge'] };
}

// Of digests: their length tells nothing of the token's.
function same(given: string, expected: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}
