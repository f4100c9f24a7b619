import { isIP } from 'node:net';
import type { Config } from '../../../config.ts';
import { ServiceError } from '../../../domain/errors.ts';
import { isSameSecret } from '../../../domain/same-secret.ts';
import { isNotifying, type NotifyingName, notificationsOf, type PulledName } from '../../../providers/all.ts';
import { isPublicAddress } from '../../../runtime/http/public-address.ts';
import { publicUrl, secretAddresses, settingsOf } from '../../../runtime/provider-settings.ts';

/**
 * Whether a provider can reach this installation: PUBLIC_URL is https at a public host, or the provider is the sandbox. Nothing
 * else is registered, because a provider that reaches nobody ends the subscription of whoever had it.
 */
export function isReachable(config: Config, provider: PulledName): boolean {
  const { origin } = new URL(settingsOf(config, provider).apiUrl);
  if (config.SANDBOX_URL !== undefined && new URL(config.SANDBOX_URL).origin === origin) return true;
  if (config.PUBLIC_URL === undefined) return false;
  const { protocol, hostname } = new URL(config.PUBLIC_URL);
  const host = hostname.replace(/^\[|\]$|\.$/g, '');
  if (protocol !== 'https:') return false;
  return isIP(host) === 0 ? host.includes('.') && !localNames.test(host) : isPublicAddress(host);
}

const localNames = /\.(localhost|local|internal|intranet|lan|home\.arpa)$/;

/** The secret address for the notifications of a provider. Null without notifications, without a secret, or if the provider cannot reach it. */
export function addressOf(config: Config, provider: PulledName): string | null {
  if (!isNotifying(provider) || !isReachable(config, provider)) return null;
  const { kind } = notificationsOf(provider);
  return secretAddresses(config, provider, publicUrl(config, undefined))[kind] ?? null;
}

/** The answer to a provider's check of the address. @throws VERIFY_TOKEN_INVALID (403), also if no token is configured */
export function answerCheck(
  config: Config,
  provider: NotifyingName,
  params: Readonly<Record<string, unknown>>,
): { status: 'ok' } | Record<string, string> {
  const { challenge } = notificationsOf(provider);
  if (challenge === undefined) return { status: 'ok' };
  const [token, expected] = [params[challenge.token], challenge.expected(config)];
  if (typeof token !== 'string' || expected === undefined || !isSameSecret(token, expected))
    throw new ServiceError('VERIFY_TOKEN_INVALID');
  return { [challenge.challenge]: String(params[challenge.challenge]) };
}
