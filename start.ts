import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { type Config, ConfigError, loadConfig } from './config.ts';
import { migrateUp } from './migrations/migrate.ts';
import { createBroker } from './mixins/broker.ts';
import { gatewayUrl } from './services/api-gateway/api-gateway.service.ts';
import { firstAccount } from './stack/first-account.ts';
import { showFirstData } from './stack/first-data.ts';
import { generatedSecrets, writePrivate } from './stack/secrets.ts';
import { loadServices } from './stack/services.ts';
import { type Stack, startStack } from './stack/stack.ts';
import { startPage } from './stack/start-page.ts';

/** `npm start`: everything on this machine, in one process, until a signal ends it. */
const stops: (() => Promise<unknown>)[] = [];
const abort = new AbortController();
const stopLimitMs = 20_000;
const say = (line: string) => console.log(line);

// npm passes a Ctrl-C on that the terminal sent already: the second one must not cut the stop short.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void end(0));

try {
  // The page is what a person looks for here; LOG_LEVEL=info tells of every delivery.
  await start(loadConfig(process.env, { LOG_LEVEL: 'warn' }));
} catch (error) {
  if (!abort.signal.aborted) {
    console.error(error instanceof ConfigError ? error.message : error);
    await end(1);
  }
}

async function start(given: Config): Promise<void> {
  const stack = await startStack(stackOptions(given));
  stops.push(() => stack.stop());
  const config = completed(given, stack);
  await migrateUp(stack.databaseUrl);
  const login = await firstAccount(stack.databaseUrl, config);
  const broker = createBroker({ config, services: await loadServices(config.SERVICES) });
  stops.push(() => broker.stop());
  await broker.start();
  const url = gatewayUrl(broker);
  const run = { pid: process.pid, url, natsUrl: stack.natsUrl, databaseUrl: stack.databaseUrl };
  writePrivate(join(stack.dataDir, 'run.json'), JSON.stringify(run));
  const example = await showFirstData({
    broker,
    config,
    url,
    dataDir: stack.dataDir,
    say,
    signal: abort.signal,
  });
  say(
    startPage({ url, choice: stack.choice, dataDir: stack.dataDir, login, notes: notesOn(config), example }),
  );
}

function stackOptions({ DATA_DIR, STACK_DIR, DATABASE_URL, NATS_URL, DEBIAN_MIRROR }: Config) {
  return {
    dataDir: DATA_DIR,
    log: say,
    ...(STACK_DIR === undefined ? {} : { stackDir: STACK_DIR }),
    ...(DATABASE_URL === undefined ? {} : { databaseUrl: DATABASE_URL }),
    ...(NATS_URL === undefined ? {} : { natsUrl: NATS_URL }),
    ...(DEBIAN_MIRROR === undefined ? {} : { debianMirror: DEBIAN_MIRROR }),
  };
}

/** The settings with what this start found and made: servers, secrets. */
function completed(given: Config, { databaseUrl, natsUrl, dataDir }: Stack): Config {
  chmodSync(dataDir, 0o711);
  const secrets = generatedSecrets(dataDir);
  return {
    ...given,
    DATABASE_URL: databaseUrl,
    NATS_URL: natsUrl ?? undefined,
    JWT_SECRET: given.JWT_SECRET ?? [secrets.JWT_SECRET],
    ENCRYPTION_KEY: given.ENCRYPTION_KEY ?? [secrets.ENCRYPTION_KEY],
  };
}

function notesOn({ DEVICEMAKER_CLIENT_ID, HOST }: Config): string[] {
  return [
    ...(DEVICEMAKER_CLIENT_ID === undefined
      ? ['DEVICEMAKER_CLIENT_ID is not set: webhooks are taken with any devicemaker-client-id.']
      : []),
    ...(HOST === '127.0.0.1' ? [] : [`Listening on ${HOST}: put a proxy with TLS in front.`]),
  ];
}

/** Stops in the reverse order of starting, once. */
async function end(code: number): Promise<void> {
  if (abort.signal.aborted) return;
  abort.abort();
  const late = setTimeout(() => process.exit(1), stopLimitMs);
  for (const stop of stops.splice(0).reverse()) {
    await stop().catch((error: unknown) =>
      console.error('a part did not stop cleanly:', Reflect.get(Object(error), 'message')),
    );
  }
  clearTimeout(late);
  process.exit(code);
}
