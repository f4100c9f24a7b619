import type { Config } from '../../config.ts';
import type { OAuth } from '../../domain/provider/provider.ts';
import type { ProviderApi } from '../../mixins/provider-api/provider-api.ts';
import type { FreshTokens } from '../../mixins/provider-api/token-endpoint.ts';
import { oauthOf, type ProviderName } from '../../providers/all.ts';
import { apiPath } from '../../providers/urls.ts';
import { clientOf } from './client.ts';

/** Registers an account with the application, where the provider wants it. Null: it is registered, or needs not be. */
export async function register(
  { config, api }: { readonly config: Config; readonly api: ProviderApi },
  provider: ProviderName,
  connected: { readonly userId: string; readonly account: string; readonly tokens: FreshTokens },
): Promise<'refused' | 'unavailable' | null> {
  const { registration }: OAuth = oauthOf(provider);
  if (registration === undefined) return null;
  const { path, json, knownStatus } = registration;
  const url = apiPath(clientOf(config, provider).apiUrl, path);
  const { access_token: token } = connected.tokens;
  const { status } = await api.request({ url, token, json: json(connected), timeoutMs: 5000 });
  if ((status >= 200 && status < 300) || status === knownStatus) return null;
  return status >= 400 && status < 500 && status !== 429 ? 'refused' : 'unavailable';
}
