import type { Config } from '../../config.ts';
import { ServiceError } from '../../domain/errors.ts';
import { type ProviderName, providers } from '../../providers/all.ts';
import { settingsOf } from '../../runtime/provider-settings.ts';

/** The OAuth client at a provider. @throws PROVIDER_NOT_CONFIGURED (409) naming the missing settings */
export function clientOf(
  config: Config,
  provider: ProviderName,
): { readonly clientId: string; readonly clientSecret: string } {
  const { clientId, clientSecret } = settingsOf(config, provider);
  if (clientId !== undefined && clientSecret !== undefined) return { clientId, clientSecret };
  const { names } = providers[provider];
  const missing = [
    ...(clientId === undefined ? [names.clientId] : []),
    ...(clientSecret === undefined ? [names.clientSecret] : []),
  ];
  const verb = missing.length === 1 ? 'is' : 'are';
  throw new ServiceError(
    'PROVIDER_NOT_CONFIGURED',
    `This provider is not configured: ${missing.join(' and ')} ${verb} not set.`,
  );
}

/** Whether users can connect to a provider. */
export function isConfigured(config: Config, provider: ProviderName): boolean {
  const { clientId, clientSecret } = settingsOf(config, provider);
  return clientId !== undefined && clientSecret !== undefined;
}
