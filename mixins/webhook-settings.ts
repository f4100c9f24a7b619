import type { Config } from '../config.ts';
import { contracts } from '../contracts/all.ts';
import { apiPrefix, type Contract } from '../domain/contract.ts';
import type { ProviderName } from '../domain/wire.ts';

/** What the settings say about the webhooks of one provider. */
export interface WebhookSettings {
  /** Secrets of the secret addresses. The first is shown to developers, all of them are accepted. */
  readonly secrets: readonly string[];
  /** Addresses and ranges that may send; empty: any. */
  readonly senders: readonly string[];
  /** Credentials that the provider gave to this installation. */
  readonly clientId: string | undefined;
  readonly clientSecret: string | undefined;
}

const readers: Readonly<Record<ProviderName, (config: Config) => WebhookSettings>> = {
  devicemaker: (config) => ({
    secrets: config.WEBHOOK_SECRET_DEVICEMAKER ?? [],
    senders: config.WEBHOOK_SENDERS_DEVICEMAKER,
    clientId: config.DEVICEMAKER_CLIENT_ID,
    clientSecret: config.DEVICEMAKER_CLIENT_SECRET,
  }),
  activitynet: (config) => ({
    secrets: config.WEBHOOK_SECRET_ACTIVITYNET ?? [],
    senders: config.WEBHOOK_SENDERS_ACTIVITYNET,
    clientId: config.ACTIVITYNET_CLIENT_ID,
    clientSecret: config.ACTIVITYNET_CLIENT_SECRET,
  }),
};

/** The settings of a provider's webhooks. */
export function webhookSettings(config: Config, provider: ProviderName): WebhookSettings {
  return readers[provider](config);
}

const routes = contracts.flatMap((contract: Contract) =>
  Object.values(contract.actions).flatMap(({ http }) => (http?.secretAddress === undefined ? [] : [http])),
);

/** A route that has a secret address: its path with the prefix of the API, and whose secret it takes. */
export const secretRoutes: readonly { readonly path: string; readonly provider: ProviderName }[] =
  routes.flatMap(({ path, secretAddress }) =>
    secretAddress === undefined ? [] : [{ path: `${apiPrefix}${path}`, provider: secretAddress }],
  );

/** Where the API is reached: PUBLIC_URL, else where the gateway itself listens. */
export function publicUrl({ PUBLIC_URL, HOST, PORT }: Config, gatewayUrl: string | undefined): string {
  return (PUBLIC_URL ?? gatewayUrl ?? `http://${HOST}:${PORT}`).replace(/\/$/, '');
}

/** The secret addresses of a provider's webhooks by kind, as an operator registers them; empty without a secret. */
export function secretAddresses(
  config: Config,
  provider: ProviderName,
  baseUrl: string,
): Readonly<Record<string, string>> {
  const [secret] = webhookSettings(config, provider).secrets;
  if (secret === undefined) return {};
  const own = routes.filter((route) => route.delivery !== undefined && route.secretAddress === provider);
  return Object.fromEntries(
    own.map(({ path, delivery }) => [delivery?.kind, `${baseUrl}${apiPrefix}${path}/${secret}`]),
  );
}

/**
 * Whether the answer to a delivery must not say whether an account exists: nobody authenticated its sender, and the
 * provider is a real one, whose client secret is set.
 */
export function hidesAccounts(config: Config, provider: ProviderName, authenticated: boolean): boolean {
  if (authenticated) return false;
  if (config.WEBHOOK_PLAIN_ANSWERS !== 'auto') return config.WEBHOOK_PLAIN_ANSWERS === 'reduced';
  return webhookSettings(config, provider).clientSecret !== undefined;
}
