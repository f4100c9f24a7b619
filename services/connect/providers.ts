import type { Config } from '../../config.ts';
import { ServiceError } from '../../domain/errors.ts';
import type { ProviderName } from '../../domain/wire.ts';

/** What the way to a provider's consent page and back depends on. */
export interface ProviderAccess {
  readonly authorizeUrl: URL;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly apiUrl: string;
  /** What is asked for; the owner may grant less. Null where the consent page has its own list. */
  readonly scope: string | null;
  /** Proof Key for Code Exchange (S256). */
  readonly hasProof: boolean;
  /** Ends our access to an account. */
  readonly farewell: { readonly url: URL; readonly method: 'DELETE' | 'POST' };
}

const bare = (url: string) => url.replace(/\/$/, '');

/** A provider's access. @throws PROVIDER_NOT_CONFIGURED (409) naming the settings that are not there */
export function accessOf(config: Config, provider: ProviderName): ProviderAccess {
  return provider === 'devicemaker' ? devicemaker(config) : activitynet(config);
}

function devicemaker(config: Config): ProviderAccess {
  const client = clientOf('DEVICEMAKER', config.DEVICEMAKER_CLIENT_ID, config.DEVICEMAKER_CLIENT_SECRET);
  const apiUrl = bare(config.DEVICEMAKER_API_URL);
  const authorizeUrl = new URL(config.DEVICEMAKER_AUTHORIZE_URL);
  const farewell = { url: new URL(`${apiUrl}/user/registration`), method: 'DELETE' } as const;
  return { ...client, apiUrl, authorizeUrl, scope: null, hasProof: true, farewell };
}

function activitynet(config: Config): ProviderAccess {
  const client = clientOf('ACTIVITYNET', config.ACTIVITYNET_CLIENT_ID, config.ACTIVITYNET_CLIENT_SECRET);
  const oauth = bare(config.ACTIVITYNET_OAUTH_URL);
  const apiUrl = bare(config.ACTIVITYNET_API_URL);
  const authorizeUrl = new URL(`${oauth}/authorize`);
  const farewell = { url: new URL(`${oauth}/deauthorize`), method: 'POST' } as const;
  const scope = 'activity:read_all,profile:read_all';
  return { ...client, apiUrl, authorizeUrl, scope, hasProof: false, farewell };
}

function clientOf(prefix: string, clientId: string | undefined, clientSecret: string | undefined) {
  if (clientId !== undefined && clientSecret !== undefined) return { clientId, clientSecret };
  const missing = [
    ...(clientId === undefined ? [`${prefix}_CLIENT_ID`] : []),
    ...(clientSecret === undefined ? [`${prefix}_CLIENT_SECRET`] : []),
  ];
  const verb = missing.length === 1 ? 'is' : 'are';
  throw new ServiceError(
    'PROVIDER_NOT_CONFIGURED',
    `This provider is not set up here: ${missing.join(' and ')} ${verb} not set.`,
  );
}
