import { once } from 'node:events';
import { finished } from 'node:stream/promises';
import pg from 'pg';
import { type CopyStreamQuery, from as copyFrom } from 'pg-copy-streams';
import { TargetError, type TargetErrorCode } from '../../../../../domain/destinations/target-errors.ts';
import { errorCodeOf } from '../../../../../domain/error-code.ts';
import { type Limit, withinLimits } from '../../../../../runtime/http/guarded-request.ts';
import { type Connection, type Host, neverAborted } from '../../session/connection.ts';
import { type TlsSettings, tlsOptions } from '../tls-options.ts';

/** What a database is opened with. */
export interface DatabaseOpening extends TlsSettings {
  readonly host: Host;
  readonly database: string;
  readonly user: string;
  readonly password: string;
}

/** A statement that changes many rows may take this many times as long as a request. */
const statementFactor = 10;
/** No statement here returns more than a row. */
const mostRows = 100;
/** Time that a server has to close a connection in order. */
const goodbyeMs = 500;

/** A transaction in a database. It ends with the connection, unless it was committed. Its functions are those of `PostgresTransaction`. */
export async function openDatabase(opening: DatabaseOpening): Promise<Connection> {
  const { totalMs } = opening.host;
  const statementMs = totalMs * statementFactor;
  const client = await connected(opening);
  const cut = () => void client.connection.stream.destroy();
  const bounded = <R>(mostMs: number, step: () => Promise<R>): Promise<R> =>
    withinLimits(
      { connectMs: mostMs, totalMs: mostMs, signal: neverAborted },
      ({ signal, connected }) => {
        connected();
        signal.addEventListener('abort', cut, { once: true });
        return step();
      },
      (limit, error) => {
        throw error instanceof TargetError ? error : new TargetError(reasonOf(limit, error), error);
      },
    );
  const query = async (text: string, values: readonly unknown[] = []) => {
    const { rows } = await bounded(statementMs, () => client.query(text, [...values]));
    if (rows.length > mostRows) throw new TargetError('answer_too_large');
    return rows;
  };
  let copying: { readonly stream: CopyStreamQuery; readonly failed: Promise<never> } | null = null;
  const current = () => {
    if (copying === null) throw new Error('no copy was begun');
    return copying;
  };
  await query('begin');
  await query(`set local statement_timeout = ${statementMs}`);
  await query(`set local lock_timeout = ${totalMs}`);
  return {
    functions: {
      query,
      beginCopy(text: string) {
        const stream = client.query(copyFrom(text));
        const failed = new Promise<never>((_, reject) => stream.on('error', reject));
        failed.catch(() => undefined);
        copying = { stream, failed };
      },
      async write(bytes: Uint8Array) {
        const { stream, failed } = current();
        if (stream.write(bytes)) return;
        await bounded(totalMs, () => Promise.race([once(stream, 'drain'), failed]));
      },
      async endCopy() {
        const { stream, failed } = current();
        stream.end();
        await bounded(statementMs, () => Promise.race([finished(stream), failed]));
      },
    },
    async close() {
      await bounded(goodbyeMs, () => client.end()).catch(() => undefined);
      cut();
    },
  };
}

async function connected({
  host,
  database,
  user,
  password,
  tls,
  tls_ca,
}: DatabaseOpening): Promise<pg.Client> {
  const { connectMs, totalMs, port, addresses } = host;
  return withinLimits(
    { connectMs, totalMs, signal: neverAborted },
    async ({ signal, connected }) => {
      const client = new pg.Client({
        host: addresses[0]?.address,
        port,
        database,
        user,
        password,
        keepAlive: true,
        application_name: 'pulsebus',
        ssl: tls === 'off' ? false : tlsOptions(host.host, tls_ca),
      });
      client.on('error', () => undefined);
      signal.addEventListener('abort', () => void client.connection.stream.destroy(), { once: true });
      await client.connect();
      connected();
      return client;
    },
    (limit, error) => {
      throw new TargetError(reasonOf(limit, error, 'unreachable'), error);
    },
  );
}

const byState: Readonly<Record<string, TargetErrorCode>> = {
  '25006': 'not_permitted', // a standby
  '28000': 'credentials_refused',
  '28P01': 'credentials_refused',
  '3D000': 'missing',
  '3F000': 'missing',
  '42501': 'not_permitted',
  '53100': 'full',
  '55P03': 'busy',
  '57014': 'timed_out',
};

const byClass: Readonly<Record<string, TargetErrorCode>> = {
  '08': 'cut_off',
  '22': 'schema_changed',
  '23': 'schema_changed',
  '40': 'busy',
  '42': 'schema_changed',
  '53': 'busy',
  '57': 'busy',
};

function reasonOf(
  limit: Limit | null,
  error: unknown,
  other: TargetErrorCode = 'cut_off',
): TargetErrorCode | 'stopped' {
  if (limit !== null) return limit;
  if (error instanceof pg.DatabaseError) {
    const { code = '' } = error;
    return byState[code] ?? byClass[code.slice(0, 2)] ?? 'failed';
  }
  const code = errorCodeOf(error) ?? '';
  const text = `${code} ${error instanceof Error ? error.message : ''}`;
  return /CERT|SSL|TLS|EPROTO|SIGNATURE/.test(text) ? 'tls_failed' : other;
}
