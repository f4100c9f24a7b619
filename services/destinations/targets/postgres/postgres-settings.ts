import { z } from 'zod';
import { Text } from '../../../../domain/wire.ts';
import type { TargetHost } from '../../manage/check-hosts.ts';
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
