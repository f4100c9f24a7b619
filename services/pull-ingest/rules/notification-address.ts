import type { Config } from '../../../config.ts';
import { ServiceError } from '../../../domain/errors.ts';
import { isSameSecret } from '../../../domain/same-secret.ts';
import { type PulledName, pullOf } from '../../../providers/all.ts';
import { publicUrl, secretAddresses, settingsOf } from '../../../runtime/provider-settings.ts';

/**
 * The secret address for the notifications of a provider. Null without a secret, or without PUBLIC_URL, unless the provider
 * is on this machine.
 */
export function addressOf(config: Config, provider: PulledName): string | null {
  const { hostname } = new URL(settingsOf(config, provider).apiUrl);
  if (config.PUBLIC_URL === undefined && hostname !== '127.0.0.1') return null;
  const { kind } = pullOf(provider).notifications;
  return secretAddresses(config, provider, publicUrl(config, undefined))[kind] ?? null;
}

/** The answer to a provider's check of the address. @throws VERIFY_TOKEN_INVALID (403), also if no token is configured */
export function answerCheck(
  config: Config,
  provider: PulledName,
  params: Readonly<Record<string, unknown>>,
): { status: 'ok' } | Record<string, string> {
  const { challenge } = pullOf(provider).notifications;
  if (challenge === undefined) return { status: 'ok' };
  const [token, expected] = [params[challenge.token], challenge.expected(config)];
  if (typeof token !== 'string' || expected === undefined || !isSameSecret(token, expected))
    throw new ServiceError('VERIFY_TOKEN_INVALID');
  return { [challenge.challenge]: String(params[challenge.challenge]) };
}
