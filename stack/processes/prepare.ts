import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../../config.ts';
import { migrateUp } from '../../migrations/migrate.ts';
import { providerNames, providers } from '../../providers/all.ts';
import {
  publicUrl,
  secretAddresses,
  settingsOf,
  titleOf,
  webhookSecretNames,
} from '../../runtime/provider-settings.ts';
import { databaseWarnings } from '../database/database-warnings.ts';
import { firstAccount, removeOnceUsed } from '../database/first-account.ts';
import { generatedSecrets, writePrivate } from '../database/secrets.ts';
import { leftOut } from '../machine/left-out.ts';
import { checkListening, checkMetricsPorts } from '../machine/listening.ts';
import { misspeltSettings } from '../machine/misspelt-settings.ts';
import { checkServers } from '../machine/reachable.ts';
import type { Lifetime } from '../machine/run-until-signal.ts';
import { StartError, startErrorOf } from '../machine/start-error.ts';
import { sandboxIsOn } from '../sandbox/sandbox.ts';
import type { ReceiverAccess } from '../sandbox/sandbox-receiver.ts';
import type { StartPage } from '../sandbox/start-page.ts';
import { takeDataDir } from '../servers/data-dir.ts';
import type { BusChoice } from '../servers/nats-server.ts';
import { type Stack, startStack } from '../servers/stack.ts';
import type { Started } from './started.ts';

const DATABASE_MB = 256;
const SANDBOX_MB = 1024;

/** The state before the first service starts. */
export interface Prepared {
  /** The settings with the servers and secrets that were found or made. */
  readonly config: Config;
  readonly stack: Stack;
  readonly login: StartPage['login'];
}

/** How a start prints lines, registers stops, and which ports its gateways and metrics use. */
export interface Preparation {
  readonly started: Started;
  readonly ports: readonly number[];
  readonly metricsPorts: readonly number[];
  readonly fail: Lifetime['fail'];
  /** Called if our own server ends for good. By default the start fails. */
  serverEnded?(sentence: string): void;
  readonly hasStandby?: boolean;
  /** The servers and users of the bus, if it is started here. */
  readonly bus?: BusChoice;
  say(line: string): void;
}

/**
 * Starts servers that were not given, migrates, and ensures that an account exists. Errors that an operator can correct
 * are checked first. @throws StartError that names the setting
 */
export async function prepare(given: Config, preparation: Preparation): Promise<Prepared> {
  const { say, started, ports, metricsPorts } = preparation;
  for (const line of misspeltSettings(process.env)) say(`Warning: ${line}`);
  for (const line of leftOut) say(`Warning: ${line}`);
  const dataDir = takeDataDir(given.DATA_DIR, spaceFor(given));
  started(dataDir.release);
  await checkListening(given.HOST, ports);
  await checkMetricsPorts(given.HOST, metricsPorts, ports);
  await checkServers(given);
  if (given.DATABASE_URL !== undefined)
    for (const line of await databaseWarnings(given.DATABASE_URL)) say(`Warning: ${line}`);
  try {
    return await prepareIn(dataDir.path, given, preparation);
  } catch (error) {
    throw startErrorOf(error, dataDir.path);
  }
}

/** Disk space of a new database: with the sandbox, a month of six users and the WAL of their import. */
function spaceFor(config: Config): number {
  if (config.DATABASE_URL !== undefined) return 0;
  return sandboxIsOn(config) ? SANDBOX_MB : DATABASE_MB;
}

async function prepareIn(
  dataDir: string,
  given: Config,
  {
    say,
    started,
    fail,
    bus = {},
    hasStandby = false,
    serverEnded = (sentence) => fail(new StartError(sentence)),
  }: Preparation,
): Promise<Prepared> {
  const options = stackOptions({ ...given, DATA_DIR: dataDir }, say);
  const stack = await startStack({ ...options, bus, hasStandby, serverEnded });
  started(() => stack.stop());
  const config = completed(given, stack);
  await migrateUp(stack.databaseUrl);
  const login = await firstAccount(stack.databaseUrl, config, dataDir);
  if (login.isShownByCommand) {
    const stop = removeOnceUsed(stack.databaseUrl, dataDir);
    started(async () => stop());
  }
  return { config, stack, login };
}

/** Writes the file that says where the product runs, for the REPL and for tools. */
export function writeRunFile(
  { stack, config }: Prepared,
  url: string,
  receiver: ReceiverAccess | null,
): void {
  const { natsUrl, databaseUrl } = stack;
  const webhooks = webhookAddresses(config, url);
  const run = { pid: process.pid, url, natsUrl, databaseUrl, webhooks, receiver };
  writePrivate(join(stack.dataDir, 'run.json'), JSON.stringify(run));
}

/** Warnings about the current settings. */
export function notesOn(
  config: Config,
  isSandbox: boolean,
  receiver: Pick<ReceiverAccess, 'note'> | null = null,
): string[] {
  const { HOST } = config;
  return [
    ...anyClientNotes(config),
    ...(isSandbox ? [] : webhookNotes(config)),
    ...(receiver === null || receiver.note === null ? [] : [receiver.note]),
    ...(HOST === '127.0.0.1' ? [] : [`Listening on ${HOST}: put a proxy with TLS in front.`]),
  ];
}

function anyClientNotes(config: Config): string[] {
  return providerNames.flatMap((provider) => {
    const { names, webhooks } = providers[provider];
    const [header] = webhooks.clientIdHeaders;
    if (names === null || header === undefined || settingsOf(config, provider).clientId !== undefined)
      return [];
    return [`${names.clientId} is not set: webhooks are taken with any ${header}.`];
  });
}

function webhookNotes(config: Config): string[] {
  const settings = providerNames.flatMap((provider) => {
    const { names } = providers[provider];
    return names === null || names.webhookSecrets === null
      ? []
      : [{ provider, name: names.webhookSecrets, ...settingsOf(config, provider) }];
  });
  const without = settings.filter(({ webhookSecrets }) => webhookSecrets.length === 0);
  const real = settings.filter(({ clientSecret }) => clientSecret !== undefined);
  return [
    ...without.map(
      ({ provider, name }) =>
        `${name} is not set beside NATS_URL: ${titleOf(config, provider)} has no secret webhook address.`,
    ),
    ...(config.WEBHOOK_PLAIN ? real : []).map(
      ({ provider }) =>
        `WARNING: anybody can post webhooks of ${titleOf(config, provider)} to its plain address. Register the secret address (npm run -s webhook-addresses), then set WEBHOOK_PLAIN=false.`,
    ),
  ];
}

/** The secret webhook addresses of all providers, to be registered there. */
function webhookAddresses(config: Config, url: string): string[] {
  const base = publicUrl(config, url);
  return providerNames.flatMap((provider) => Object.values(secretAddresses(config, provider, base)));
}

function stackOptions(
  { DATA_DIR, STACK_DIR, DATABASE_URL, NATS_URL, DEBIAN_MIRROR }: Config,
  say: (line: string) => void,
) {
  return {
    dataDir: DATA_DIR,
    log: say,
    ...(STACK_DIR === undefined ? {} : { stackDir: STACK_DIR }),
    ...(DATABASE_URL === undefined ? {} : { databaseUrl: DATABASE_URL }),
    ...(NATS_URL === undefined ? {} : { natsUrl: NATS_URL }),
    ...(DEBIAN_MIRROR === undefined ? {} : { debianMirror: DEBIAN_MIRROR }),
  };
}

function completed(given: Config, { databaseUrl, natsUrl, dataDir }: Stack): Config {
  chmodSync(dataDir, 0o711);
  const secrets = generatedSecrets(dataDir);
  return {
    ...given,
    DATABASE_URL: databaseUrl,
    NATS_URL: natsUrl ?? undefined,
    JWT_SECRET: given.JWT_SECRET ?? [secrets.JWT_SECRET],
    ENCRYPTION_KEY: given.ENCRYPTION_KEY ?? [secrets.ENCRYPTION_KEY],
    ...(given.NATS_URL === undefined ? generatedWebhookSecrets(given, secrets) : {}),
  };
}

// Gateways of several machines on one bus must accept the same addresses, so the operator sets the secrets there.
function generatedWebhookSecrets(given: Config, secrets: ReturnType<typeof generatedSecrets>) {
  return Object.fromEntries(webhookSecretNames.map((name) => [name, given[name] ?? [secrets[name]]]));
}
