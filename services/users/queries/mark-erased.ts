import type { Queryable } from '../../../mixins/database/database.ts';

// The account id at the provider identifies the user, so it is deleted too.
const statement = `
with emptied as (delete from users.connection where user_id = $1),
former as (delete from users.former_account where user_id = $1)
update users.person set erased_at = now() where id = $1 and erased_at is null`;

/** Marks the erasure of a user in other services as finished and deletes the connections. */
export async function markErased(database: Queryable, userId: string): Promise<void> {
  await database.query(statement, [userId]);
}
