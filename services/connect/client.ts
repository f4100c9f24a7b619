import type { Config } from '../../config.ts';
import { ServiceError } from '../../domain/errors.ts';
import { type ProviderName, providers } from '../../providers/all.ts';
import { apiHeadersOf, settingsOf } from '../../runtime/provider-settings.ts';

/** The credentials of this installation at a provider, and the URL of its API. */
export interface OAuthClient {
  readonly apiUrl: string;
  readonly apiHeaders: Readonly<Record<string, string>>;
  readonly clientId: string;
  readonly clientSecret: string;
}

/** The OAuth client at a provider. @throws PROVIDER_NOT_CONFIGURED (409) naming the missing settings, CONNECTED_BY_APP (409) */
export function clientOf(config: Config, provider: ProviderName): OAuthClient {
  const { names } = providers[provider];
  const { apiUrl, clientId, clientSecret } = settingsOf(config, provider);
  if (names === null || apiUrl === null) throw new ServiceError('CONNECTED_BY_APP');
  if (clientId !== undefined && clientSecret !== undefined)
    return { apiUrl, apiHeaders: apiHeadersOf(config, provider), clientId, clientSecret };
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
