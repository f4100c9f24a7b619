import type { Queryable } from '../../../mixins/database/database.ts';

/** Records that a developer logged in from an address. Only a hash of the address is stored. */
export async function insertKnownLogIn(
  database: Queryable,
  developerId: string,
  address: string,
): Promise<void> {
  await database.query(
    `insert into auth.known_log_in (developer_id, address_hash) values ($1, sha256(convert_to($2, 'UTF8')))
     on conflict (developer_id, address_hash) do update set last_at = now()`,
    [developerId, address],
  );
}

/** Whether a developer has logged in from an address lately; false as well if there is no such account. */
export async function isKnownLogIn(database: Queryable, email: string, address: string): Promise<boolean> {
  const rows = await database.query(
    `select from auth.developer join auth.known_log_in on developer_id = developer.id
     where lower(email) = lower($1) and address_hash = sha256(convert_to($2, 'UTF8'))`,
    [email, address],
  );
  return rows.length > 0;
}
