import type { Config } from '../../config.ts';
import { ServiceError } from '../../domain/errors.ts';
import { isSameSecret } from '../../domain/same-secret.ts';
import { type PulledName, pullOf } from '../../providers/all.ts';

/** The answer to a provider's check of the address. @throws VERIFY_TOKEN_INVALID (403), also if no token is configured */
export function answerCheck(
  config: Config,
  provider: PulledName,
  params: Readonly<Record<string, unknown>>,
): { status: 'ok' } | Record<string, string> {
  const { challenge } = pullOf(provider).notifications;
  if (challenge === undefined) return { status: 'ok' };
  const [given, expected] = [params[challenge.token], challenge.expected(config)];
  if (typeof given !== 'string' || expected === undefined || !isSameSecret(given, expected))
    throw new ServiceError('VERIFY_TOKEN_INVALID');
  return { [challenge.challenge]: String(params[challenge.challenge]) };
}
