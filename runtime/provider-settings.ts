import type { Config } from '../config.ts';
import { contracts } from '../contracts/all.ts';
import { apiPrefix, type Contract } from '../domain/contract.ts';
import { validationFailed } from '../domain/errors.ts';
import { ownValue } from '../domain/own-value.ts';
import { listed } from '../domain/plain-message.ts';
import type { Provider, SettingNames } from '../domain/provider/provider.ts';
import { type Region, settingsIn } from '../domain/provider/region.ts';
import { byProvider, type ProviderName, providerNamed, providers, regionsOf } from '../providers/all.ts';

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

/**
 * The settings for an account of a region. Null: the provider has no regions, or had none when the account was connected.
 * @throws Error for a region that the provider no longer has: no token of it may be sent to another one
 */
export function inRegion(config: Config, provider: ProviderName, region: string | null): Config {
  return region === null ? config : settingsIn(config, regionNamed(provider, region));
}

function regionNamed(provider: ProviderName, name: string): Region {
  const regions = regionsOf(provider);
  const region = ownValue(regions, name);
  if (region === undefined) throw new Error(`${provider} has no region of this name`);
  return region;
}

/** The name of a setting of a provider for an account of a region. */
export const settingIn = (provider: ProviderName, region: string | null, name: string): string =>
  region === null ? name : (regionNamed(provider, region).settings[name] ?? name);

/** The settings for each region of a provider; without regions, the settings alone. */
export function eachRegion(config: Config, provider: ProviderName): readonly Config[] {
  const regions = Object.values(regionsOf(provider));
  return regions.length === 0 ? [config] : regions.map((region) => settingsIn(config, region));
}

/**
 * The names of the regions in which a user can connect: those whose client is set. A client of a project is offered in all of them, because
 * the provider alone can say in which it has registered it.
 */
export const offeredRegions = (config: Config, provider: ProviderName, isClientOwn: boolean): string[] =>
  Object.entries(regionsOf(provider)).flatMap(([name, region]) =>
    isClientOwn || hasClient(settingsIn(config, region), provider) ? [name] : [],
  );

/**
 * The region of an account, as a caller chose it. Without a choice it is the first one that is offered. Null: the provider has no regions.
 * @throws VALIDATION_FAILED (422) for a region that the provider does not have
 */
export function chosenRegion(
  config: Config,
  provider: ProviderName,
  chosen: string | undefined,
  isClientOwn: boolean,
): string | null {
  const names = Object.keys(regionsOf(provider));
  if (chosen === undefined) return offeredRegions(config, provider, isClientOwn)[0] ?? names[0] ?? null;
  if (names.includes(chosen)) return chosen;
  const message =
    names.length === 0 ? 'must be left out: this provider has no regions' : `must be ${listed(names, 'or')}`;
  throw validationFailed([{ field: 'region', message }]);
}

/** The permissions that a link to a provider asks for. Some providers let the user choose them on their page. */
export function requestedScopes(provider: ProviderName): readonly string[] {
  const { oauth }: Provider = providers[provider];
  return oauth?.scope?.split(/[\s,]+/) ?? [];
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

/** Whether users can connect to a provider, in one of its regions: its client id and secret are set, or it needs none. */
export const isConfigured = (config: Config, provider: ProviderName): boolean =>
  eachRegion(config, provider).some((settings) => hasClient(settings, provider));

function hasClient(config: Config, provider: ProviderName): boolean {
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
