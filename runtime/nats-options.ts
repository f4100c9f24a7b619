import type { Config } from '../config.ts';

/** The settings of the bus. */
export type BusSettings = Partial<Pick<Config, 'NATS_URL' | 'NATS_CA' | 'NATS_CERT' | 'NATS_KEY'>>;

/**
 * A connection is replaced when two pings, one every two seconds, are unanswered: a network that drops packets closes no
 * connection. An attempt to connect ends after two seconds. The next server is tried at once, the same one after
 * a quarter second.
 */
const timing = {
  pingInterval: 2000,
  maxPingOut: 2,
  timeout: 2000,
  maxReconnectAttempts: -1,
  reconnectTimeWait: 250,
  reconnectJitter: 100,
  reconnectJitterTLS: 100,
};

/** The servers of NATS_URL as URLs. */
export function busServersOf(natsUrl: string): URL[] {
  return natsUrl.split(',').map((one) => new URL(one.trim()));
}

/** The user of NATS_URL; empty for a token or none. */
export function busUserOf(natsUrl: string): string {
  const url = credentialsUrl(natsUrl);
  return url === undefined || url.password === '' ? '' : decodeURIComponent(url.username);
}

/** The same servers with other credentials. */
export function natsUrlAs(natsUrl: string, user: string, password: string): string {
  return busServersOf(natsUrl)
    .map(({ protocol, host }) => `${protocol}//${user}:${password}@${host}`)
    .join(',');
}

/**
 * Converts the settings to client options, because the client accepts credentials as options only. The credentials of the
 * first server that has some are used for all.
 */
export function natsOptions({ NATS_URL = '', NATS_CA, NATS_CERT, NATS_KEY }: BusSettings) {
  const urls = busServersOf(NATS_URL);
  const hasTls = urls.some(({ protocol }) => protocol === 'tls:') || NATS_CA !== undefined;
  const files = {
    ...(NATS_CA === undefined ? {} : { caFile: NATS_CA }),
    ...(NATS_CERT === undefined ? {} : { certFile: NATS_CERT }),
    ...(NATS_KEY === undefined ? {} : { keyFile: NATS_KEY }),
  };
  return {
    servers: urls.map(({ protocol, host }) => `${protocol}//${host}`),
    ...credentialsOf(NATS_URL),
    ...(hasTls ? { tls: files } : {}),
    ...timing,
  };
}

function credentialsOf(natsUrl: string) {
  const url = credentialsUrl(natsUrl);
  if (url === undefined) return {};
  const user = decodeURIComponent(url.username);
  const pass = decodeURIComponent(url.password);
  return pass === '' ? { token: user } : { user, pass };
}

function credentialsUrl(natsUrl: string): URL | undefined {
  return busServersOf(natsUrl).find(({ username, password }) => username !== '' || password !== '');
}
