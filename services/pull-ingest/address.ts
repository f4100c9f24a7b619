import type { Config } from '../../config.ts';
import { type PulledName, pullOf } from '../../providers/all.ts';
import { publicUrl, secretAddresses } from '../../runtime/provider-settings.ts';

/** The secret address for the notifications of a provider. Null without a secret or PUBLIC_URL. */
export function addressOf(config: Config, provider: PulledName): string | null {
  if (config.PUBLIC_URL === undefined) return null;
  const { kind } = pullOf(provider).notifications;
  return secretAddresses(config, provider, publicUrl(config, undefined))[kind] ?? null;
}
