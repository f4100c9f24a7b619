/** The names of the usual five settings of a provider. */
export const settingNames = <N extends string>(name: N) =>
  ({
    apiUrl: `${name}_API_URL`,
    clientId: `${name}_CLIENT_ID`,
    clientSecret: `${name}_CLIENT_SECRET`,
    webhookSecrets: `WEBHOOK_SECRET_${name}`,
    webhookSenders: `WEBHOOK_SENDERS_${name}`,
  }) as const;

/** The names of the settings of a provider that has no webhooks. */
export const settingNamesOfPolled = <N extends string>(name: N) =>
  ({ ...settingNames(name), webhookSecrets: null, webhookSenders: null }) as const;

/** What providers have in common that list their data, and whose notifications name what changed. */
export const listed = {
  ingest: { service: 'pull-ingest', readsWithTokens: true, hasFigures: true },
  backfill: { from: 'pages', service: 'pull-ingest' },
} as const;

/** A notification that names one account and has no data of it. What mentions the account is erased whole. */
export const withoutData = { form: 'single-event', accountsOf: () => null } as const;

/** A provider without webhooks. */
export const noWebhooks = {
  clientIdHeaders: [],
  keptHeaders: [],
  subscriptionSettings: [],
  body: withoutData,
} as const;

/** Signed notifications in JSON, of which nothing checks the address. */
export const jsonEvents = {
  kind: 'events',
  bodyLimitBytes: 16_384,
  form: 'json',
  acceptedStatus: 200,
  answersProbe: false,
  isHandshake: null,
  authorization: null,
} as const;

/** A burst of notifications of one type is read once. */
export const pace = { settleMs: 3000, floorMs: 10_000 } as const;

/** At most so many requests in a sliding window. */
export const limit = <S>(
  of: 'account' | 'application',
  requests: (settings: S) => number,
  windowMs: number,
) => ({ of, requests, windowMs });

const mostScopes = 100;
const longestScope = 100;

/** The names in scope texts, which providers separate by commas or blanks. Each name once, at most 100. */
export function scopesIn(texts: readonly string[]): string[] {
  const names = texts.flatMap((text) => text.split(/[\s,]+/));
  const usable = names.filter((name) => name !== '' && name.length <= longestScope && !name.includes('\0'));
  return [...new Set(usable)].slice(0, mostScopes);
}

/** A path below a base URL that may end with a slash. */
export function apiPath(base: string, path: string): URL {
  return new URL(`${base.replace(/\/$/, '')}${path}`);
}
