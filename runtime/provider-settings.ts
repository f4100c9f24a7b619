import type { Config } from '../config.ts';
import { contracts } from '../contracts/all.ts';
import { apiPrefix, type Contract } from '../domain/contract.ts';
import type { Provider, SettingNames } from '../domain/provider/provider.ts';
import { byProvider, type ProviderName, providerNamed, providers } from '../providers/all.ts';

/** The settings of one provider. `Url` is null for a provider without an API. */
export interface ProviderSettings<Url extends string | null = string> {
  readonly apiUrl: Url;
  /** Credentials that the provider issued to this installation. */
  readonly clientId: string | undefined;
  readonly clientSecret: string | undefined;
  /** Secrets in the webhook addresses. The first is shown to developers, all are accepted. */
  readonly webhookSecrets: readonly string[];
  /** Addresses and ranges that may send webhooks. Empty: any. */
  readonly webhookSenders: readonly string[];
}

/** A provider with an API. */
export type ApiProvider = {
  [N in ProviderName]: (typeof providers)[N]['names'] extends SettingNames ? N : never;
}[ProviderName];

/** The names of the settings with webhook secrets, of all providers. */
export const webhookSecretNames = Object.values(providers).flatMap(({ names }) =>
  names === null || names.webhookSecrets === null ? [] : [names.webhookSecrets],
);

/**
 * Whether a setting of a provider is a secret, by its name. A secret reaches a container as a file, and only the services that
 * use it; the other settings reach all.
 */
export const isSecretSetting = (name: string): boolean =>
  /^WEBHOOK_SECRET_|_(SECRET|KEY|TOKEN|ACCOUNT|AUTHORIZATION)$/.test(name);

const withoutApi: ProviderSettings<null> = {
  apiUrl: null,
  clientId: undefined,
  clientSecret: undefined,
  webhookSecrets: [],
  webhookSenders: [],
};

/** The settings of a provider under common names. */
export function settingsOf(config: Config, provider: ApiProvider): ProviderSettings;
/** The same for any provider; without an API the URL is null. */
export function settingsOf(config: Config, provider: ProviderName): ProviderSettings<string | null>;
/** The implementation of both. */
export function settingsOf(config: Config, provider: ProviderName): ProviderSettings<string | null> {
  const { names } = providers[provider];
  if (names === null) return withoutApi;
  return {
    apiUrl: config[names.apiUrl],
    clientId: config[names.clientId],
    clientSecret: config[names.clientSecret],
    webhookSecrets: names.webhookSecrets === null ? [] : (config[names.webhookSecrets] ?? []),
    webhookSenders: names.webhookSenders === null ? [] : config[names.webhookSenders],
  };
}

/** The headers that every request of a provider's API needs. */
export function apiHeadersOf(config: Config, provider: ProviderName): Readonly<Record<string, string>> {
  const { apiHeaders }: Provider = providers[provider];
  return apiHeaders?.(config) ?? {};
}

/** The name of a provider that people read. */
export const titleOf = ({ PROVIDER_NAMES }: Pick<Config, 'PROVIDER_NAMES'>, provider: ProviderName): string =>
  PROVIDER_NAMES[provider] ?? providers[provider].title;

/** The names that people read, of a provider and of its sources by a part of the device's or the app's name, and its colour. */
export interface Titles {
  readonly title: string;
  readonly colour: string;
  readonly source_titles: Readonly<Record<string, string>>;
}

/** The names that people read, and the colours, of all providers. */
export const titlesOf = (config: Pick<Config, 'PROVIDER_NAMES'>): Readonly<Record<ProviderName, Titles>> =>
  byProvider((provider) => {
    const { colour, sourceTitles = {} }: Provider = providers[provider];
    return { title: titleOf(config, provider), colour, source_titles: sourceTitles };
  });

/** Whether users can connect to a provider: its client id and secret are set, or it needs none. */
export function isConfigured(config: Config, provider: ProviderName): boolean {
  if (providers[provider].names === null) return true;
  const { clientId, clientSecret } = settingsOf(config, provider);
  return clientId !== undefined && clientSecret !== undefined;
}

/** A route with a secret address: its path with the API's prefix, and its provider. */
export interface SecretRoute {
  readonly path: string;
  readonly provider: ProviderName;
  /** The kind of deliveries that it receives. Undefined if it receives none. */
  readonly kind: string | undefined;
}

/** All routes with a secret address. */
export const secretRoutes: readonly SecretRoute[] = contracts.flatMap((contract: Contract) =>
  Object.values(contract.actions).flatMap(({ http }) => {
    if (http?.secretAddress === undefined) return [];
    const provider = providerNamed(http.secretAddress);
    return [{ path: `${apiPrefix}${http.path}`, provider, kind: http.delivery?.kind }];
  }),
);

/** The URL of the API: PUBLIC_URL, otherwise the address of the gateway. */
export function publicUrl({ PUBLIC_URL, HOST, PORT }: Config, gatewayUrl: string | undefined): string {
  return (PUBLIC_URL ?? gatewayUrl ?? `http://${HOST}:${PORT}`).replace(/\/$/, '');
}

/** The secret addresses of a provider's webhooks by kind, to be registered at the provider. Empty without a secret. */
export function secretAddresses(
  config: Config,
  provider: ProviderName,
  baseUrl: string,
): Readonly<Record<string, string>> {
  const [secret] = settingsOf(config, provider).webhookSecrets;
  if (secret === undefined) return {};
  const own = deliveryRoutes(provider);
  return Object.fromEntries(own.map(({ path, kind }) => [kind, `${baseUrl}${path}/${secret}`]));
}

/** The addresses to register at a provider, by kind: the secret ones, or the plain ones without a secret. */
export function addressesToRegister(
  config: Config,
  provider: ProviderName,
  baseUrl: string,
): Readonly<Record<string, string>> {
  const secret = secretAddresses(config, provider, baseUrl);
  if (Object.keys(secret).length > 0) return secret;
  return Object.fromEntries(deliveryRoutes(provider).map(({ path, kind }) => [kind, `${baseUrl}${path}`]));
}

const deliveryRoutes = (provider: ProviderName) =>
  secretRoutes.filter((route) => route.kind !== undefined && route.provider === provider);
