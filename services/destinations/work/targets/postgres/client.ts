import { z } from 'zod';
import { Text } from '../../../../../domain/wire.ts';
import type { TargetHost } from '../../../rules/allowed-hosts.ts';
import { withSession } from '../../session/session.ts';
import { checkedHost } from '../checked-address.ts';
import type { Run } from '../target.ts';
import { HostName, tlsSettings } from '../tls-settings.ts';

const Name = Text.min(1, 'must not be empty').max(63, 'must be at most 63 characters');

/** The settings of a database. */
export const PostgresSettings = z.strictObject({
  host: HostName,
  port: z.int().min(1, 'must be at least 1').max(65_535, 'must be at most 65535').default(5432),
  database: Name,
  user: Name,
  password: z.string().max(1000, 'must be at most 1000 characters'),
  /** The schema of the tables. No other destination writes into it. */
  schema: z
    .string()
    .regex(/^[a-z_][a-z0-9_]{0,62}$/, 'must have 1 to 63 lower-case letters, digits and underscores')
    .refine(
      (name) => !name.startsWith('pg_') && name !== 'information_schema',
      'must not be one of PostgreSQL',
    )
    .default('pulsebus'),
  ...tlsSettings,
});
export type PostgresSettings = z.infer<typeof PostgresSettings>;

/** The server. */
export function hostOf({ host, port, tls }: PostgresSettings): TargetHost {
  return { host, port, isEncrypted: tls !== 'off' };
}

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
