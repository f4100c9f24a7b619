import type { Config } from '../../../config.ts';
import type { StoredClient } from '../../../contracts/users/schemas.ts';
import { ServiceError } from '../../../domain/errors.ts';
import type { Cipher } from '../../../mixins/provider-api/cipher.ts';
import { openClient, type ProviderClient } from '../../../mixins/provider-api/token-endpoint.ts';
import { type ProviderName, providers } from '../../../providers/all.ts';
import { inRegion, settingIn, settingsOf } from '../../../runtime/provider-settings.ts';

/** Credentials at a provider, and the URL of its API. */
export interface OAuthClient {
  readonly apiUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

/** The OAuth client of the installation at a provider, for accounts of a region. @throws PROVIDER_NOT_CONFIGURED (409) naming the missing settings, CONNECTED_BY_APP (409) */
export function clientOf(config: Config, provider: ProviderName, region: string | null): OAuthClient {
  const { names } = providers[provider];
  const { apiUrl, clientId, clientSecret } = settingsOf(inRegion(config, provider, region), provider);
  if (names === null || apiUrl === null) throw new ServiceError('CONNECTED_BY_APP');
  if (clientId !== undefined && clientSecret !== undefined) return { apiUrl, clientId, clientSecret };
  const missing = [
    ...(clientId === undefined ? [names.clientId] : []),
    ...(clientSecret === undefined ? [names.clientSecret] : []),
  ].map((name) => settingIn(provider, region, name));
  const verb = missing.length === 1 ? 'is' : 'are';
  throw new ServiceError(
    'PROVIDER_NOT_CONFIGURED',
    `This provider is not configured: ${missing.join(' and ')} ${verb} not set.`,
  );
}

/** Where an account is. */
interface AccountPlace {
  readonly provider: ProviderName;
  readonly region: string | null;
}

/** The OAuth client of a project, or of the installation (null). Null: its credentials were removed. @throws as `clientOf` */
export function openedClient(
  { config, cipher }: { readonly config: Config; readonly cipher: Cipher },
  { provider, region }: AccountPlace,
  stored: StoredClient | null,
): OAuthClient | null {
  if (stored === null) return clientOf(config, provider, region);
  const client: ProviderClient | null = openClient(cipher, stored);
  if (client?.clientId === undefined || client.clientSecret === undefined) return null;
  const apiUrl = apiUrlOf(inRegion(config, provider, region), provider);
  return { apiUrl, clientId: client.clientId, clientSecret: client.clientSecret };
}

/** The URL of the API of a provider. @throws CONNECTED_BY_APP (409) */
export function apiUrlOf(config: Config, provider: ProviderName): string {
  const { apiUrl } = settingsOf(config, provider);
  if (apiUrl === null) throw new ServiceError('CONNECTED_BY_APP');
  return apiUrl;
}
