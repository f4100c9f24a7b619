import type { Queryable } from '../../../mixins/database/database.ts';

/** A developer's stored password, and whether they have logged in from the requesting address before. */
export interface PasswordRow {
  readonly id: string;
  readonly password: string;
  readonly isKnown: boolean;
}

const passwordOf = `
  select id, password, exists (
    select from auth.known_log_in
    where developer_id = developer.id and address_hash = sha256(convert_to($2, 'UTF8'))
  ) as "isKnown"
  from auth.developer where lower(email) = lower($1)`;

/** The password of an account, by e-mail in any case; null when there is no such account. */
export async function selectPassword(
  database: Queryable,
  email: string,
  address = '',
): Promise<PasswordRow | null> {
  const [row] = await database.query<PasswordRow>(passwordOf, [email.trim(), address]);
  return row ?? null;
}

/** An application with the hash of its secret. */
export interface ApplicationSecret {
  readonly id: string;
  readonly secretHash: string;
  readonly project: string;
}

/** The hash of an application's secret; null when there is no such application. */
export async function selectApplicationSecret(
  database: Queryable,
  appId: string,
): Promise<ApplicationSecret | null> {
  const statement =
    'select id, secret_hash as "secretHash", project_id as project from auth.application where app_id = $1';
  const [row] = await database.query<ApplicationSecret>(statement, [appId]);
  return row ?? null;
}
