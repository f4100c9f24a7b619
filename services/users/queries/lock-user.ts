import type { Queryable } from '../../../mixins/database/database.ts';
import type { UserRow } from '../users.entities.ts';

const statement = `
select id, created_at as "createdAt", first_name as "firstName", last_name as "lastName", email,
  external_user_id as "externalUserId", time_zone as "timeZone"
from users.person where id = $1 and deleted_at is null for no key update`;

/** Locks a user who is not deleted until the transaction ends; returns the row, or null if there is none. */
export async function lockUser(
  transaction: Queryable,
  id: string,
): Promise<Omit<UserRow, 'deletedAt'> | null> {
  const [row] = await transaction.query<Omit<UserRow, 'deletedAt'>>(statement, [id]);
  return row ?? null;
}
