import { z } from 'zod';
import { withSession } from '../../session/session.ts';
import { checkedHost } from '../checked-address.ts';
import type { Run } from '../target.ts';
import { hostOf, type PostgresSettings } from './postgres-settings.ts';

/** A transaction in the database of a destination. All functions throw TargetError. */
export interface PostgresTransaction {
  query(text: string, values?: readonly unknown[]): Promise<unknown[]>;
  /** Sends rows in PostgreSQL's binary form. */
  copy(text: string, send: (write: Write) => Promise<void>): Promise<void>;
}

/** Sends bytes. Resolves when more may follow. */
export type Write = (bytes: Uint8Array) => Promise<void>;

const Nothing = z.void();

/**
 * Runs `work` in one transaction of the database of a destination, which commits when `work` returns. The connection is made to the
 * address that was checked. Nothing of the transaction stays if `work` throws.
 */
export async function withTransaction<T>(
  run: Run,
  settings: PostgresSettings,
  work: (transaction: PostgresTransaction) => Promise<T>,
): Promise<T> {
  const { database: name, user, password, tls, tls_ca } = settings;
  const host = await checkedHost(run, hostOf(settings));
  const database = { host, database: name, user, password, tls, tls_ca };
  return withSession(run, { kind: 'postgres', database }, async ({ call, send: sendBytes }) => {
    const query: PostgresTransaction['query'] = (text, values = []) =>
      call(z.array(z.unknown()), 'query', [text, values]);
    const result = await work({
      query,
      async copy(text, send) {
        await call(Nothing, 'beginCopy', [text]);
        await send((bytes) => sendBytes('write', [bytes]));
        await call(Nothing, 'endCopy');
      },
    });
    await query('commit');
    return result;
  });
}
