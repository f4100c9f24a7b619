import { ServiceError } from '../../domain/errors.ts';
import { isSameSecret } from '../../domain/same-secret.ts';

/** Parameters that the provider sends when a subscription is created. */
export interface SubscriptionCheck {
  readonly 'hub.challenge': string;
  readonly 'hub.verify_token': string;
}

/**
 * Returns the challenge if the verify token is right. @throws VERIFY_TOKEN_INVALID (403), also if no token is
 * configured
 */
export function verifySubscription(
  check: SubscriptionCheck,
  expected: string | undefined,
): { 'hub.challenge': string } {
  if (expected === undefined || !isSameSecret(check['hub.verify_token'], expected))
    throw new ServiceError('VERIFY_TOKEN_INVALID');
  return { 'hub.challenge': check['hub.challenge'] };
}
