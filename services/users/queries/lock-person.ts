import type { Queryable } from '../../../mixins/database.ts';
import type { Person } from '../users.entities.ts';

const statement = `
select id, created_at as "createdAt", first_name as "firstName", last_name as "lastName", email,
  external_user_id as "externalUserId"
from users.person where id = $1 and deleted_at is null for no key update`;

/** Locks a person who lives here until the transaction ends, and returns the row; null when there is none. */
export async function lockPerson(
  transaction: Queryable,
  id: string,
): Promise<Omit<Person, 'deletedAt'> | null> {
  const [row] = await transaction.query<Omit<Person, 'deletedAt'>>(statement, [id]);
  return row ?? null;
}
