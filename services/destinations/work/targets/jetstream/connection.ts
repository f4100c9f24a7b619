import { connect, credsAuthenticator, type NatsConnection, NatsError } from 'nats';
import { TargetError, type TargetErrorCode } from '../../../../../domain/destinations/target-errors.ts';
import { errorCodeOf } from '../../../../../domain/error-code.ts';
import { type Limit, withinLimits } from '../../../../../runtime/http/guarded-request.ts';
import { type Connection, type Host, neverAborted } from '../../session/connection.ts';
import { type TlsSettings, tlsOptions } from '../tls-options.ts';

/** What a stream is opened with. */
export interface StreamOpening extends TlsSettings {
  readonly host: Host;
  readonly stream: string;
  readonly user: string | undefined;
  readonly password: string | undefined;
  readonly token: string | undefined;
  readonly creds: string | undefined;
}

/** Messages without an acknowledgement. */
const mostInFlight = 64;
/** Of the largest message: the subject and the headers. */
const overheadBytes = 2048;

/** A stream of a server. Its functions are those of `StreamClient`. */
export async function openStream(opening: StreamOpening): Promise<Connection> {
  const { host, stream } = opening;
  const connection = await connected(opening);
  const manager = await connection.jetstreamManager({ checkAPI: false, timeout: host.totalMs });
  const jetstream = connection.jetstream({ timeout: host.totalMs });
  const inFlight = new Set<Promise<void>>();
  let failure: { readonly error: unknown } | null = null;
  const check = () => {
    if (failure !== null) throw failure.error;
  };
  return {
    close: () => connection.close(),
    functions: {
      mostBytes: () =>
        asTarget(async () => {
          const { config } = await manager.streams.info(stream);
          const ofServer = connection.info?.max_payload ?? 1024 * 1024;
          return (
            (config.max_msg_size > 0 ? Math.min(config.max_msg_size, ofServer) : ofServer) - overheadBytes
          );
        }),
      publish: (subject: string, msgID: string, body: Uint8Array) =>
        asTarget(async () => {
          check();
          const sent: Promise<void> = jetstream
            .publish(subject, body, { msgID, expect: { streamName: stream } })
            .then(
              () => undefined,
              (error: unknown) => {
                failure ??= { error };
              },
            )
            .finally(() => inFlight.delete(sent));
          inFlight.add(sent);
          if (inFlight.size >= mostInFlight) await Promise.race(inFlight);
        }),
      settled: () =>
        asTarget(async () => {
          await Promise.all(inFlight);
          check();
        }),
      purge: (filter: string) =>
        asTarget(async () => {
          const { purged } = await manager.streams.purge(stream, { filter });
          const { state } = await manager.streams.info(stream, { subjects_filter: filter });
          const left = Object.values(state.subjects ?? {}).reduce((sum, n) => sum + n, 0);
          return { purged, left };
        }),
    },
  };
}

async function asTarget<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof NatsError ? new TargetError(reasonOf(null, error), error) : error;
  }
}

function connected({
  host,
  user,
  password,
  token,
  creds,
  tls,
  tls_ca,
}: StreamOpening): Promise<NatsConnection> {
  const { connectMs, totalMs, addresses, port } = host;
  const address = addresses[0]?.address ?? '';
  return withinLimits(
    { connectMs, totalMs, signal: neverAborted },
    () =>
      connect({
        servers: `${address.includes(':') ? `[${address}]` : address}:${port}`,
        name: 'pulsebus',
        reconnect: false,
        ignoreClusterUpdates: true,
        timeout: connectMs,
        tls: tls === 'off' ? null : tlsOptions(host.host, tls_ca),
        ...(user === undefined ? {} : { user }),
        ...(password === undefined ? {} : { pass: password }),
        ...(token === undefined ? {} : { token }),
        ...(creds === undefined ? {} : { authenticator: credsAuthenticator(Buffer.from(creds)) }),
      }),
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
  const code = errorCodeOf(error) ?? '';
  if (error instanceof NatsError && error.api_error !== undefined)
    return byApiCode[error.api_error.err_code ?? 0] ?? (error.api_error.code === 503 ? 'busy' : 'failed');
  if (/CERT|SSL|EPROTO|SIGNATURE/.test(code)) return 'tls_failed';
  return byCode[code] ?? other;
}
