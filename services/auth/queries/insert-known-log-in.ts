import type { Queryable } from '../../../mixins/database.ts';

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
