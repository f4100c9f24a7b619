import type { Queryable } from '../../../mixins/database/database.ts';

const statement = `
insert into users.former_account (user_id, provider, provider_user_id)
select user_id, provider, provider_user_id from users.connection where id = $2 and user_id = $1
on conflict (user_id, provider, provider_user_id) do update set left_at = excluded.left_at`;

/** Stores the account of a connection before another account replaces it, so that an erasure of the user covers both. */
export async function insertFormerAccount(
  transaction: Queryable,
  userId: string,
  connectionId: string,
): Promise<void> {
  await transaction.query(statement, [userId, connectionId]);
}
