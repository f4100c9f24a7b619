import type { Queryable } from '../../../mixins/database/database.ts';

// As for a deleted user: the data of an account that another user is connected to belongs to that user too.
const statement = `
with account as (
  select user_id, provider, provider_user_id from users.connection where id = $1
  union
  select f.user_id, f.provider, f.provider_user_id from users.connection c
  join users.former_account f using (user_id, provider) where c.id = $1
)
select a.provider_user_id from account a
where not exists (
  select from users.connection o
  where o.provider = a.provider and o.provider_user_id = a.provider_user_id and o.id <> $1 and o.status = 'active')
order by 1`;

/** The accounts of a purged connection, including former ones, except those that another user is connected to. */
export async function selectPurgedAccounts(database: Queryable, connectionId: string): Promise<string[]> {
  const rows = await database.query<{ provider_user_id: string }>(statement, [connectionId]);
  return rows.map(({ provider_user_id }) => provider_user_id);
}
