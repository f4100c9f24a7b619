import { setTimeout as sleep } from 'node:timers/promises';
import { connect } from 'nats';
import type { Config } from '../../config.ts';
import { serversOf } from '../../domain/database-url.ts';
import { errorCodeOf } from '../../domain/error-code.ts';
import { checkSamplesReadable, UnreadableSamplesError } from '../../runtime/database/compressed-samples.ts';
import { newClient } from '../../runtime/database/database-client.ts';
import { type BusSettings, busServersOf, natsOptions } from '../../runtime/nats-options.ts';
import { StartError } from './start-error.ts';

// Checks that the configured servers answer before anything is started, because services wait for an unavailable server
// indefinitely.

const TIMEOUT_MS = 10_000;
const PAUSE_MS = 500;

/**
 * Connects to the servers of DATABASE_URL and NATS_URL, where they are set, for at most `patienceMs` each.
 * @throws StartError naming the setting, the address and the reason, never a password.
 */
export async function checkServers(
  { DATABASE_URL, NATS_URL, ...files }: Pick<Config, 'DATABASE_URL' | 'NATS_URL'> & BusSettings,
  patienceMs = 0,
): Promise<void> {
  if (DATABASE_URL !== undefined)
    await within(
      patienceMs,
      () => connectDatabase(DATABASE_URL),
      (error) => databaseError(error, DATABASE_URL),
    );
  if (NATS_URL !== undefined)
    await within(
      patienceMs,
      () => connectBus({ ...files, NATS_URL }),
      (error) => busError(error, NATS_URL),
    );
}

async function within(
  patienceMs: number,
  attempt: () => Promise<void>,
  explain: (error: unknown) => StartError,
): Promise<void> {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (performance.now() >= deadline) throw explain(error);
    }
    await sleep(PAUSE_MS);
  }
}

async function connectDatabase(url: string): Promise<void> {
  const client = newClient(url, { connectionTimeoutMillis: TIMEOUT_MS });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await checkSamplesReadable(client);
  } finally {
    await client.end().catch(() => undefined);
  }
}

async function connectBus(settings: BusSettings): Promise<void> {
  const connection = await connect({
    ...natsOptions(settings),
    timeout: TIMEOUT_MS,
    reconnect: false,
    maxReconnectAttempts: 0,
  });
  await connection.close();
}

const ownServer = 'npm start runs a server of its own';

function databaseError(error: unknown, text: string): StartError {
  if (error instanceof UnreadableSamplesError)
    return new StartError(`DATABASE_URL: ${error.message}`, { cause: error });
  const urls = serversOf(text).map((one) => new URL(one));
  const [first] = urls;
  const server = urls.map((url) => addressOf(url, '5432')).join(', ');
  const [user, name] = [decodeURIComponent(first?.username ?? ''), first?.pathname.slice(1) ?? ''];
  const code = shortReasonOf(error);
  const reasons: Readonly<Record<string, string>> = {
    '28P01': `${server} refuses the password of user ${user}.`,
    '28000': `${server} does not let user ${user} in: see its pg_hba.conf.`,
    '3D000': `${server} has no database ${name}: create it first.`,
    '25006': `${server}: no server takes writes. Promote a standby, or start the primary.`,
    '57P03': `${server} is starting up or shutting down. Try again.`,
    '53300': `${server} has no connection left (max_connections).`,
  };
  const reason = reasons[code] ?? unreachable(server, code, 'PostgreSQL', 'DATABASE_URL');
  return new StartError(`DATABASE_URL: ${reason}`, { cause: error });
}

function busError(error: unknown, text: string): StartError {
  const server = busServersOf(text)
    .map((url) => addressOf(url, '4222'))
    .join(', ');
  const code = shortReasonOf(error);
  const reason =
    code === 'AUTHORIZATION_VIOLATION' || code === 'AUTHENTICATION_EXPIRED'
      ? `${server} refuses the user and password, or the token.`
      : unreachable(server, code, 'NATS', 'NATS_URL');
  return new StartError(`NATS_URL: ${reason}`, { cause: error });
}

function unreachable(server: string, code: string, program: string, setting: string): string {
  return `${program} does not answer at ${server} (${code}). Start it there, or unset ${setting}: ${ownServer}.`;
}

function addressOf(url: URL, port: string): string {
  return `${url.hostname === '' ? 'localhost' : url.hostname}:${url.port === '' ? port : url.port}`;
}

// The messages of both servers are short and hold no password; those of Node.js are codes.
function shortReasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return errorCodeOf(error) || error.message.split('\n')[0] || error.name;
}
