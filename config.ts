import { z } from 'zod';
import { isOneServer } from './domain/database-url.ts';
import { plainMessage } from './domain/plain-message.ts';
import { DeviceType, deviceTypes } from './domain/records/interval-records.ts';
import { isProviderName, providerNames, providerSettings, providers } from './providers/all.ts';
import {
  busUrl,
  databaseUrl,
  flag,
  hostAndPort,
  list,
  origin,
  pairs,
  redirect,
  secrets,
  share,
  url,
  weights,
  whole,
} from './providers/setting-forms.ts';
import { signInProblems, signInSettings } from './runtime/sign-in-settings.ts';

/*
 * Every setting, its form and its default: the only reader of the environment. A bad value stops the start, and
 * all bad values are named at once.
 */

/** The data types that BACKFILL_TYPES may name: those that any provider can be asked for. */
const backfillTypes: readonly string[] = [
  ...new Set(
    Object.values(providers).flatMap(({ backfill }) => (backfill.from === 'requests' ? backfill.types : [])),
  ),
];
const ShownName = z
  .string()
  .trim()
  .regex(/^[^=\p{C}]{1,60}$/u);
const shownNames = list.transform((pairs, context) => {
  const names: Record<string, string> = {};
  for (const pair of pairs) {
    const [key = '', ...rest] = pair.split('=');
    const name = ShownName.safeParse(rest.join('='));
    if (!isProviderName(key)) context.addIssue(`must name some of ${providerNames.join(', ')}`);
    else if (!name.success) context.addIssue(`must be provider=name, …, each name 1 to 60 characters`);
    else names[key] = name.data;
  }
  return names;
});

const Settings = z.object({
  // A setting of this product has priority over one of a provider of PROVIDERS.
  ...providerSettings,
  PORT: whole(0, 65_535).default(3000),
  HOST: z.string().default('127.0.0.1'),
  METRICS_PORT: whole(0, 65_535).optional(),
  DATA_DIR: z.string().default('.data'),
  STACK_DIR: z.string().optional(),
  DEBIAN_MIRROR: url.optional(),
  PUBLIC_URL: url.optional(),
  DATABASE_URL: databaseUrl('read-write', 'primary').optional(),
  DATABASE_READ_URL: databaseUrl().refine(isOneServer, 'must name one server').optional(),
  NATS_URL: busUrl.optional(),
  NATS_CA: z.string().optional(),
  NATS_CERT: z.string().optional(),
  NATS_KEY: z.string().optional(),
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace']).default('info'),
  OTEL_EXPORTER_OTLP_ENDPOINT: url.optional(),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: url.optional(),
  OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: url.optional(),
  OTEL_EXPORTER_OTLP_HEADERS: pairs.default({}),
  OTEL_SERVICE_NAME: z.string().default('pulsebus'),
  OTEL_RESOURCE_ATTRIBUTES: pairs.default({}),
  TRACING_SAMPLE: share.default(0.01),
  LOG_FORMAT: z.enum(['short', 'json']).default('short'),
  TRUSTED_PROXIES: list.default([]),
  ADMIN_EMAIL: z.email().optional(),
  ADMIN_PASSWORD: z.string().min(10, 'must have at least 10 characters').optional(),
  JWT_SECRET: secrets.optional(),
  ENCRYPTION_KEY: secrets.optional(),
  SANDBOX: z.enum(['auto', 'on', 'off']).default('auto'),
  SANDBOX_RECEIVER: z.enum(['on', 'off']).default('on'),
  SANDBOX_SPEED: whole(1, 100_000).default(1),
  /** Where the running sandbox takes orders. `npm start` sets it. */
  SANDBOX_URL: url.optional(),
  SERVICES: list.default([]),
  /** Processes of `npm start`, or of a container, that share its port. `npm start` sets the number of cores, at most 4. */
  WORKERS: whole(1, 64).default(1),
  DATABASE_POOL: whole(1, 200).default(12),
  NAMESPACE: z
    .string()
    .regex(/^[\w-]{1,64}$/, 'must be letters, digits, _ or -')
    .default('pulsebus'),
  DRAIN_MS: whole(0, 3000).default(1000),
  QUEUE_LIMIT: whole(1, 100_000_000).default(100_000),
  WEBHOOK_MEMORY_MIB: whole(1, 65_536).default(256),
  DISK_RESERVE_MIB: whole(0, 1_000_000_000).default(512),
  WEBHOOK_UNKNOWN_ITEMS: whole(1, 1_000_000).default(1000),
  MAX_CONNECTIONS: whole(1, 1_000_000).default(10_000),
  BODY_TIMEOUT_SECONDS: whole(1, 3600).default(60),
  BODY_MAX_RATIO: whole(10, 100_000).default(200),
  EVENT_DELETE: z.enum(['mark', 'remove']).default('mark'),
  DELIVERY_RETENTION_DAYS: whole(1, 3650).default(7),
  RAW_BODY_RETENTION_DAYS: whole(1, 3650).optional(),
  /** The folder of files that are imported. Default: `imports` in DATA_DIR. */
  IMPORT_DIR: z.string().optional(),
  IMPORT_RETENTION_DAYS: whole(0, 365).default(0),
  STORE_ROUTES: flag.default(true),
  SAMPLE_RETENTION_DAYS: whole(0, 36_500).default(0),
  SAMPLE_COMPRESS_AFTER_DAYS: whole(0, 36_500).default(14),
  CHANGE_RETENTION_DAYS: whole(1, 3650).default(30),
  CHANGE_JOIN_SECONDS: whole(0, 3600).default(1),
  CHANGE_JOIN_HISTORICAL_SECONDS: whole(0, 3600).default(30),
  WEBHOOK_ENDPOINT_ORIGINS: list.pipe(z.array(origin)).default([]),
  DESTINATION_HOSTS: list.pipe(z.array(hostAndPort)).default([]),
  MCP_ORIGINS: list.pipe(z.array(origin)).default([]),
  SOURCE_PRIORITY: list.default([...providerNames]),
  DEVICE_PRIORITY: list.pipe(z.array(DeviceType)).default([...deviceTypes]),
  PROVIDER_NAMES: shownNames.default({}),
  /** Files and packages with more providers. providers/all.ts reads it before there are settings. */
  PROVIDERS: list.default([]),
  INSIGHTS: z.enum(['on', 'off']).default('on'),
  /** The share of duration, stages, consistency and interruptions in the sleep score. */
  SLEEP_SCORE_WEIGHTS: weights.default([0.4, 0.2, 0.2, 0.2]),
  CONNECT_REDIRECTS: list.pipe(z.array(redirect)).default([]),
  CONNECT_SHARED_ACCOUNTS: flag.default(false),
  CONNECT_NAME: z.string().trim().min(1).max(60, 'must be at most 60 characters').default('Pulsebus'),
  CONNECT_COLOR: z
    .string()
    .regex(/^#[0-9a-fA-F]{6}$/, 'must be a colour such as #1a6b52')
    .default('#1a5fb4'),
  CONNECT_LOGO: z.string().optional(),
  BACKFILL_ON_CONNECT: flag.default(true),
  BACKFILL_DAYS: whole(1, 3650).default(30),
  BACKFILL_WAIT_SECONDS: whole(1, 86_400).default(300),
  BACKFILL_TYPES: list
    .refine(
      (types) => types.length > 0 && types.every((type) => backfillTypes.includes(type)),
      `must name some of ${backfillTypes.join(', ')}`,
    )
    .transform((types) => [...new Set(types)])
    .default([...backfillTypes]),
  AUDIT_READS: flag.default(false),
  CHECK_ANSWERS: flag.default(false),
  AUDIT_RETENTION_DAYS: whole(0, 36_500).default(0),
  RATE_LIMIT_API_KEY: whole(1, 1_000_000_000).default(1000),
  RATE_LIMIT_SDK: whole(1, 1_000_000_000).default(100),
  RATE_LIMIT_DEVELOPER: whole(1, 1_000_000_000).default(1000),
  RATE_LIMIT_ADDRESS: whole(1, 1_000_000_000).default(300),
  RATE_LIMIT_FAILURES: whole(1, 1_000_000_000).default(30),
  RATE_LIMIT_ACCOUNT_FAILURES: whole(1, 1_000_000_000).default(100),
  RATE_LIMIT_UPLOADS: whole(1, 1_000_000_000).default(600),
  RATE_LIMIT_UPLOAD_ITEMS: whole(1, 1_000_000_000).default(1_000_000),
  RATE_LIMIT_WEBHOOK: whole(1, 1_000_000_000).default(60_000),
  SDK_TOKEN_MINUTES: whole(1, 1440).default(60),
  SDK_SESSION_DAYS: whole(1, 3650).default(365),
  DEVELOPER_SESSION_DAYS: whole(1, 3650).default(30),
  WEBHOOK_PLAIN: flag.default(true), // by PUBLIC_URL: see isOnThisMachine
  ...signInSettings,
});

/** The forms of all settings, with their defaults, by name. */
export const settingForms: Readonly<Record<string, z.ZodType>> = Settings.shape;

/** The names of all settings. */
export const settingNames: readonly string[] = Object.keys(settingForms);

/** All settings, validated. */
export type Config = z.output<typeof Settings>;

/** Text by name, as the environment has it. */
export type RawSettings = Readonly<Record<string, string | undefined>>;

/** The settings were not usable; `problems` has a line for each bad value. */
export class ConfigError extends Error {
  readonly problems: readonly string[];
  constructor(problems: readonly string[]) {
    super(`These settings are not usable:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
    this.name = 'ConfigError';
    this.problems = problems;
  }
}

/**
 * Reads the settings of an environment; an empty text is as good as none. `preset` stands in for what is not set.
 * @throws ConfigError naming every bad value, never the value itself: it may be a secret.
 */
export function loadConfig(environment: RawSettings = process.env, preset: RawSettings = {}): Config {
  const set = Object.entries(environment).filter(([, value]) => value !== undefined && value !== '');
  const stated: RawSettings = { ...preset, ...Object.fromEntries(set) };
  const given: RawSettings = { WEBHOOK_PLAIN: String(isOnThisMachine(stated.PUBLIC_URL)), ...stated };
  const parsed = Settings.safeParse(given, { error: plainMessage });
  const problems = parsed.success
    ? []
    : parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
  if (parsed.success) problems.push(...retentionProblems(parsed.data), ...signInProblems(parsed.data));
  if (given.NATS_URL !== undefined) problems.push(...missingSharedSecrets(given));
  if (!parsed.success || problems.length > 0) throw new ConfigError(problems);
  return parsed.data;
}

/** Plain webhook addresses are refused by default as soon as others can reach the API: whoever knows a client id can use them. */
function isOnThisMachine(publicUrl: string | undefined): boolean {
  if (publicUrl === undefined || !URL.canParse(publicUrl)) return true;
  const { hostname } = new URL(publicUrl);
  return /^((.+\.)?localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
}

/** Which services use a secret that all their processes must share; the others need not know it. */
export const sharedSecrets: Readonly<Record<string, readonly string[]>> = {
  JWT_SECRET: ['auth'],
  ENCRYPTION_KEY: [
    'api-gateway',
    'auth',
    'backfill',
    'connect',
    'destinations',
    'file-import',
    'users',
    'webhooks',
    ...readersWithTokens(),
  ],
};

/** Which services encrypt and read bodies that are kept longer. They need ENCRYPTION_KEY if RAW_BODY_RETENTION_DAYS is set. */
export const bodyReaders: readonly string[] = [
  'deliveries',
  ...new Set(
    Object.values(providers).flatMap(({ ingest }) => ('reprocesses' in ingest ? [ingest.service] : [])),
  ),
];

function retentionProblems({ RAW_BODY_RETENTION_DAYS: raw, DELIVERY_RETENTION_DAYS: days }: Config) {
  return raw !== undefined && raw < days
    ? [`RAW_BODY_RETENTION_DAYS: must be at least DELIVERY_RETENTION_DAYS (${days})`]
    : [];
}

function readersWithTokens(): string[] {
  const readers = Object.values(providers).filter(({ ingest }) => ingest.readsWithTokens);
  return [...new Set(readers.map(({ ingest }) => ingest.service))];
}

// Several machines on one bus that each made up a secret would refuse each other's tokens.
function missingSharedSecrets(given: RawSettings): string[] {
  const chosen = list.parse(given.SERVICES ?? '');
  const isForBodies = (name: string) =>
    name === 'ENCRYPTION_KEY' && given.RAW_BODY_RETENTION_DAYS !== undefined;
  return Object.entries(sharedSecrets)
    .filter(([name]) => given[name] === undefined)
    .map(([name, users]) => [name, isForBodies(name) ? [...users, ...bodyReaders] : users] as const)
    .filter(([, users]) => chosen.length === 0 || chosen.some((service) => users.includes(service)))
    .map(([name]) => `${name}: must be set where NATS_URL is set, and be the same on every machine`);
}
