import { once } from 'node:events';
import { finished } from 'node:stream/promises';
import pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { TargetError, type TargetErrorCode } from '../../../../domain/destinations/target-errors.ts';
import type { Row } from '../../../../mixins/database/database.ts';
import { AddressRefused, type Limit, withinLimits } from '../../../../runtime/http/guarded-request.ts';
import { checkedAddress } from '../checked-address.ts';
import type { Run } from '../target.ts';
import { tlsOptions } from '../tls-settings.ts';
import { hostOf, type PostgresSettings } from './postgres-settings.ts';

/** A transaction in the database of a destination. All functions throw TargetError. */
export interface PostgresTransaction {
  query<T extends Row>(text: string, values?: readonly unknown[]): Promise<T[]>;
  /** Sends rows in PostgreSQL's binary form. */
  copy(text: string, send: (write: Write) => Promise<void>): Promise<void>;
}

/** Sends bytes. Resolves when more may follow. */
export type Write = (bytes: Uint8Array) => Promise<void>;

/** A statement that changes many rows may take this many times as long as a request. */
const statementFactor = 10;

/**
 * Runs `work` in one transaction of the database of a destination, which commits when `work` returns. The connection is made to the
 * address that was checked. Nothing of the transaction stays if `work` throws.
 */
export async function withTransaction<T>(
  run: Run,
  settings: PostgresSettings,
  work: (transaction: PostgresTransaction) => Promise<T>,
): Promise<T> {
  const { pace, held } = run;
  const statementMs = pace.totalMs * statementFactor;
  const client = await connected(run, settings);
  client.on('error', () => undefined);
  const cut = () => void client.connection.stream.destroy();
  const bounded = <R>(totalMs: number, step: () => Promise<R>): Promise<R> =>
    withinLimits(
      { connectMs: totalMs, totalMs, signal: held.signal },
      ({ signal, connected }) => {
        connected();
        signal.addEventListener('abort', cut, { once: true });
        return step();
      },
      (limit, error) => {
        throw error instanceof TargetError ? error : new TargetError(reasonOf(limit, error), error);
      },
    );
  const query: PostgresTransaction['query'] = async (text, values = []) =>
    (await bounded(statementMs, () => client.query(text, [...values]))).rows;
  try {
    await query('begin');
    await query(`set local statement_timeout = ${statementMs}`);
    await query(`set local lock_timeout = ${pace.totalMs}`);
    const result = await work({
      query,
      async copy(text, send) {
        const stream = client.query(copyFrom(text));
        const failed = new Promise<never>((_, reject) => stream.on('error', reject));
        failed.catch(() => undefined);
        await send(async (bytes) => {
          if (stream.write(bytes)) return;
          await bounded(pace.totalMs, () => Promise.race([once(stream, 'drain'), failed]));
        });
        stream.end();
        await bounded(statementMs, () => Promise.race([finished(stream), failed]));
      },
    });
    await query('commit');
    await client.end().catch(() => undefined);
    return result;
  } finally {
    cut();
  }
}

async function connected(run: Run, settings: PostgresSettings): Promise<pg.Client> {
  const { pace, held } = run;
  const { port, database, user, password, tls, tls_ca } = settings;
  return withinLimits(
    { connectMs: pace.connectMs, totalMs: pace.totalMs, signal: held.signal },
    async ({ signal, connected }) => {
      const host = await checkedAddress(run, hostOf(settings));
      const client = new pg.Client({
        ...{ host, port, database, user, password, keepAlive: true, application_name: 'pulsebus' },
        ssl: tls === 'off' ? false : tlsOptions(settings.host, tls_ca),
      });
      client.on('error', () => undefined);
      signal.addEventListener('abort', () => void client.connection.stream.destroy(), { once: true });
      signal.throwIfAborted();
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
  if (error instanceof AddressRefused) return 'address_refused';
  if (error instanceof pg.DatabaseError) {
    const { code = '' } = error;
    return byState[code] ?? byClass[code.slice(0, 2)] ?? 'failed';
  }
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'name_unknown';
  const text = `${code} ${error instanceof Error ? error.message : ''}`;
  return /CERT|SSL|TLS|EPROTO|SIGNATURE/.test(text) ? 'tls_failed' : other;
}
