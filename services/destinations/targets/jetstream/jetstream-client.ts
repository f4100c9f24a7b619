import { connect, credsAuthenticator, type JetStreamManager, type NatsConnection, NatsError } from 'nats';
import { TargetError, type TargetErrorCode } from '../../../../domain/destinations/target-errors.ts';
import { AddressRefused, type Limit, withinLimits } from '../../../../runtime/http/guarded-request.ts';
import { checkedAddress } from '../checked-address.ts';
import type { Run, TargetHost } from '../target.ts';
import { tlsOptions } from '../tls-settings.ts';
import { hostsOf, type JetstreamSettings } from './jetstream-settings.ts';

/** A message of a stream. A repeated id within the window of the stream is stored once. */
export interface Message {
  readonly subject: string;
  readonly id: string;
  readonly body: Buffer;
}

/** A stream. All functions throw TargetError. */
export interface StreamClient {
  /** The largest body of a message. */
  readonly mostBytes: number;
  /** Sends a message. Resolves when another may be sent, and not with its acknowledgement. */
  publish(message: Message): Promise<void>;
  /** Resolves when all messages are acknowledged. */
  settled(): Promise<void>;
  /** Deletes the messages of a subject filter. Returns how many, and how many are left. */
  purge(filter: string): Promise<{ readonly purged: number; readonly left: number }>;
}

/** Messages without an acknowledgement. */
const mostInFlight = 64;
/** Of the largest message: the subject and the headers. */
const overheadBytes = 2048;

/** Runs `work` with a connection to a stream. The connection is made to an address that was checked, and ends with `work`. */
export async function withStream<T>(
  run: Run,
  settings: JetstreamSettings,
  work: (client: StreamClient) => Promise<T>,
): Promise<T> {
  const { pace, held } = run;
  const connection = await connected(run, settings);
  const cut = () => void connection.close().catch(() => undefined);
  held.signal.addEventListener('abort', cut, { once: true });
  try {
    const manager = await connection.jetstreamManager({ checkAPI: false, timeout: pace.totalMs });
    return await work(await clientOf(run, settings, connection, manager));
  } catch (error) {
    if (held.signal.aborted) throw new TargetError('stopped', error);
    throw error instanceof NatsError ? new TargetError(reasonOf(null, error), error) : error;
  } finally {
    held.signal.removeEventListener('abort', cut);
    await connection.close().catch(() => undefined);
  }
}

async function clientOf(
  { pace }: Run,
  { stream }: JetstreamSettings,
  connection: NatsConnection,
  manager: JetStreamManager,
): Promise<StreamClient> {
  const { config } = await manager.streams.info(stream);
  const { max_msg_size: ofStream } = config;
  const ofServer = connection.info?.max_payload ?? 1024 * 1024;
  const jetstream = connection.jetstream({ timeout: pace.totalMs });
  const inFlight = new Set<Promise<void>>();
  let failure: { readonly error: unknown } | null = null;
  const check = () => {
    if (failure !== null) throw failure.error;
  };
  return {
    mostBytes: (ofStream > 0 ? Math.min(ofStream, ofServer) : ofServer) - overheadBytes,
    async publish({ subject, id, body }) {
      check();
      const sent: Promise<void> = jetstream
        .publish(subject, body, { msgID: id, expect: { streamName: stream } })
        .then(
          () => undefined,
          (error: unknown) => {
            failure ??= { error };
          },
        )
        .finally(() => inFlight.delete(sent));
      inFlight.add(sent);
      if (inFlight.size >= mostInFlight) await Promise.race(inFlight);
    },
    async settled() {
      await Promise.all(inFlight);
      check();
    },
    async purge(filter) {
      const { purged } = await manager.streams.purge(stream, { filter });
      const { state } = await manager.streams.info(stream, { subjects_filter: filter });
      const left = Object.values(state.subjects ?? {}).reduce((sum, n) => sum + n, 0);
      return { purged, left };
    },
  };
}

// The first server that answers. Names of other servers, which a cluster sends, are not used: nothing has checked them.
async function connected(run: Run, settings: JetstreamSettings): Promise<NatsConnection> {
  let last: unknown = new TargetError('unreachable');
  for (const host of hostsOf(settings)) {
    try {
      return await connectedTo(run, settings, host);
    } catch (error) {
      if (!(error instanceof TargetError) || error.reason === 'stopped') throw error;
      last = error;
    }
  }
  throw last;
}

function connectedTo(run: Run, settings: JetstreamSettings, host: TargetHost): Promise<NatsConnection> {
  const { pace, held } = run;
  const { user, password, token, creds, tls, tls_ca } = settings;
  return withinLimits(
    { connectMs: pace.connectMs, totalMs: pace.totalMs, signal: held.signal },
    async ({ signal }) => {
      const address = await checkedAddress(run, host);
      signal.throwIfAborted();
      return connect({
        servers: `${address.includes(':') ? `[${address}]` : address}:${host.port}`,
        ...{ name: 'pulsebus', reconnect: false, ignoreClusterUpdates: true, timeout: pace.connectMs },
        tls: tls === 'off' ? null : tlsOptions(host.host, tls_ca),
        ...(user === undefined ? {} : { user }),
        ...(password === undefined ? {} : { pass: password }),
        ...(token === undefined ? {} : { token }),
        ...(creds === undefined ? {} : { authenticator: credsAuthenticator(Buffer.from(creds)) }),
      });
    },
    (limit, error) => {
      throw new TargetError(reasonOf(limit, error, 'unreachable'), error);
    },
  );
}

const byCode: Readonly<Record<string, TargetErrorCode>> = {
  AUTHORIZATION_VIOLATION: 'credentials_refused',
  AUTHENTICATION_EXPIRED: 'credentials_refused',
  AUTHENTICATION_TIMEOUT: 'credentials_refused',
  BAD_AUTHENTICATION: 'credentials_refused',
  BAD_CREDS: 'credentials_refused',
  ACCOUNT_EXPIRED: 'credentials_refused',
  PERMISSIONS_VIOLATION: 'not_permitted',
  CONNECTION_REFUSED: 'unreachable',
  CONNECTION_CLOSED: 'cut_off',
  DISCONNECT: 'cut_off',
  TIMEOUT: 'timed_out',
  TLS: 'tls_failed',
  SERVER_OPT_NA: 'tls_failed',
  '503': 'missing',
};

/** The codes of errors of JetStream. */
const byApiCode: Readonly<Record<number, TargetErrorCode>> = {
  10002: 'full', // resource limits of the account
  10023: 'full', // resources of the server
  10047: 'full', // storage
  10077: 'full', // messages or bytes of the stream
  10054: 'too_large',
  10059: 'missing',
  10039: 'missing', // JetStream is not enabled for the account
  10076: 'missing', // JetStream is not enabled
  10060: 'schema_changed', // the subjects belong to another stream
  10109: 'not_permitted', // a sealed stream
  10110: 'not_permitted', // the stream denies purges
  10123: 'not_permitted',
};

function reasonOf(
  limit: Limit | null,
  error: unknown,
  other: TargetErrorCode = 'failed',
): TargetErrorCode | 'stopped' {
  if (limit !== null) return limit;
  if (error instanceof AddressRefused) return 'address_refused';
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (error instanceof NatsError && error.api_error !== undefined)
    return byApiCode[error.api_error.err_code ?? 0] ?? (error.api_error.code === 503 ? 'busy' : 'failed');
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'name_unknown';
  if (/CERT|SSL|EPROTO|SIGNATURE/.test(code)) return 'tls_failed';
  return byCode[code] ?? other;
}
