import type { Config } from '../../config.ts';
import { type PulledName, pullOf } from '../../providers/all.ts';
import { publicUrl, secretAddresses, settingsOf } from '../../runtime/provider-settings.ts';

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
