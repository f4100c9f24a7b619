import type { Queryable } from '../../../mixins/database.ts';

/** A developer's stored password, by e-mail in any case; null when there is no such account. */
export async function selectPassword(
  database: Queryable,
  email: string,
): Promise<{ id: string; password: string } | null> {
  const statement = 'select id, password from auth.developer where lower(email) = lower($1)';
  const [row] = await database.query<{ id: string; password: string }>(statement, [email.trim()]);
  return row ?? null;
}

/** The hash of an application's secret; null when there is no such application. */
export async function selectApplicationSecret(
  database: Queryable,
  appId: string,
): Promise<{ id: string; secretHash: string } | null> {
  const statement = 'select id, secret_hash as "secretHash" from auth.application where app_id = $1';
  const [row] = await database.query<{ id: string; secretHash: string }>(statement, [appId]);
  return row ?? null;
}
