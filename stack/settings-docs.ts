import type { z } from 'zod';
import { settingForms } from '../config.ts';
import type { Provider } from '../domain/provider/provider.ts';
import { providerNames, providers } from '../providers/all.ts';

/** What each setting means, by group. Those of providers are described by their forms, or by how their names end. */
const groups: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'Addresses and processes': {
    PORT: 'where the gateway listens',
    HOST: '0.0.0.0 in containers',
    PUBLIC_URL:
      'the address of this installation for browsers and providers, if it is not HOST and PORT: that of a proxy',
    TRUSTED_PROXIES: 'proxies whose `X-Forwarded-For` is trusted: addresses and ranges',
    WORKERS:
      'processes that share PORT, each with all services; `npm start` sets the number of cores, at most 4',
    SERVICES: 'the services of this process; none: all',
    NAMESPACE: 'separates installations on one bus',
    DRAIN_MS: 'how long a process that stops still answers, until a balancer has noticed; `npm start` sets 0',
  },
  'Servers and folders': {
    DATABASE_URL:
      'PostgreSQL; unset: it is started here. Several hosts may be named ([operating](operating.md))',
    DATABASE_READ_URL:
      'a replica that pages, summaries, exports and lists are read from while it is up to date ([operating](operating.md))',
    DATABASE_POOL: 'database connections of a process, divided among its workers ([operating](operating.md))',
    NATS_URL: 'the servers of a bus, a list; unset: one is started here',
    NATS_CA: 'a file (PEM): the authority of a bus with TLS',
    NATS_CERT: 'a file (PEM): the certificate of the client',
    NATS_KEY: 'a file (PEM): the key of the client',
    DATA_DIR: 'databases and generated secrets; one process at a time can use it',
    STACK_DIR: 'the unpacked PostgreSQL and NATS, shared by all checkouts; unset: a cache folder',
    DEBIAN_MIRROR: 'where they are downloaded from; unset: the mirror that this machine is set to',
    IMPORT_DIR:
      'the folder of files that are imported ([files](files.md)); all processes of `file-import` share it. Unset: `imports` in DATA_DIR',
  },
  'Accounts and secrets': {
    ADMIN_EMAIL: 'the first developer account, used only while no account exists; unset: admin@example.com',
    ADMIN_PASSWORD: 'its password; unset: generated, and shown by the start',
    JWT_SECRET: 'a list: the first signs tokens, all verify; unset: generated',
    ENCRYPTION_KEY: 'a list: the first encrypts, all decrypt; unset: generated',
    PASSWORDS: 'off: developers sign in with the identity provider only',
    SMTP_URL:
      'the mail server (`smtps://user:password@host`, or `smtp://` with STARTTLS) for invitations and password resets ([operating](operating.md))',
    MAIL_FROM: 'the sender of mails',
    OIDC_ISSUER:
      'the OpenID provider that developers sign in to the console with; its redirect address is PUBLIC_URL + `/console/oidc/callback` ([operating](operating.md))',
    OIDC_CLIENT_ID: 'the client id at the OpenID provider',
    OIDC_CLIENT_SECRET: 'its secret',
    OIDC_ALLOWED_DOMAINS: 'domains of e-mail addresses that may sign in with the OpenID provider; none: all',
    OIDC_ROLE_CLAIM: 'the claim whose values give roles',
    OIDC_ROLES: 'what its values give: `value=project:role,…`',
    SDK_TOKEN_MINUTES: "how long a user's access token is valid",
    SDK_SESSION_DAYS: "maximum age of a user's session, whether refreshed or not",
    DEVELOPER_SESSION_DAYS: "maximum age of a developer's session",
  },
  'Connecting users': {
    CONNECT_REDIRECTS: 'where a browser may be sent after consent, a list of addresses; exact match',
    CONNECT_NAME: 'the name on the [connect page](connect-page.md)',
    CONNECT_COLOR: 'its colour',
    CONNECT_LOGO: 'its logo, a file',
    CONNECT_SHARED_ACCOUNTS: 'whether the connect page connects an account that is connected to another user',
    PROVIDERS:
      'files and packages with further providers ([adding a provider](adding-a-provider.md)), a list; the same in every process. Their code has all rights of the process',
    PROVIDER_NAMES: 'names of providers for people, in place of their titles: `name=Acme,…`',
    BACKFILL_ON_CONNECT:
      'whether past data is requested when a user connects, and that of the last 30 days when a connection is imported',
    BACKFILL_DAYS: 'how many past days are requested',
    BACKFILL_TYPES: 'the data types that are requested, where a provider is asked for each of them',
    BACKFILL_WAIT_SECONDS: 'how long a backfill waits for the data of one request',
  },
  Data: {
    SOURCE_PRIORITY: 'providers, best first, where several have the same data',
    DEVICE_PRIORITY: 'types of devices, best first, within a provider',
    EVENT_DELETE:
      'what a deletion at a provider does: `mark` keeps the row without its data, `remove` removes it',
    STORE_ROUTES:
      'false: no positions of routes are stored; a user may refuse too, and have the ends of routes cut (`PATCH /users/{id}/route-privacy`)',
    INSIGHTS:
      'off: nothing is computed ([insights](insights/README.md)), what is computed is deleted, and the routes answer 501',
    SLEEP_SCORE_WEIGHTS: 'the shares of duration, stages, consistency and interruptions in the sleep score',
    SAMPLE_RETENTION_DAYS:
      'older samples and tracks of workouts are deleted in the background in whole local days; workouts, sleep and day totals are kept. 0: all are kept. The rule of a project may be stricter ([projects](projects.md))',
    SAMPLE_COMPRESS_AFTER_DAYS:
      "samples of months that ended this long ago are compressed to a fortieth of their size, if the server has TimescaleDB's community edition (the compose file's has); 0: none are",
    DELIVERY_RETENTION_DAYS: 'how long raw deliveries are kept; dead letters four times as long',
    RAW_BODY_RETENTION_DAYS:
      'how long the raw bodies of processed deliveries are kept, for `POST /deliveries/reprocess`; those older than DELIVERY_RETENTION_DAYS, which is the default, are encrypted',
    IMPORT_RETENTION_DAYS:
      'how long the original of an import is kept after its end, encrypted, for `GET /users/{user_id}/imports/{import_id}/file` ([files](files.md)). 0: until its end. An export of an account holds more than health data, so that nothing is kept unless the operator decides so',
    AUDIT_READS: 'reads of personal data leave audit entries too',
    AUDIT_RETENTION_DAYS: 'older audit entries and counts of reads are deleted; 0: all are kept',
  },
  'What applications receive': {
    CHANGE_RETENTION_DAYS: 'older entries of the change log are deleted, and undelivered messages with them',
    CHANGE_JOIN_SECONDS:
      'after a change of an object was published, later changes of it are joined for this long',
    CHANGE_JOIN_HISTORICAL_SECONDS:
      'the same for data that is older than two days: it is published this long after the first change',
    WEBHOOK_ENDPOINT_ORIGINS:
      'origins of webhook endpoints that need not be https or public, for receivers in a private network: `http://127.0.0.1:4000`',
    DESTINATION_HOSTS:
      'hosts of [destinations](destinations.md) that need not be encrypted or public, as `host:port`: `127.0.0.1:9000`',
    MCP_ORIGINS: 'origins of web pages that may call `/mcp`, besides those of this machine and of PUBLIC_URL',
  },
  'What providers send': {
    WEBHOOK_PLAIN:
      'whether the plain webhook addresses are accepted too; unset: true while PUBLIC_URL is unset or of this machine',
    WEBHOOK_UNKNOWN_ITEMS:
      'items of a delivery that belong to no user are listed one by one up to this number',
    QUEUE_LIMIT: 'deliveries of a provider that wait; beyond that webhooks are refused with 503',
    WEBHOOK_MEMORY_MIB:
      'bodies of webhooks that a process has in memory; beyond that they are refused with 503',
    DISK_RESERVE_MIB: 'free disk below which webhooks are refused with 503, and files below twice as much',
    BODY_TIMEOUT_SECONDS: 'how long a body may take to arrive, besides the time of its bytes; then 408',
    BODY_MAX_RATIO: 'how many times its size a compressed body may unpack to',
    MAX_CONNECTIONS: 'connections of a process',
  },
  'Limits, per minute': {
    RATE_LIMIT_API_KEY: 'requests of an API key',
    RATE_LIMIT_SDK: 'requests about a user with a token of the user',
    RATE_LIMIT_DEVELOPER: 'requests of a developer',
    RATE_LIMIT_ADDRESS: 'requests of a network address without a credential',
    RATE_LIMIT_FAILURES: 'failed log-ins, codes and refreshes of a network address',
    RATE_LIMIT_ACCOUNT_FAILURES: 'failed log-ins of an account, an hour',
    RATE_LIMIT_UPLOADS: 'uploads of an installation of an app; of a user twice as many',
    RATE_LIMIT_UPLOAD_ITEMS: 'items in uploads of a user',
    RATE_LIMIT_WEBHOOK: 'webhooks of a network address',
  },
  'Logs, metrics, traces': {
    LOG_LEVEL: '`npm start` sets warn',
    LOG_FORMAT: 'text for people, or (`json`, and so in containers) a line of JSON for each entry',
    METRICS_PORT: 'where each process serves Prometheus metrics; 9100 in containers',
    OTEL_EXPORTER_OTLP_ENDPOINT:
      'the collector that metrics and traces are sent to, by OTLP over HTTP ([operating](operating.md))',
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'a whole address for traces; unset: `/v1/traces` of the former',
    OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: 'a whole address for metrics; unset: `/v1/metrics` of the former',
    OTEL_EXPORTER_OTLP_HEADERS: '`name=value,…`, values percent-encoded',
    OTEL_SERVICE_NAME: '`service.name` of metrics and traces',
    OTEL_RESOURCE_ATTRIBUTES: 'further attributes: `name=value,…`, values percent-encoded',
    TRACING_SAMPLE: 'the share of requests that are traced',
    CHECK_ANSWERS: 'answers that differ from their contract are logged; `npm run dev` sets it',
  },
  Sandbox: {
    SANDBOX: 'simulated providers with synthetic users; `auto`: while no provider is configured',
    SANDBOX_RECEIVER: 'whether the sandbox has a receiver of webhooks, for `npm run listen`',
    SANDBOX_SPEED: 'how many times faster than the clock its time passes',
    SANDBOX_URL: 'where the running sandbox takes orders; `npm start` sets it',
  },
};

/** Settings that most providers have, by how their names begin or end. */
const ofProviders: readonly (readonly [RegExp, string])[] = [
  [
    /^WEBHOOK_SECRET_/,
    'a list: the last segment of the secret webhook addresses. The first is shown, all are accepted. Unset: generated',
  ],
  [/^WEBHOOK_SENDERS_/, 'addresses and ranges that may send webhooks; none: any'],
  [/_API_URL$/, 'the API'],
  [/_(AUTHORIZE|OAUTH)_URL$/, 'the consent page'],
  [/_TOKEN_URL$/, 'where tokens are requested'],
  [/_REVOKE_URL$/, 'where the access ends'],
  [/_CLIENT_ID$/, 'the client id that the provider issued'],
  [/_CLIENT_SECRET$/, 'the client secret that the provider issued'],
  [/_(REQUESTS|READS)_PER_/, 'requests of all users, until the provider reports other limits'],
];

/** docs/settings.md: every setting with its default and its meaning. @throws Error if one has no meaning */
export function settingsDocs(): string {
  const provided = providerNames.flatMap((name) => {
    const { title, settings, regions = {} }: Provider = providers[name];
    const texts = Object.entries(settings).map(
      ([setting, form]) => [setting, textOf(setting, form) + regionText(regions, setting)] as const,
    );
    return texts.length === 0 ? [] : [[`${title} (\`${name}\`)`, Object.fromEntries(texts)] as const];
  });
  return [introduction, ...[...Object.entries(groups), ...provided].map(section)].join('\n');
}

function regionText(regions: NonNullable<Provider['regions']>, setting: string): string {
  const names = Object.entries(regions).flatMap(([name, { settings }]) =>
    Object.values(settings).includes(setting) ? [name] : [],
  );
  return names.length === 0 ? '' : `, for accounts of the region \`${names.join('`, `')}\``;
}

const introduction = `# Settings

Settings are environment variables, all optional. An invalid value stops the start and lists all invalid values. For a
misspelt name the nearest one is suggested. A failed start (a port in use, a server that does not answer, a folder that
cannot be written, a full disk) names the setting in one sentence. Lists are separated by commas.
\`npm run generate\` writes this page from [config.ts](../config.ts).
`;

function textOf(name: string, form: z.ZodType): string {
  const text = form.description ?? ofProviders.find(([pattern]) => pattern.test(name))?.[1];
  if (text === undefined) throw new Error(`${name} has no description`);
  return text;
}

function section([title, texts]: readonly [string, Readonly<Record<string, string>>]): string {
  const rows = Object.entries(texts).map(([name, text]) => `| ${name} | ${defaultOf(name)} | ${text} |`);
  return `## ${title}\n\n| setting | default | |\n|---|---|---|\n${rows.join('\n')}\n`;
}

function defaultOf(name: string): string {
  const form = settingForms[name];
  if (form === undefined) throw new Error(`config.ts has no setting ${name}`);
  if (name === 'WEBHOOK_PLAIN') return 'unset'; // by PUBLIC_URL
  const value = form.safeParse(undefined).data;
  if (value === undefined) return 'unset';
  return typeof value === 'object' && value !== null
    ? Object.values(value).join(', ') || 'none'
    : String(value);
}
